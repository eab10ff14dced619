// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension StoreMigration {
    /// The table of settings that operators changed.
    static let service = Self(
        "0003-service",
        tables: ["login_tweak"],
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
            """
        ]
    )
}
