// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension StoreMigration {
    /// The tables of single-use and expiring rows, and of the audit and its events.
    static let proofs = Self(
        "0002-proofs",
        tables: [
            "login_attempt", "login_seen_token", "login_pending_credential", "login_pending_sign_in", "login_challenge",
            "login_proof", "login_budget", "login_idempotency", "login_audit", "login_outbox",
        ],
        [
            """
            CREATE TABLE login_attempt (
                hash {bytes} NOT NULL,
                state_hash {bytes},
                provider_id {text} NOT NULL,
                channel {text} NOT NULL,
                purpose {text} NOT NULL,
                sealed {bytes},
                created_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                claimed_at {integer},
                used_at {integer},
                PRIMARY KEY (hash),
                UNIQUE (state_hash)
            ){strict}
            """,
            "CREATE INDEX login_attempt_expires_at ON login_attempt (expires_at)",
            """
            CREATE TABLE login_seen_token (
                provider_id {text} NOT NULL,
                hash {bytes} NOT NULL,
                expires_at {integer} NOT NULL,
                PRIMARY KEY (provider_id, hash)
            ){strict}
            """,
            "CREATE INDEX login_seen_token_expires_at ON login_seen_token (expires_at)",
            """
            CREATE TABLE login_pending_credential (
                hash {bytes} NOT NULL,
                provider_id {text} NOT NULL,
                subject {text} NOT NULL,
                content {bytes} NOT NULL,
                owner_id {text},
                session_id {text},
                account_id {text},
                created_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                PRIMARY KEY (hash)
            ){strict}
            """,
            "CREATE INDEX login_pending_credential_account_id ON login_pending_credential (account_id)",
            "CREATE INDEX login_pending_credential_owner_id ON login_pending_credential (owner_id)",
            """
            CREATE INDEX login_pending_credential_provider_id_subject
            ON login_pending_credential (provider_id, subject)
            """,
            "CREATE INDEX login_pending_credential_expires_at ON login_pending_credential (expires_at)",
            """
            CREATE TABLE login_pending_sign_in (
                hash {bytes} NOT NULL,
                account_id {text} NOT NULL,
                content {bytes} NOT NULL,
                attempts_left {integer} NOT NULL,
                created_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                PRIMARY KEY (hash),
                CHECK (attempts_left >= 0),
                FOREIGN KEY (account_id) REFERENCES login_account (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            "CREATE INDEX login_pending_sign_in_account_id ON login_pending_sign_in (account_id)",
            "CREATE INDEX login_pending_sign_in_expires_at ON login_pending_sign_in (expires_at)",
            """
            CREATE TABLE login_challenge (
                hash {bytes} NOT NULL,
                account_id {text} NOT NULL,
                factor_id {text} NOT NULL,
                pending_hash {bytes},
                session_id {text},
                code_hash {bytes} NOT NULL,
                attempts_left {integer} NOT NULL,
                created_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                PRIMARY KEY (hash),
                CHECK (attempts_left >= 0),
                FOREIGN KEY (factor_id) REFERENCES login_factor (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            "CREATE INDEX login_challenge_account_id ON login_challenge (account_id)",
            "CREATE INDEX login_challenge_factor_id ON login_challenge (factor_id)",
            "CREATE INDEX login_challenge_pending_hash ON login_challenge (pending_hash)",
            "CREATE INDEX login_challenge_expires_at ON login_challenge (expires_at)",
            """
            CREATE TABLE login_proof (
                hash {bytes} NOT NULL,
                kind {text} NOT NULL,
                account_id {text},
                session_id {text},
                address {text} NOT NULL,
                address_prefix {text} NOT NULL,
                code_hash {bytes},
                attempts_left {integer} NOT NULL,
                created_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                PRIMARY KEY (hash),
                CHECK (attempts_left >= 0)
            ){strict}
            """,
            "CREATE INDEX login_proof_account_id ON login_proof (account_id)",
            "CREATE INDEX login_proof_kind_address ON login_proof (kind, address)",
            "CREATE INDEX login_proof_expires_at ON login_proof (expires_at)",
            """
            CREATE TABLE login_budget (
                key {text} NOT NULL,
                count {integer} NOT NULL,
                ends_at {integer} NOT NULL,
                PRIMARY KEY (key),
                CHECK (count >= 0)
            ){strict}
            """,
            "CREATE INDEX login_budget_ends_at ON login_budget (ends_at)",
            """
            CREATE TABLE login_idempotency (
                key {bytes} NOT NULL,
                account_id {text} NOT NULL,
                request_hash {bytes} NOT NULL,
                response {text} NOT NULL,
                expires_at {integer} NOT NULL,
                PRIMARY KEY (key)
            ){strict}
            """,
            "CREATE INDEX login_idempotency_account_id ON login_idempotency (account_id)",
            "CREATE INDEX login_idempotency_expires_at ON login_idempotency (expires_at)",
            """
            CREATE TABLE login_audit (
                id {text} NOT NULL,
                at {integer} NOT NULL,
                account_id {text},
                actor {text} NOT NULL,
                action {text} NOT NULL,
                subject {text},
                session_id {text},
                PRIMARY KEY (id)
            ){strict}
            """,
            "CREATE INDEX login_audit_account_id_id ON login_audit (account_id, id)",
            "CREATE INDEX login_audit_at ON login_audit (at)",
            """
            CREATE TABLE login_outbox (
                id {text} NOT NULL,
                event {text} NOT NULL,
                created_at {integer} NOT NULL,
                attempts {integer} NOT NULL,
                next_at {integer} NOT NULL,
                delivered_at {integer},
                PRIMARY KEY (id)
            ){strict}
            """,
            "CREATE INDEX login_outbox_delivered_at_next_at ON login_outbox (delivered_at, next_at)",
            "CREATE INDEX login_outbox_created_at ON login_outbox (created_at)",
        ]
    )
}
