// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// A client that never received a response can continue with its old tokens.
@Suite struct LostAnswerTests {
    private typealias Operation = @Sendable (AuthFixture, Session) async throws -> AuthDataResult

    /// The operations that do not change the rights of a session.
    private static let operations: [(name: String, run: Operation)] = [
        ("link", { fixture, session in try await fixture.link("ada-f", with: .facebook, in: session) }),
        ("unlink", { _, session in try await session.unlink(fromProvider: .apple) }),
        (
            "merge",
            { fixture, session in
                let old = try await fixture.signIn(as: "old", with: .facebook)
                return try await fixture.auth.merge(from: old.session, into: session)
            }
        ),
    ]

    /// Creates a user with two logins, and the tokens of a session that has been used.
    private static func prepare(_ store: StoreUnderTest) async throws -> (AuthFixture, SessionTokens) {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.signIn(as: "ada")
        try await fixture.link("ada-a", with: .apple, in: first.session)
        let tokens = try await fixture.signIn(as: "ada").tokens
        _ = try await fixture.auth.session(tokens.sessionToken)
        return (fixture, tokens)
    }

    @Test(.rule("S-RFR-3", "SS-10"), arguments: StoreUnderTest.all, ["link", "unlink", "merge"])
    func `after a lost response the old tokens remain valid until the new ones are used`(
        _ store: StoreUnderTest,
        _ name: String
    ) async throws {
        let operation = try #require(Self.operations.first { $0.name == name })
        let (fixture, old) = try await Self.prepare(store)
        let lost = try await operation.run(fixture, fixture.auth.session(old.sessionToken))
        #expect(lost.tokens.sessionToken != old.sessionToken && lost.tokens.refreshToken != old.refreshToken)
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await fixture.auth.session(old.sessionToken).id == lost.session.id)
        let found = try await fixture.auth.refresh(old.refreshToken)
        #expect(found.tokens.sessionToken == lost.tokens.sessionToken)
        #expect(found.tokens.refreshToken == lost.tokens.refreshToken)
        #expect(try await fixture.auth.session(old.sessionToken).id == lost.session.id)
        _ = try await fixture.auth.session(lost.tokens.sessionToken)
        await expectError(.invalidUserToken) { try await fixture.auth.session(old.sessionToken) }
        #expect(try await fixture.audit("refresh.reused") == 0)
        _ = try await fixture.auth.session(lost.tokens.sessionToken)
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(old.refreshToken) }
        #expect(try await fixture.audit("refresh.reused") == 1)
        await expectError(.invalidUserToken) { try await fixture.auth.session(lost.tokens.sessionToken) }
    }

    @Test(.rule("S-RFR-3"), arguments: StoreUnderTest.all, ["link", "unlink", "merge"])
    func `old tokens are refused once the new ones are used, and close the session only after 30 seconds`(
        _ store: StoreUnderTest,
        _ name: String
    ) async throws {
        let operation = try #require(Self.operations.first { $0.name == name })
        let (fixture, old) = try await Self.prepare(store)
        let new = try await operation.run(fixture, fixture.auth.session(old.sessionToken)).tokens
        _ = try await fixture.auth.session(new.sessionToken)
        await expectError(.invalidUserToken) { try await fixture.auth.session(old.sessionToken) }
        fixture.clock.advance(by: .milliseconds(29_900))
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(old.refreshToken) }
        _ = try await fixture.auth.session(new.sessionToken)
        fixture.clock.advance(by: .milliseconds(100))
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(old.refreshToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.session(new.sessionToken) }
    }

    @Test(.rule("S-RFR-3"), arguments: StoreUnderTest.all)
    func `after two lost responses the old tokens remain valid, and those in between are not`(_ store: StoreUnderTest)
        async throws
    {
        let (fixture, old) = try await Self.prepare(store)
        let first = try await fixture.link("ada-f", with: .facebook, in: fixture.auth.session(old.sessionToken))
        let second = try await fixture.auth.session(old.sessionToken).unlink(fromProvider: .apple)
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await fixture.auth.session(old.sessionToken).id == second.session.id)
        // The tokens in between were never presented, and are not valid.
        await expectError(.invalidUserToken) { try await fixture.auth.session(first.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(first.tokens.refreshToken) }
        let found = try await fixture.auth.refresh(old.refreshToken)
        #expect(found.tokens.refreshToken == second.tokens.refreshToken)
        _ = try await fixture.auth.session(found.tokens.sessionToken)
    }

    @Test(.rule("IDEMPOTENCY-1", "S-RFR-3"), arguments: StoreUnderTest.all)
    func `a request repeated with the old tokens after a lost response returns the new tokens`(_ store: StoreUnderTest)
        async throws
    {
        let (fixture, old) = try await Self.prepare(store)
        let session = try await fixture.auth.session(old.sessionToken)
        let credential = try await fixture.credential(as: "ada-f", with: .facebook, for: .link(session))
        let lost = try await session.link(with: credential, idempotencyKey: "k")
        fixture.clock.advance(by: .seconds(86_399))
        let again = try await fixture.auth.session(old.sessionToken).link(with: credential, idempotencyKey: "k")
        #expect(again.outcome == .linked)
        #expect(again.tokens.sessionToken == lost.tokens.sessionToken)
        #expect(again.tokens.refreshToken == lost.tokens.refreshToken)
        // After the new token was presented, the old one is no longer valid for a repeated request.
        let held = try await fixture.auth.session(old.sessionToken)
        _ = try await fixture.auth.session(again.tokens.sessionToken)
        await expectError(.invalidUserToken) { try await held.link(with: credential, idempotencyKey: "k") }
        await expectError(.invalidUserToken) { try await fixture.auth.session(old.sessionToken) }
    }

    @Test(.rule("R-ANO-4", "S-RFR-3", "R-LNK-4"), arguments: StoreUnderTest.all)
    func `an operation that changes nothing keeps the tokens`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let guest = try await fixture.auth.signInAnonymously()
        for _ in 1...3 {
            let session = try await fixture.auth.session(guest.tokens.sessionToken)
            let again = try await fixture.auth.signInAnonymously(continuing: session)
            #expect(again.tokens.sessionToken == guest.tokens.sessionToken)
            #expect(again.tokens.refreshToken == guest.tokens.refreshToken)
            fixture.clock.advance(by: .seconds(3600))
        }
        _ = try await fixture.auth.refresh(guest.tokens.refreshToken)
        let ada = try await fixture.signIn(as: "ada")
        let known = try await fixture.link("ada", with: .google, in: fixture.auth.session(ada.tokens.sessionToken))
        #expect(known.outcome == .alreadyLinked)
        #expect(known.tokens.sessionToken == ada.tokens.sessionToken)
        #expect(try await fixture.audit("session.extended") == 0)
    }

    @Test(.rule("S-FIX-1"), arguments: StoreUnderTest.all)
    func `a previous token has neither the level nor the authentication that the session gained since`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let begin = ada.session.authenticatedAt
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .seconds(600))
        let raised = try await fixture.rotate(ada.session, level: 2)
        let before = try await fixture.auth.session(ada.tokens.sessionToken)
        #expect(before.level == 1 && before.authenticatedAt == begin && !before.isRecent)
        #expect(!before.methods.map(\.name).contains("otp"))
        await expectError(.secondFactorRequired) {
            try await fixture.auth.session(ada.tokens.sessionToken, requiring: 2)
        }
        await expectError(.requiresRecentLogin) { try await before.requireRecentLogin() }
        await expectError(.requiresRecentLogin) { try await before.unlink(fromProvider: .google) }
        let new = try await fixture.auth.session(raised.sessionToken, requiring: 2)
        #expect(new.level == 2 && new.isRecent)
        // The new tokens were presented.
        await expectError(.invalidUserToken) { try await before.sessions() }
        await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
    }

    @Test(.rule("S-FIX-1"), arguments: StoreUnderTest.all)
    func `a refresh with a previous token removes the rights that the session gained since`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(600))
        let raised = try await fixture.rotate(ada.session, level: 2)
        fixture.clock.advance(by: .seconds(30))
        let refreshed = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(refreshed.tokens.sessionToken == raised.sessionToken)
        let session = try await fixture.auth.session(raised.sessionToken)
        for session in [refreshed.session, session] {
            #expect(session.level == 1 && session.authenticatedAt == ada.session.authenticatedAt && !session.isRecent)
        }
        // Any operation with the previous token returns tokens with the rights of that token.
        let again = try await fixture.rotate(session, level: 2)
        let held = try await fixture.auth.session(raised.sessionToken)
        let credential = try await fixture.credential(as: "ada", with: .google, for: .reauthenticate(held))
        let proven = try await held.reauthenticate(with: credential)
        #expect(proven.session.level == 1 && proven.session.isRecent)
        #expect(proven.tokens.sessionToken != again.sessionToken)
        await expectError(.invalidUserToken) { try await fixture.auth.session(again.sessionToken) }
    }

    @Test(.rule("S-FIX-1", "R-ANO-2"), arguments: StoreUnderTest.all)
    func `an anonymous account's tokens are revoked at once when it gets a login, and the user can sign in`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        for isMerged in [false, true] {
            let guest = try await fixture.auth.signInAnonymously()
            let session = try await fixture.auth.session(guest.tokens.sessionToken)
            let subject = isMerged ? "old" : "ada"
            let result: AuthDataResult
            if isMerged {
                result = try await fixture.auth.merge(from: fixture.signIn(as: subject).session, into: session)
            } else {
                result = try await fixture.link(subject, with: .google, in: session)
            }
            await expectError(.invalidUserToken) { try await fixture.auth.session(guest.tokens.sessionToken) }
            // It may be the user, whose response was lost: nothing is closed, however late it is.
            fixture.clock.advance(by: .seconds(86_400))
            await expectError(.invalidUserToken) { try await fixture.auth.refresh(guest.tokens.refreshToken) }
            _ = try await fixture.auth.session(result.tokens.sessionToken)
            await expectError(.invalidUserToken) { try await fixture.auth.refresh(guest.tokens.refreshToken) }
            await expectError(.invalidUserToken) { try await fixture.auth.session(result.tokens.sessionToken) }
            #expect(try await fixture.signIn(as: subject).account.id == guest.account.id)
        }
    }

    @Test(.rule("S-RFR-3", "SS-6"), arguments: StoreUnderTest.all)
    func `a previous token keeps its own expiry`(_ store: StoreUnderTest) async throws {
        var fixture = try await AuthFixture(store.make())
        fixture.use(SessionPolicy(tokenLifetime: .seconds(1000)))
        let ada = try await fixture.signIn(as: "ada")
        let session = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.set((StoreTime(ada.tokens.expiresAt) - .milliseconds(2)).date)
        let credential = try await fixture.credential(as: "ada", with: .google, for: .reauthenticate(session))
        let lost = try await session.reauthenticate(with: credential)
        fixture.clock.advance(by: .milliseconds(1))
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .milliseconds(1))
        await expectError(.userTokenExpired) { try await fixture.auth.session(ada.tokens.sessionToken) }
        let found = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(found.tokens.refreshToken == lost.tokens.refreshToken)
    }

    @Test(.rule("S-FIX-1"), arguments: StoreUnderTest.all)
    func `a session that was read earlier has only the rights of its token`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let held = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .seconds(600))
        let credential = try await fixture.credential(as: "ada", with: .google, for: .reauthenticate(held))
        let proven = try await held.reauthenticate(with: credential)
        try await proven.session.requireRecentLogin()
        await expectError(.requiresRecentLogin) { try await held.requireRecentLogin() }
        await expectError(.requiresRecentLogin) { try await held.unlink(fromProvider: .google) }
        _ = try await held.sessions()
        _ = try await fixture.auth.session(proven.tokens.sessionToken)
        await expectError(.invalidUserToken) { try await held.sessions() }
        try await proven.session.requireRecentLogin()
    }

    @Test(.rule("S-FIX-1", "S-RFR-1"), arguments: StoreUnderTest.all)
    func `a session that was read before a refresh remains valid until the rights change`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let held = try await fixture.auth.session(ada.tokens.sessionToken)
        let refreshed = try await fixture.auth.refresh(ada.tokens.refreshToken)
        _ = try await fixture.auth.session(refreshed.tokens.sessionToken)
        _ = try await held.sessions()
        let raised = try await fixture.rotate(refreshed.session, level: 2)
        await expectError(.invalidUserToken) { try await held.sessions() }
        #expect(try await refreshed.session.sessions().map(\.level) == [2])
        _ = try await fixture.auth.session(raised.sessionToken, requiring: 2)
        await expectError(.invalidUserToken) { try await refreshed.session.sessions() }
    }

    @Test(.rule("S-FIX-1", "SS-6"), arguments: StoreUnderTest.all)
    func `a session that was read expires with the token that it was read with`(_ store: StoreUnderTest) async throws {
        var fixture = try await AuthFixture(store.make())
        fixture.use(SessionPolicy(tokenLifetime: .seconds(1000)))
        let ada = try await fixture.signIn(as: "ada")
        let held = try await fixture.auth.session(ada.tokens.sessionToken)
        let refreshed = try await fixture.auth.refresh(ada.tokens.refreshToken)
        fixture.clock.advance(by: .milliseconds(29_999))
        _ = try await held.sessions()
        fixture.clock.advance(by: .milliseconds(1))
        await expectError(.invalidUserToken) { try await held.sessions() }
        fixture.clock.set((StoreTime(refreshed.tokens.expiresAt) - .milliseconds(2)).date)
        _ = try await refreshed.session.sessions()
        fixture.clock.advance(by: .milliseconds(3))
        await expectError(.userTokenExpired) { try await refreshed.session.sessions() }
        await expectError(.userTokenExpired) { try await fixture.auth.session(refreshed.tokens.sessionToken) }
    }

    @Test(.rule("S-FIX-1", "SS-2"), arguments: StoreUnderTest.all)
    func `a session resumed with a previous token has the authentication of that token`(_ store: StoreUnderTest)
        async throws
    {
        for showsNew in [false, true] {
            let fixture = try await AuthFixture(store.make())
            let ada = try await fixture.signIn(as: "ada")
            _ = try await fixture.auth.session(ada.tokens.sessionToken)
            fixture.clock.advance(by: .seconds(600))
            let raised = try await fixture.rotate(ada.session, level: 2)
            try await fixture.auth.session(ada.tokens.sessionToken).closeKeepingTokens()
            let token = showsNew ? raised.refreshToken : ada.tokens.refreshToken
            let resumed = try await fixture.auth.resume(token)
            #expect(resumed.session.level == 1)
            #expect((resumed.session.authenticatedAt == ada.session.authenticatedAt) == !showsNew)
            #expect(resumed.session.methods.map(\.name).contains("otp") == showsNew)
        }
    }

    /// The operations that close other sessions, including those that use a copy of the tokens.
    private static let shuttingOut: [Operation] = [
        { _, session in try await session.setPassword("correct horse", email: "ada@example.com") },
        { _, session in try await session.setPassword("another horse") },
        { fixture, session in
            try await session.sendEmailVerification()
            return try await session.verifyEmail(token: #require(fixture.mail.token(.verifyEmail)))
        },
        { _, session in try await session.unlink(fromProvider: .google, closingOtherSessions: true) },
    ]

    @Test(.rule("S-FIX-1", "SS-10"), arguments: StoreUnderTest.all)
    func `an operation that closes other sessions revokes the previous tokens at once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        var last = try await fixture.signIn(as: "ada").tokens
        for operation in Self.shuttingOut {
            let old = last
            let held = try await fixture.auth.session(old.sessionToken)
            last = try await operation(fixture, held).tokens
            await expectError(.invalidUserToken) { try await fixture.auth.session(old.sessionToken) }
            await expectError(.invalidUserToken) { try await fixture.auth.refresh(old.refreshToken) }
            await expectError(.invalidUserToken) { try await held.sessions() }
            #expect(try await fixture.audit("refresh.reused") == 0)
        }
        _ = try await fixture.auth.session(last.sessionToken)
    }
}
