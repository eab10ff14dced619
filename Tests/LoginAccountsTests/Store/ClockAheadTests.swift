// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The rows that a server has written whose clock was a year ahead.
@Suite struct ClockAheadTests {
    private static let year = Duration.seconds(365 * 86_400)

    /// Runs a body while the clock of the server is ahead.
    private func ahead<Value>(_ fixture: AuthFixture, by time: Duration = Self.year, _ body: () async throws -> Value)
        async throws -> Value
    {
        fixture.clock.advance(by: time)
        defer { fixture.clock.advance(by: .zero - time) }
        return try await body()
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all)
    func `a window of a budget that ends too late is shortened, and keeps its count`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let budget = Budget(purpose: "test", subject: "ada", limit: 2, window: .seconds(3600))
        func take() async throws -> Bool { try await fixture.read { try $0.budgets.take(budget) } }
        try await ahead(fixture) { for _ in 1...3 { _ = try await take() } }
        // The first operation shortens it; a refused one would write nothing.
        #expect(try await [take(), take(), take()] == [true, false, false])
        fixture.clock.advance(by: .seconds(7200))
        #expect(try await [take(), take(), take()] == [true, true, false])
        let other = Budget(purpose: "test", subject: "bob", limit: 1, window: .seconds(3600))
        try await ahead(fixture, by: .seconds(3600)) { _ = try await fixture.read { try $0.budgets.take(other) } }
        #expect(try await fixture.read { try $0.budgets.take(other) } == false)
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all)
    func `a session that was authenticated, or got its level, in the future is neither recent nor at level 2`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.giveFactor(to: ada.account.id)
        func set(_ column: StoreColumn, ahead time: Duration) async throws {
            try await fixture.raise(ada.session)
            try await fixture.read { transaction in
                _ = try transaction.tables.rows.update(
                    SessionRecord.self,
                    set: column.becomes(transaction.now + time),
                    where: SessionRecord.Column.id.equals(ada.session.id.rawValue)
                )
            }
        }
        typealias Column = SessionRecord.Column
        for (time, isTrusted) in [(Duration.seconds(60), true), (.seconds(61), false), (Self.year, false)] {
            try await set(Column.levelAt, ahead: time)
            #expect(try await fixture.auth.session(ada.tokens.sessionToken).level == (isTrusted ? 2 : 1), "\(time)")
            try await set(Column.lastSeenAt, ahead: time)
            #expect(try await fixture.auth.session(ada.tokens.sessionToken).level == (isTrusted ? 2 : 1), "\(time)")
            try await set(Column.lastSeenAt, ahead: .zero)
            try await set(Column.authenticatedAt, ahead: time)
            let session = try await fixture.auth.session(ada.tokens.sessionToken)
            #expect(session.isRecent == isTrusted, "\(time)")
            if isTrusted {
                try await session.requireRecentLogin()
            } else {
                await expectError(.requiresRecentLogin) { try await session.requireRecentLogin() }
            }
        }
        #expect(try await fixture.record(of: ada.session).level == 2)
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all)
    func `what began more than an hour in the future has expired`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        for (time, isTrusted) in [(Duration.seconds(3599), true), (.seconds(3700), false), (Self.year, false)] {
            let name = "\(time)"
            let email = "ada\(time.components.seconds)@example.com"
            _ = try await fixture.auth.createAccount(email: email, password: "correct horse battery")
            let (opened, attempt, conflict) = try await ahead(fixture, by: time) {
                try await fixture.auth.sendPasswordReset(to: email)
                let opened = try await fixture.signIn(as: name)
                let attempt = try await fixture.auth.begin(.signIn, with: .google)
                try await fixture.signIn(as: name, with: .apple)
                let conflict = await expectError(.credentialAlreadyInUse) {
                    try await fixture.link(name, with: .apple, in: opened.session)
                }
                return (opened, attempt, conflict)
            }
            let reset = try #require(fixture.mail.token(.resetPassword))
            let pending = try #require(conflict?.pendingCredential)
            let operations: [(String, AuthError.Code, () async throws -> Void)] = [
                ("session", .userTokenExpired, { _ = try await fixture.auth.session(opened.tokens.sessionToken) }),
                (
                    "refresh", .userTokenExpired,
                    {
                        _ = try await fixture.auth.refresh(opened.tokens.refreshToken)
                    }
                ),
                (
                    "attempt", .missingOrInvalidNonce,
                    {
                        let token = fixture.token(of: attempt, as: "y\(name)", with: .google)
                        _ = try await fixture.auth.signIn(with: .idToken(token, attempt: attempt.token))
                    }
                ),
                (
                    "pending credential", .invalidCredential,
                    {
                        _ = try await fixture.auth.signIn(with: .pending(pending)).get()
                    }
                ),
                (
                    "reset", .invalidCredential,
                    {
                        _ = try await fixture.auth.resetPassword(token: reset, to: "another horse battery")
                    }
                ),
            ]
            for (operation, code, run) in operations {
                do {
                    try await run()
                    #expect(isTrusted, "\(operation), \(time)")
                } catch let error as AuthError {
                    #expect(!isTrusted && error.code == code, "\(operation), \(time): \(error)")
                }
            }
        }
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all)
    func `a lock of second factors and a stored response of the future have no effect`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let now = StoreTime(fixture.clock.now)
        var account = try #require(try await fixture.row(ada.account.id))
        account.factorLockedUntil = now + FactorLock.longest + .seconds(3600)
        #expect(account.factorLock(at: now) != nil)
        account.factorLockedUntil = now + FactorLock.longest + .seconds(3601)
        #expect(account.factorLock(at: now) == nil)
        let linked = try await ahead(fixture, by: .seconds(3700)) {
            let recent = try await fixture.reauthenticate("ada", in: ada.session)
            return try await fixture.link("a", with: .apple, in: recent.session, idempotencyKey: "k")
        }
        // The time of the login moves back from the future.
        await expectError(.requiresRecentLogin) { try await linked.session.unlink(fromProvider: .apple) }
        let session = try await fixture.reauthenticate("ada", in: linked.session).session
        await expectError(.noSuchProvider) {
            try await session.unlink(fromProvider: .facebook, idempotencyKey: "k")
        }
    }

    @Test(.rule("TIME-1", "R-PRM-2"), arguments: StoreUnderTest.all)
    func `a sign-in of the future prevents no revocation, and a revocation of the future prevents no sign-in`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        func revoke() async throws { try await fixture.auth.revokeIdentity(providerID: .google, uid: "ada") }
        let ada = try await ahead(fixture) { try await fixture.signIn(as: "ada").account.id }
        try await revoke()
        #expect(try await fixture.auth.account(ada).usableSignInMethods.isEmpty)
        try await ahead(fixture) { try await revoke() }
        #expect(try await fixture.signIn(as: "ada").account.usableSignInMethods.count == 1)
        // A later revocation counts again, for attempts that began before.
        try await ahead(fixture) { try await revoke() }
        let before = try await fixture.credential(as: "ada", with: .google)
        try await revoke()
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: before).get() }
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all)
    func `a use of a session corrects the expiry that a use in the future has written`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let guest = try await fixture.auth.signInAnonymously()
        let far = StoreTime(fixture.clock.now) + Self.year * 9
        typealias Column = SessionRecord.Column
        for session in [ada.session, guest.session] {
            try await fixture.read { transaction in
                _ = try transaction.tables.rows.update(
                    SessionRecord.self,
                    set: Column.idleExpiresAt.becomes(far),
                    Column.expiresAt.becomes(far),
                    where: Column.id.equals(session.id.rawValue)
                )
            }
        }
        fixture.clock.advance(by: .seconds(60))
        for tokens in [ada.tokens, guest.tokens] { _ = try await fixture.auth.session(tokens.sessionToken) }
        let (now, policy) = (StoreTime(fixture.clock.now), fixture.auth.policy)
        #expect(try await fixture.record(of: ada.session).idleExpiresAt == now + policy.sessions.idle)
        let lifetime = max(policy.linking.anonymousLifetime, policy.sessions.absolute)
        let record = try await fixture.record(of: guest.session)
        #expect(record.expiresAt == now + lifetime && record.idleExpiresAt <= record.expiresAt)
        let device = try await fixture.read { transaction in
            let found: SessionFamilyRecord? = try transaction.tables.rows.first(
                where: SessionFamilyRecord.Column.id.equals(record.familyID)
            )
            return try #require(found)
        }
        #expect(device.expiresAt == record.expiresAt)
    }

    @Test(.rule("TIME-1", "S-FIX-1"), arguments: StoreUnderTest.all)
    func `a previous token that was issued in the future has expired`(_ store: StoreUnderTest) async throws {
        var fixture = try await AuthFixture(store.make())
        fixture.use(SessionPolicy(tokenLifetime: .seconds(1000)))
        for (time, isTrusted) in [(Duration.zero, true), (.seconds(3700), false)] {
            let ada = try await fixture.signIn(as: "ada")
            let token = try await ahead(fixture, by: time) { [fixture] in
                let token = try await fixture.auth.refresh(ada.tokens.refreshToken).tokens.sessionToken
                try await fixture.reauthenticate("ada", in: fixture.auth.session(token))
                return token
            }
            if isTrusted {
                _ = try await fixture.auth.session(token)
            } else {
                await expectError(.userTokenExpired) { try await fixture.auth.session(token) }
            }
        }
    }

    @Test(.rule("TIME-1", "EVENT-2"), arguments: StoreUnderTest.all)
    func `an event that was postponed in the future is delivered, and one of a slightly fast clock waits`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        for (time, delivered) in [(Self.year, 1), (.seconds(60), 0)] {
            try await fixture.read { try $0.audit.record("account.created", account: nil) }
            try await ahead(fixture, by: time) {
                let delivery = try await fixture.auth.deliverWaitingEvents { _ in throw CancellationError() }
                #expect(delivery == EventDelivery(failed: 1))
            }
            #expect(try await fixture.auth.deliverWaitingEvents { _ in }.delivered == delivered)
        }
    }
}
