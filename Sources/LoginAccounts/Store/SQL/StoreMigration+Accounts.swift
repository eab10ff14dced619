// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension StoreMigration {
    /// The tables of accounts, identities, factors and sessions, to which rows of other tables refer.
    static let accounts = Self(
        "0001-accounts",
        tables: [
            "login_account", "login_email", "login_identity", "login_identity_key", "login_password", "login_factor",
            "login_recovery_code", "login_session_family", "login_session",
        ],
        [
            """
            CREATE TABLE login_account (
                id {text} NOT NULL,
                state {text} NOT NULL,
                is_anonymous {integer} NOT NULL CHECK (is_anonymous IN (0, 1)),
                disabled_at {integer},
                email {text},
                email_verified {integer} NOT NULL CHECK (email_verified IN (0, 1)),
                display_name {text},
                display_name_source {text},
                photo_url {text},
                photo_source {text},
                session_epoch {integer} NOT NULL,
                version {integer} NOT NULL,
                merged_into {text},
                factor_failures {integer} NOT NULL,
                factor_locks {integer} NOT NULL,
                factor_locked_until {integer},
                last_sign_in_at {integer},
                created_at {integer} NOT NULL,
                updated_at {integer} NOT NULL,
                PRIMARY KEY (id),
                UNIQUE (id, state),
                CHECK (state IN ('active', 'merged', 'deleted')),
                CHECK (state <> 'merged' OR merged_into IS NOT NULL),
                CHECK (version >= 0),
                CHECK (session_epoch >= 0),
                CHECK (factor_failures >= 0),
                CHECK (factor_locks >= 0)
            ){strict}
            """,
            "CREATE INDEX login_account_merged_into ON login_account (merged_into)",
            "CREATE INDEX login_account_email ON login_account (email)",
            "CREATE INDEX login_account_is_anonymous_updated_at ON login_account (is_anonymous, updated_at)",
            """
            CREATE TABLE login_email (
                email {text} NOT NULL,
                account_id {text} NOT NULL,
                PRIMARY KEY (email),
                FOREIGN KEY (account_id) REFERENCES login_account (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            "CREATE INDEX login_email_account_id ON login_email (account_id)",
            """
            CREATE TABLE login_identity (
                id {text} NOT NULL,
                account_id {text} NOT NULL,
                account_state {text} NOT NULL,
                provider_id {text} NOT NULL,
                subject {text} NOT NULL,
                single_key {text},
                email {text},
                email_verified {integer} NOT NULL CHECK (email_verified IN (0, 1)),
                email_private {integer} NOT NULL,
                display_name {text},
                photo_url {text},
                phone_number {text},
                permissions {text},
                profile {bytes},
                profile_sealed_with {integer},
                status {text} NOT NULL,
                revoked_at {integer},
                linked_at {integer} NOT NULL,
                last_sign_in_at {integer} NOT NULL,
                PRIMARY KEY (id),
                UNIQUE (account_id, single_key),
                CHECK (account_state = 'active'),
                CHECK (status IN ('active', 'revoked')),
                FOREIGN KEY (account_id, account_state) REFERENCES login_account (id, state) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            "CREATE INDEX login_identity_account_id ON login_identity (account_id)",
            "CREATE INDEX login_identity_profile_sealed_with ON login_identity (profile_sealed_with)",
            """
            CREATE TABLE login_identity_key (
                provider_id {text} NOT NULL,
                subject {text} NOT NULL,
                identity_id {text} NOT NULL,
                created_at {integer} NOT NULL,
                PRIMARY KEY (provider_id, subject),
                FOREIGN KEY (identity_id) REFERENCES login_identity (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            "CREATE INDEX login_identity_key_identity_id ON login_identity_key (identity_id)",
            """
            CREATE TABLE login_password (
                identity_id {text} NOT NULL,
                hash {text} NOT NULL,
                changed_at {integer} NOT NULL,
                PRIMARY KEY (identity_id),
                FOREIGN KEY (identity_id) REFERENCES login_identity (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            """
            CREATE TABLE login_factor (
                id {text} NOT NULL,
                account_id {text} NOT NULL,
                account_state {text} NOT NULL,
                kind {text} NOT NULL,
                display_name {text},
                secret {bytes} NOT NULL,
                sealed_with {integer} NOT NULL,
                parameters {text},
                hint {text},
                fingerprint {bytes},
                last_step {integer} NOT NULL,
                confirmed_at {integer},
                expires_at {integer},
                created_at {integer} NOT NULL,
                PRIMARY KEY (id),
                UNIQUE (account_id, fingerprint),
                CHECK (account_state = 'active'),
                CHECK (last_step >= 0),
                FOREIGN KEY (account_id, account_state) REFERENCES login_account (id, state) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            "CREATE INDEX login_factor_account_id ON login_factor (account_id)",
            "CREATE INDEX login_factor_sealed_with ON login_factor (sealed_with)",
            "CREATE INDEX login_factor_expires_at ON login_factor (expires_at)",
            """
            CREATE TABLE login_recovery_code (
                account_id {text} NOT NULL,
                hash {bytes} NOT NULL,
                batch {text} NOT NULL,
                used_at {integer},
                created_at {integer} NOT NULL,
                PRIMARY KEY (account_id, hash),
                FOREIGN KEY (account_id) REFERENCES login_account (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            """
            CREATE TABLE login_session_family (
                id {text} NOT NULL,
                account_id {text} NOT NULL,
                session_id {text} NOT NULL,
                identity_id {text},
                generation {integer} NOT NULL,
                seed {bytes} NOT NULL,
                refresh_hash {bytes} NOT NULL,
                previous_generation {integer} NOT NULL,
                is_previous_dead {integer} NOT NULL CHECK (is_previous_dead IN (0, 1)),
                epoch {integer} NOT NULL,
                rotated_at {integer} NOT NULL,
                created_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                revoked_at {integer},
                revoking_until {integer},
                PRIMARY KEY (id),
                CHECK (generation >= 0),
                FOREIGN KEY (account_id) REFERENCES login_account (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            """
            CREATE INDEX login_session_family_account_id_revoked_at
            ON login_session_family (account_id, revoked_at)
            """,
            "CREATE INDEX login_session_family_identity_id ON login_session_family (identity_id)",
            "CREATE INDEX login_session_family_expires_at ON login_session_family (expires_at)",
            """
            CREATE TABLE login_session (
                id {text} NOT NULL,
                account_id {text} NOT NULL,
                identity_id {text},
                family_id {text} NOT NULL,
                state {text} NOT NULL,
                level {integer} NOT NULL,
                methods {text} NOT NULL,
                level_at {integer} NOT NULL,
                generation {integer} NOT NULL,
                token_hash {bytes} NOT NULL,
                previous_token_hash {bytes},
                previous_token {text},
                rotated_at {integer} NOT NULL,
                token_expires_at {integer},
                is_used {integer} NOT NULL CHECK (is_used IN (0, 1)),
                epoch {integer} NOT NULL,
                is_via_recovery {integer} NOT NULL CHECK (is_via_recovery IN (0, 1)),
                created_at {integer} NOT NULL,
                authenticated_at {integer} NOT NULL,
                last_seen_at {integer} NOT NULL,
                idle_expires_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                closed_at {integer},
                close_reason {text},
                device {text},
                address_prefix {text},
                PRIMARY KEY (id),
                CHECK (level IN (1, 2)),
                CHECK (epoch >= 0),
                CHECK (generation >= 0),
                FOREIGN KEY (account_id) REFERENCES login_account (id) DEFERRABLE INITIALLY DEFERRED,
                FOREIGN KEY (family_id) REFERENCES login_session_family (id) DEFERRABLE INITIALLY DEFERRED
            ){strict}
            """,
            "CREATE INDEX login_session_account_id_closed_at ON login_session (account_id, closed_at)",
            "CREATE INDEX login_session_identity_id ON login_session (identity_id)",
            "CREATE INDEX login_session_family_id ON login_session (family_id)",
            "CREATE INDEX login_session_expires_at ON login_session (expires_at)",
            "CREATE INDEX login_session_closed_at_idle_expires_at ON login_session (closed_at, idle_expires_at)",
        ]
    )
}
