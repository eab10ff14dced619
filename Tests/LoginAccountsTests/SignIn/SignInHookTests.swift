// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginStoreSQLite
import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

#if PostgreSQL
import LoginStorePostgreSQL
#endif

/// The application's code in the transaction of a sign-in or a link.
@Suite(.rule("R-SIG-7")) struct SignInHookTests {
    private struct Refusal: Error, Equatable { var number: Int }

    private static let email = "ada@example.com"
    private static let password = "correct horse battery"

    /// Creates a table of the application, with a row for each sign-in.
    private func makeTable(_ fixture: AuthFixture) async throws {
        try await fixture.store.transaction { rows in
            let database = try #require(rows as? any SQLStoreTransaction)
            try database.execute("CREATE TABLE visit (account TEXT NOT NULL, outcome TEXT NOT NULL)", [])
        }
    }

    private func visits(_ fixture: AuthFixture) async throws -> [String] {
        try await fixture.store.transaction { rows in
            let database = try #require(rows as? any SQLStoreTransaction)
            return try database.execute("SELECT account, outcome FROM visit ORDER BY outcome", []).map { row in
                guard case .text(let account)? = row.values["account"], case .text(let outcome)? = row.values["outcome"]
                else { return "" }
                return "\(account) \(outcome)"
            }
        }
    }

    @Sendable private static func visit(_ signIn: AuthDataResult, _ database: any SQLStoreTransaction) throws {
        let values: [StoreValue] = [.text(signIn.account.id.rawValue), .text(signIn.outcome.rawValue)]
        try database.execute("INSERT INTO visit (account, outcome) VALUES ($1, $2)", values)
    }

    @Test(arguments: StoreUnderTest.databases)
    func `the application's rows are committed with the sign-in`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        try await makeTable(fixture)
        let auth = fixture.hooked(AuthHooks<any SQLStoreTransaction>(onSignIn: Self.visit))
        let credential = try await fixture.credential(as: "ada", with: .google)
        let ada = try await auth.signIn(with: credential).get()
        #expect(try await visits(fixture) == ["\(ada.account.id) created"])
        _ = try await auth.signIn(with: fixture.credential(as: "ada", with: .google)).get()
        #expect(try await visits(fixture) == ["\(ada.account.id) created", "\(ada.account.id) signedIn"])
    }

    @Test(arguments: StoreUnderTest.databases)
    func `an error of the sign-in hook rolls the sign-in back, which can be retried`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await makeTable(fixture)
        let credential = try await fixture.credential(as: "ada", with: .google)
        let before = try await fixture.everything()
        let refusing = fixture.hooked(
            AuthHooks<any SQLStoreTransaction>(onSignIn: { signIn, database in
                try Self.visit(signIn, database)
                throw Refusal(number: 7)
            })
        )
        let error = await expectError(.internalError) { try await refusing.signIn(with: credential) }
        #expect(error?.application as? Refusal == Refusal(number: 7))
        #expect(try await visits(fixture) == [])
        #expect(try await fixture.everything() == before)
        #expect(try await fixture.auth.signIn(with: credential).get().outcome == .created)
    }

    @Test(arguments: StoreUnderTest.databases)
    func `the application's rows are committed with a link, or the link is rolled back`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await makeTable(fixture)
        let ada = try await fixture.signIn(as: "ada")
        let record = try await fixture.record(ada.session)
        let credential = try await fixture.credential(as: "ada-a", with: .apple, for: .link(ada.session))
        let before = try await fixture.everything()
        let refusing = fixture.hooked(
            AuthHooks<any SQLStoreTransaction>(onLink: { link, database in
                try Self.visit(link, database)
                throw Refusal(number: 7)
            })
        )
        let error = await expectError(.internalError) {
            try await Session(record, auth: refusing).link(with: credential)
        }
        #expect(error?.application as? Refusal == Refusal(number: 7))
        #expect(try await visits(fixture) == [])
        #expect(try await fixture.everything() == before)
        let auth = fixture.hooked(
            AuthHooks<any SQLStoreTransaction>(onLink: { link, database in
                guard link.identity?.providerID == .apple else { throw Refusal(number: 8) }
                try Self.visit(link, database)
            })
        )
        _ = try await Session(record, auth: auth).link(with: credential)
        #expect(try await visits(fixture) == ["\(ada.account.id) linked"])
    }

    @Test(arguments: StoreUnderTest.databases)
    func `after a conflict the sign-in hook runs again, and its rows exist once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await makeTable(fixture)
        let runs = Mutex(0)
        let auth = fixture.hooked(
            AuthHooks<any SQLStoreTransaction>(onSignIn: { signIn, database in
                try Self.visit(signIn, database)
                let count = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if count == 1 { throw StoreError(.busy, "another transaction") }
            })
        )
        let ada = try await auth.signIn(with: fixture.credential(as: "ada", with: .google)).get()
        #expect(runs.withLock { $0 } == 2)
        #expect(try await visits(fixture) == ["\(ada.account.id) created"])
        #expect(try await fixture.count(AccountRecord.self) == 1)
    }

    @Test(arguments: StoreUnderTest.all)
    func `an AuthError of a hook is rethrown unchanged, and a hook that takes over five seconds fails`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let before = try await fixture.everything()
        let clock = fixture.clock
        let refusing = fixture.hooked(
            AuthHooks<any StoreTransaction>(onSignIn: { signIn, _ in try signIn.session.requireLevel(2) })
        )
        await expectError(.secondFactorRequired) { try await refusing.signInAnonymously() }
        let slow = fixture.hooked(
            AuthHooks<any StoreTransaction>(onSignIn: { _, _ in clock.advance(by: .milliseconds(5001)) })
        )
        await expectError(.internalError) { try await slow.signInAnonymously() }
        #expect(try await fixture.everything() == before)
    }

    @Test(arguments: StoreUnderTest.all)
    func `every sign-in and every link runs its hook once, and nothing else does`(_ store: StoreUnderTest) async throws
    {
        let policy = AuthPolicy(linking: LinkPolicy(emailMatching: .evictUnverified))
        var plain = try await AuthFixture(store.make(), policy: policy)
        let seen = Mutex<[String]>([])
        plain.auth = plain.hooked(
            AuthHooks<any StoreTransaction>(
                onSignIn: { signIn, _ in
                    seen.withLock { $0.append("\(signIn.outcome.rawValue) \(signIn.session.level)") }
                },
                onLink: { link, _ in seen.withLock { $0.append("link: \(link.outcome.rawValue)") } }
            )
        )
        let fixture = plain
        func expect(_ calls: String..., sourceLocation: SourceLocation = #_sourceLocation) {
            let found = seen.withLock { seen in
                defer { seen = [] }
                return seen
            }
            #expect(found == calls, sourceLocation: sourceLocation)
        }
        // A password, a takeover of its unverified address, and a new login of a verified address.
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        expect("created 1")
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        expect("signedIn 1")
        let ada = try await fixture.signIn(as: "ada", email: Self.email)
        expect("linked 1")
        try await fixture.signIn(as: "ada-a", with: .apple, email: Self.email)
        expect("linked 1")
        // A phone, and a guest, whose session continues and is upgraded.
        _ = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        expect("created 1")
        let guest = try await fixture.auth.signInAnonymously()
        expect("created 1")
        _ = try await fixture.auth.signInAnonymously(continuing: guest.session)
        expect()
        try await fixture.link("guest", with: .google, in: guest.session)
        expect("link: upgraded")
        // A conflict, whose credential is linked.
        let conflict = try await expectConflict {
            try await fixture.outcome(as: "eve", with: .facebook, email: Self.email)
        }
        expect()
        let again = try await fixture.signIn(as: "ada", email: Self.email)
        expect("signedIn 1")
        _ = try await again.session.link(with: .pending(conflict.pendingCredential))
        expect("link: linked")
        try await fixture.link("ada", with: .google, email: Self.email, in: again.session)
        try await fixture.reauthenticate("ada", in: again.session)
        expect()
        // A second factor.
        let (app, _) = try await fixture.enrolApp(again.session)
        let resolver = try await fixture.resolver(email: Self.email)
        expect()
        _ = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        expect("signedIn 2")
        #expect(try await fixture.auth.account(ada.account.id).providerData.count == 3)
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a hook receives the transaction type of the store, without a cast`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        try await makeTable(fixture)
        func signIn<Store: AccountStore>(_ store: Store) async throws -> AuthDataResult
        where Store.Transaction: SQLStoreTransaction {
            let auth = Auth(
                store: store,
                providers: fixture.auth.providers,
                secrets: AuthFixture.secrets,
                clock: fixture.clock,
                hooks: AuthHooks(onSignIn: { signIn, database in try Self.visit(signIn, database) })
            )
            return try await auth.signIn(with: fixture.credential(as: "ada", with: .google)).get()
        }
        let base = (fixture.store as? PassingStore)?.base ?? fixture.store
        var ada: AuthDataResult?
        #if SQLite
        if let store = base as? SQLiteAccountStore { ada = try await signIn(store) }
        #endif
        #if PostgreSQL
        if let store = base as? PostgreSQLAccountStore { ada = try await signIn(store) }
        #endif
        #expect(try await visits(fixture) == ["\(try #require(ada).account.id) created"])
    }
}
