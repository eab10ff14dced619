// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension StoreMigration {
    /// What a service in front of accounts keeps: what was changed while it ran, and logins that are under way in browsers.
    static let service = Self(
        "0003-service",
        [
            """
            CREATE TABLE login_tweak (
                id {text} NOT NULL,
                value {text},
                changed_at {integer} NOT NULL,
                changed_by {text} NOT NULL,
                revision {integer} NOT NULL,
                PRIMARY KEY (id),
                CHECK (revision >= 0)
            ){strict}
            """,
            """
            CREATE TABLE login_browser_attempt (
                hash {bytes} NOT NULL,
                sealed {bytes} NOT NULL,
                purpose {text} NOT NULL,
                binding {bytes} NOT NULL,
                created_at {integer} NOT NULL,
                expires_at {integer} NOT NULL,
                used_at {integer},
                PRIMARY KEY (hash)
            ){strict}
            """,
            "CREATE INDEX login_browser_attempt_expires_at ON login_browser_attempt (expires_at)",
        ]
    )
}
