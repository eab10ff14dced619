// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import LoginTesting
import TestSupport
import Testing

@Suite struct AccountInvariantsTests {
    private static let whole: [(table: String, row: StoreRow)] =
        [
            (
                "login_account",
                StoreRows.account("A", ["email": .text("a@example.com"), "email_verified": .integer(1)])
            ),
            (
                "login_identity",
                StoreRows.identity("1", of: "A", ["email": .text("a@example.com"), "email_verified": .integer(1)])
            ),
            ("login_identity_key", StoreRows.key(of: "1")),
            ("login_email", StoreRow(["email": .text("a@example.com"), "account_id": .text("A")])),
            ("login_account", StoreRows.account("B", ["is_anonymous": .integer(1)])),
            ("login_account", StoreRows.account("C", ["state": .text("merged"), "merged_into": .text("A")])),
            ("login_account", StoreRows.account("D", ["state": .text("deleted")])),
        ] + StoreRows.session("S", of: "A", ["identity_id": .text("1")])

    @Test(.rule("STORE-6", "STORE-13"), arguments: StoreUnderTest.all) func `valid rows have no violations`(
        kind: StoreUnderTest
    ) async throws {
        let store = try await kind.make()
        #expect(try await AccountInvariants.violations(in: store) == [])
        try await store.fill(Self.whole)
        #expect(try await AccountInvariants.violations(in: store) == [])
    }

    /// Rows that a store accepts, but that violate an invariant of accounts.
    private static let broken: [(String, [(table: String, row: StoreRow)])] = [
        ("account X is active, and no identity can sign in to it", [("login_account", StoreRows.account("X"))]),
        (
            "account X is anonymous and has an identity",
            [
                ("login_account", StoreRows.account("X", ["is_anonymous": .integer(1)])),
                ("login_identity", StoreRows.identity("x", of: "X")), ("login_identity_key", StoreRows.key(of: "x")),
            ]
        ),
        (
            "account X is merged into a merged account",
            [("login_account", StoreRows.account("X", ["state": .text("merged"), "merged_into": .text("C")]))]
        ),
        (
            "account X is merged into a missing account",
            [("login_account", StoreRows.account("X", ["state": .text("merged"), "merged_into": .text("Y")]))]
        ),
        (
            "account X is deleted and still has its display_name",
            [("login_account", StoreRows.account("X", ["state": .text("deleted"), "display_name": .text("Ada")]))]
        ),
        (
            "an identity of account A has no row with its subject",
            [("login_identity", StoreRows.identity("x", of: "A"))]
        ),
        (
            "an identity of account A has the single_key of another provider",
            [
                ("login_identity", StoreRows.identity("x", of: "A", ["single_key": .text("apple")])),
                ("login_identity_key", StoreRows.key(of: "x")),
            ]
        ),
        (
            "an identity of account A has a password, but a provider without passwords",
            [("login_password", StoreRows.row(of: "login_password", ["identity_id": .text("1")]))]
        ),
        (
            "an address belongs to account A, and no identity of the account proves it",
            [("login_email", StoreRow(["email": .text("b@example.com"), "account_id": .text("A")]))]
        ),
        (
            "account A has recovery codes of two batches",
            ["1", "2"].map { batch in
                (
                    "login_recovery_code",
                    StoreRows.row(
                        of: "login_recovery_code",
                        ["account_id": .text("A"), "hash": .bytes(Array(batch.utf8)), "batch": .text(batch)]
                    )
                )
            }
        ),
        (
            "account A has more than ten recovery codes",
            (UInt8(0)..<11).map { index in
                (
                    "login_recovery_code",
                    StoreRows.row(of: "login_recovery_code", ["account_id": .text("A"), "hash": .bytes([index])])
                )
            }
        ),
        (
            "a session of account D is open, and the account is not active",
            StoreRows.session("x", of: "D")
        ),
        (
            "a session of account A is open, and its identity belongs to another account",
            StoreRows.session("x", of: "A", ["identity_id": .text("gone")])
        ),
    ]

    @Test(.rule("STORE-13"), arguments: StoreUnderTest.all) func `each violation is reported`(kind: StoreUnderTest)
        async throws
    {
        for (name, rows) in Self.broken {
            let store = try await kind.make()
            try await store.fill(Self.whole)
            try await store.fill(rows)
            #expect(try await AccountInvariants.violations(in: store) == [name])
        }
    }

    /// Rows whose columns have the right type, but an invalid content.
    private static let unreadable: [(table: String, row: StoreRow)] =
        [
            (
                "login_identity",
                StoreRows.identity("1", of: "A", ["permissions": .text("{")])
            ),
            ("login_audit", StoreRows.row(of: "login_audit", ["id": .text("x"), "subject": .text("{")])),
            (
                "login_factor",
                StoreRows.row(
                    of: "login_factor",
                    [
                        "account_id": .text("A"), "account_state": .text("active"),
                        "parameters": .text(#"{"digits":-1}"#),
                    ]
                )
            ),
            (
                "login_factor",
                StoreRows.row(
                    of: "login_factor",
                    ["account_id": .text("A"), "account_state": .text("active"), "sealed_with": .integer(1)]
                )
            ),
            ("login_password", StoreRows.row(of: "login_password", ["identity_id": .text("1"), "hash": .text("x")])),
        ]
        + [("state", "nonsense"), ("methods", "["), ("previous_token", "{")].map { column, text in
            StoreRows.session("x", of: "A", [column: .text(text)])[1]
        }

    @Test(.rule("STORE-13")) func `a row that cannot be read is reported`() async throws {
        for (table, row) in Self.unreadable {
            let store = InMemoryAccountStore()
            if table == "login_identity" {
                // Replaces the existing row, so that references to it stay valid.
                try await store.fill(Self.whole.map { $0.table == table ? (table, row) : $0 })
            } else {
                try await store.fill(Self.whole)
                if table == "login_session" { try await store.fill([StoreRows.session("x", of: "A")[0]]) }
                try await store.fill([(table, row)])
            }
            let violations = try await AccountInvariants.violations(in: store)
            #expect(violations.contains { $0.hasPrefix("a row of \(table) cannot be read: ") }, "\(violations)")
        }
    }

    @Test func `a session of an earlier epoch does not count as open, even if its row is`() async throws {
        let store = InMemoryAccountStore()
        try await store.fill(Self.whole)
        try await store.fill(StoreRows.session("x", of: "D", ["epoch": .integer(7)]))
        #expect(try await AccountInvariants.violations(in: store) == [])
    }
}
