// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The operations that return the tokens of a session, the refresh token among them.
@Suite struct TokenDisclosureTests {
    private static let password = "correct horse battery"

    /// The holder of a session token that leaked: the session of an account with several logins and a pending message,
    /// an hour after the login.
    fileprivate struct Thief {
        let fixture: AuthFixture
        let session: Session
        let mailed: String

        init(_ store: any AccountStore) async throws {
            fixture = try await AuthFixture(store)
            let ada = try await fixture.signIn(as: "ada")
            try await fixture.link("ada-a", with: .apple, in: ada.session, idempotencyKey: "known")
            let changed = try await ada.session.setPassword(TokenDisclosureTests.password, email: "ada@example.com")
            try await changed.session.sendEmailVerification()
            mailed = try #require(fixture.mail.token(.verifyEmail))
            fixture.clock.advance(by: .seconds(600))
            session = try await fixture.auth.session(changed.tokens.sessionToken)
        }
    }

    /// The requirement of an operation besides the session token.
    private enum Condition: Equatable {
        /// The operation is refused without a recent login.
        case recentLogin
        /// The operation is refused without a further secret: a credential, a code, or a token that was mailed.
        case secret
    }

    private typealias Operation = @Sendable (Thief) async throws -> SessionTokens?

    /// All operations of a session that return tokens, called with nothing but the session.
    private static let operations: [(name: String, condition: Condition, code: AuthError.Code, run: Operation)] = [
        (
            "merge of a guest", .recentLogin, .requiresRecentLogin,
            { thief in
                let guest = try await thief.fixture.auth.signInAnonymously().session
                return try await thief.fixture.auth.merge(from: guest, into: thief.session).tokens
            }
        ),
        (
            "merge of another account", .recentLogin, .requiresRecentLogin,
            { thief in
                let own = try await thief.fixture.signIn(as: "eve", with: .facebook).session
                return try await thief.fixture.auth.merge(from: own, into: thief.session).tokens
            }
        ),
        (
            "merge with itself", .recentLogin, .requiresRecentLogin,
            { thief in
                try await thief.fixture.auth.merge(from: thief.session, into: thief.session).tokens
            }
        ),
        (
            "merge into an own account", .recentLogin, .requiresRecentLogin,
            { thief in
                let own = try await thief.fixture.signIn(as: "eve", with: .facebook).session
                return try await thief.fixture.auth.merge(from: thief.session, into: own).tokens
            }
        ),
        (
            "merge into a guest", .recentLogin, .requiresRecentLogin,
            { thief in
                let guest = try await thief.fixture.auth.signInAnonymously().session
                return try await thief.fixture.auth.merge(from: thief.session, into: guest).tokens
            }
        ),
        (
            "link", .recentLogin, .requiresRecentLogin,
            { thief in
                try await thief.fixture.link("eve", with: .facebook, in: thief.session).tokens
            }
        ),
        (
            "link of a login that the account has", .recentLogin, .requiresRecentLogin,
            { thief in
                try await thief.fixture.link("ada", with: .google, in: thief.session).tokens
            }
        ),
        (
            "request with a guessed idempotency key", .recentLogin, .requiresRecentLogin,
            { thief in
                try await thief.session.unlink(fromProvider: .apple, idempotencyKey: "guess").tokens
            }
        ),
        (
            "another request with a known idempotency key", .secret, .idempotencyMismatch,
            { thief in
                try await thief.session.unlink(fromProvider: .apple, idempotencyKey: "known").tokens
            }
        ),
        (
            "unlink", .recentLogin, .requiresRecentLogin,
            { thief in
                try await thief.session.unlink(fromProvider: .apple).tokens
            }
        ),
        (
            "a new password", .recentLogin, .requiresRecentLogin,
            { thief in
                try await thief.session.setPassword("another horse battery").tokens
            }
        ),
        (
            "enrolment of a factor", .recentLogin, .requiresRecentLogin,
            { thief in
                try await thief.fixture.enrolApp(thief.session).enrolled.tokens
            }
        ),
        (
            "reauthentication with a login of another account", .secret, .userMismatch,
            { thief in
                try await thief.fixture.reauthenticate("eve", in: thief.session).tokens
            }
        ),
        (
            "permissions of a login of another account", .secret, .userMismatch,
            { thief in
                let credential = try await thief.fixture.credential(
                    as: "eve",
                    with: .facebook,
                    for: .reauthenticate(thief.session)
                )
                return try await thief.session.reauthenticate(with: credential, requesting: [.email]).tokens
            }
        ),
        (
            "verification of the address", .secret, .invalidCredential,
            { thief in
                try await thief.session.verifyEmail(token: "guess").tokens
            }
        ),
        (
            "step-up", .secret, .multiFactorInfoNotFound,
            { thief in
                try await thief.session.stepUp(with: .totp("factor", code: "000000")).tokens
            }
        ),
    ]

    @Test(.rule("R-MRG-2", "S-FIX-3"), arguments: StoreUnderTest.all)
    func `no operation returns tokens for a session token alone, except to a guest`(_ store: StoreUnderTest)
        async throws
    {
        for (name, condition, code, run) in Self.operations {
            let thief = try await Thief(store.make())
            do {
                let tokens = try await run(thief)
                Issue.record("\(name) was accepted, \(tokens == nil ? "without" : "with") tokens")
            } catch let error as AuthError {
                #expect(error.code == code, "\(name)")
            }
            #expect(try await thief.fixture.isOpen(thief.session), "\(name)")
            // With what is missing, it succeeds. The others have tests of their own, as has a factor, which also requires a
            // verified address.
            guard condition == .recentLogin, name != "enrolment of a factor" else { continue }
            let recent = try await thief.fixture.reauthenticate("ada", in: thief.session)
            let owner = Thief(thief, session: recent.session)
            #expect(try await run(owner) != nil, "\(name)")
        }
        let thief = try await Thief(store.make())
        #expect(try await thief.session.verifyEmail(token: thief.mailed).outcome == .changed)
        // A guest has no login that could be recent: the session token is all that it has.
        let guest = try await thief.fixture.auth.signInAnonymously()
        thief.fixture.clock.advance(by: .seconds(600))
        let again = try await thief.fixture.auth.signInAnonymously(continuing: guest.session)
        #expect(again.tokens.refreshToken == guest.tokens.refreshToken)
        let other = try await thief.fixture.auth.signInAnonymously()
        let merged = try await thief.fixture.auth.merge(from: other.session, into: guest.session)
        #expect(merged.account.isAnonymous)
    }
}

extension TokenDisclosureTests.Thief {
    fileprivate init(_ thief: Self, session: Session) {
        (fixture, mailed, self.session) = (thief.fixture, thief.mailed, session)
    }
}
