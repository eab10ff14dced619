// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension StoreMigration {
    /// The table of used DPoP proofs.
    static let dpop = Self(
        "0004-dpop",
        tables: ["login_dpop_proof"],
        [
            """
            CREATE TABLE login_dpop_proof (
                hash {bytes} NOT NULL,
                expires_at {integer} NOT NULL,
                PRIMARY KEY (hash)
            ){strict}
            """,
            "CREATE INDEX login_dpop_proof_expires_at ON login_dpop_proof (expires_at)",
        ]
    )
}
