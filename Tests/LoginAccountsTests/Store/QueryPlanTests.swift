// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts
@testable import LoginTokens

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The plans by which the databases run the most frequent statements, and those of the sweeps.
@Suite(.rule("STORE-19")) struct QueryPlanTests {
    private let email = "ada@example.com"

    @Test(arguments: StoreUnderTest.databases)
    func `a sign-in, a session check, a refresh, a link and a sign-out find their rows by keys of indexes`(
        _ kind: StoreUnderTest
    ) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        try await fixture.signIn(as: "ada", email: email)
        let ada = try await fixture.signIn(as: "ada", email: email)
        _ = try await fixture.auth.session(ada.tokens.sessionToken).account()
        let linked = try await fixture.link("ada", with: .apple, email: email, in: ada.session)
        let refreshed = try await fixture.auth.refresh(linked.tokens.refreshToken)
        try await fixture.auth.session(refreshed.tokens.sessionToken).signOut()
        #expect(try await excess(of: store.distinctStatements, in: store, kind, allowsRanges: false) == [:])
    }

    @Test(arguments: StoreUnderTest.databases)
    func `the oldest closed sessions of an account are found and deleted by keys of indexes`(_ kind: StoreUnderTest)
        async throws
    {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.addClosed(1...1000, to: ada.account.id)
        store.forget()
        try await ada.session.signOut()
        #expect(
            store.statements.filter { $0.hasPrefix("DELETE") } == [
                "DELETE login_session", "DELETE login_session_family",
            ]
        )
        #expect(try await excess(of: store.distinctStatements, in: store, kind, allowsRanges: false) == [:])
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a new and a replayed DPoP proof find their row by the key of an index`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let ledger = StoredDPoPLedger(store: store)
        let (proof, now) = (ProofDigest(keyThumbprint: "key", id: "id"), Date(timeIntervalSince1970: 1_760_000_000))
        #expect(try await ledger.use(proof, until: now + 60, now: now) == .first)
        #expect(store.statements == ["INSERT login_dpop_proof"])
        #expect(try await ledger.use(proof, until: now + 60, now: now) == .replayed)
        #expect(store.statements.count == 2)
        #expect(try await excess(of: store.distinctStatements, in: store, kind, allowsRanges: false) == [:])
    }

    @Test(arguments: StoreUnderTest.databases)
    func `passwords, codes to phones and second factors find their rows by keys of indexes`(_ kind: StoreUnderTest)
        async throws
    {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let (address, password) = ("bob@example.com", "correct horse battery")
        _ = try await fixture.auth.createAccount(email: address, password: password)
        _ = try await fixture.auth.signIn(with: .password(email: address, password: password)).get()
        try await fixture.auth.sendPasswordReset(to: address)
        let reset = try #require(fixture.mail.token(.resetPassword))
        try await fixture.auth.resetPassword(token: reset, to: "another horse battery")
        for _ in 1...2 {
            _ = try await fixture.auth.signIn(with: fixture.byPhone()).get()
            fixture.clock.advance(by: .seconds(30))
        }
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let codes = try await enrolled.session.multiFactor.generateRecoveryCodes()
        let code = app.code(fixture.clock)
        _ = try await fixture.resolver().resolveSignIn(with: .totp(app.uid, code: code))
        _ = try await fixture.resolver().resolveSignIn(with: .recoveryCode(codes[0]))
        let found = try await excess(of: store.distinctStatements, in: store, kind, allowsRanges: false)
        #expect(found == [:])
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a sweep of expired rows of every kind finds them by keys or ranges of indexes`(_ kind: StoreUnderTest)
        async throws
    {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada")
        try await store.fill(Self.expired(of: ada.account.id))
        // The events until here are deleted as delivered, those of the guest as too old.
        try await fixture.auth.deliverWaitingEvents { _ in }
        _ = try await fixture.auth.signInAnonymously()
        fixture.clock.advance(by: .seconds(400 * 86400))
        store.forget()
        let age = Duration.seconds(86400)
        let report = try await fixture.auth.sweep(auditOlderThan: age)
        #expect(report.closedSessions == 2)
        #expect(report.deletedAccounts == 1)
        #expect(Set(report.removed.keys) == Set(Expiry.all(auditOlderThan: age).map(\.table)))
        #expect(try await excess(of: store.distinctStatements, in: store, kind, allowsRanges: true) == [:])
    }

    @Test(arguments: StoreUnderTest.databases.filter { $0.name == "SQLite" })
    func `the open sessions and devices of an account are found without reading its closed ones`(
        _ kind: StoreUnderTest
    ) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada")
        _ = try await ada.session.sessions()
        try await ada.session.signOutOthers()
        let statements = store.distinctStatements.filter { statement, _ in
            statement.contains("login_session") && statement.contains("account_id = $")
                && statement.contains("_at IS NULL")
        }
        // Two lists, of a sign-in and of the user; and the closing of sessions and devices, except those of one device.
        #expect(statements.count == 5)
        for (statement, values) in statements {
            let plan = try await store.transaction { rows in
                try #require(rows as? any SQLStoreTransaction).execute("EXPLAIN QUERY PLAN \(statement)", values)
            }
            let steps = plan.compactMap { row -> String? in
                if case .text(let step) = row.values["detail"] { step } else { nil }
            }
            #expect(steps.contains { $0.contains(/\(account_id=\? AND (closed|revoked)_at=\?\)/) }, "\(steps)")
        }
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a statement that reads a whole table, a whole index or a range is found`(_ kind: StoreUnderTest)
        async throws
    {
        let store = try await kind.make()
        let range = "SELECT key FROM login_budget WHERE ends_at <= $1"
        let statements: [String: [StoreValue]] = [
            "SELECT id FROM login_account WHERE display_name = $1": [.text("Ada")],
            "SELECT id FROM login_account ORDER BY id LIMIT $1": [.integer(1)],
            range: [.integer(0)],
        ]
        let withoutRanges = try await excess(of: statements, in: store, kind, allowsRanges: false)
        #expect(Set(withoutRanges.keys) == Set(statements.keys))
        let withRanges = try await excess(of: statements, in: store, kind, allowsRanges: true)
        #expect(Set(withRanges.keys) == Set(statements.keys).subtracting([range]))
    }

    /// Returns an expired row of each kind that a sign-in does not write.
    private static func expired(of account: AccountID) -> [(table: String, row: StoreRow)] {
        let isOfAccount: [String: StoreValue] = ["account_id": .text(account.rawValue)]
        let factor: [String: StoreValue] = ["account_state": .text("active"), "expires_at": .integer(0)]
        let kinds: [(table: String, values: [String: StoreValue])] = [
            ("login_seen_token", [:]), ("login_pending_credential", [:]), ("login_proof", [:]), ("login_budget", [:]),
            ("login_idempotency", isOfAccount), ("login_pending_sign_in", isOfAccount),
            ("login_factor", isOfAccount.merging(factor) { $1 }), ("login_challenge", isOfAccount),
            ("login_dpop_proof", [:]),
        ]
        return kinds.map { ($0.table, StoreRows.row(of: $0.table, $0.values)) }
    }
}

extension QueryPlanTests {
    /// Returns the statements whose plan reads more rows than the keys of an index select, each with the steps that do.
    ///
    /// SQLite's plans include the search for rows that refer to a deleted one.
    ///
    /// - Parameters:
    ///   - statements: The statements, each with values.
    ///   - store: The store that runs them.
    ///   - kind: The kind of the store.
    ///   - allowsRanges: Whether a step may read a range of an index.
    /// - Returns: The steps, by statement.
    /// - Throws: The error of the store.
    private func excess(
        of statements: [String: [StoreValue]],
        in store: any AccountStore,
        _ kind: StoreUnderTest,
        allowsRanges: Bool
    ) async throws -> [String: [String]] {
        let isPostgreSQL = kind.name == "PostgreSQL"
        return try await store.transaction { rows in
            let database = try #require(rows as? any SQLStoreTransaction)
            // PostgreSQL would read tables as small as these without an index.
            if isPostgreSQL { try database.execute("SET LOCAL enable_seqscan = off", []) }
            let (explain, column) =
                isPostgreSQL ? ("EXPLAIN (COSTS OFF)", "QUERY PLAN") : ("EXPLAIN QUERY PLAN", "detail")
            var found: [String: [String]] = [:]
            for (statement, values) in statements {
                let plan = try database.execute("\(explain) \(statement)", values).compactMap { row -> String? in
                    if case .text(let step) = row.values[column] { step } else { nil }
                }
                let steps =
                    isPostgreSQL ? Self.postgreSQLExcess(plan, allowsRanges) : Self.sqliteExcess(plan, allowsRanges)
                if !steps.isEmpty { found[statement] = steps }
            }
            return found
        }
    }

    /// Returns the scans that are not followed by the condition of an index.
    ///
    /// Which of several indexes is used depends on statistics, which a test does not have.
    private static func postgreSQLExcess(_ plan: [String], _ allowsRanges: Bool) -> [String] {
        let isBounded = allowsRanges ? /Cond:/ : /Cond:[^<>]*$/
        return zip(plan, plan.dropFirst() + [""]).filter { step, condition in
            step.contains("Scan ") && !condition.contains(isBounded)
        }.map(\.0)
    }

    /// Returns the scans of a table or an index, and the searches for null in a column of times, which most rows may
    /// have.
    private static func sqliteExcess(_ plan: [String], _ allowsRanges: Bool) -> [String] {
        let isUnbounded = allowsRanges ? /^SCAN|AUTOMATIC|\(\w+_at=\?\)/ : /^SCAN|AUTOMATIC|\(\w+_at=\?\)|[<>]/
        return plan.filter { $0.contains(isUnbounded) }
    }
}
