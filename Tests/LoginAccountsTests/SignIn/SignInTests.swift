// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct SignInTests {
    @Test(.rule("R-SIG-2"), arguments: StoreUnderTest.all)
    func `a new user gets an account and an identity`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let result = try await fixture.signIn(as: "ada", email: "ada@example.com")
        #expect(result.outcome == .created)
        #expect(result.isNewUser)
        #expect(result.account.providerData.map(\.uid) == ["ada"])
        #expect(result.account.email == "ada@example.com")
        #expect(result.account.isEmailVerified)
        #expect(!result.account.isAnonymous)
        #expect(result.session.accountID == result.account.id)
        #expect(try await fixture.count(AccountRecord.self) == 1)
        #expect(try await fixture.count(IdentityRecord.self) == 1)
    }

    @Test(.rule("R-SIG-1"), arguments: StoreUnderTest.all)
    func `a known login signs in to its account, whatever e-mail address it names`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let other = try await fixture.signIn(as: "bob", email: "bob@example.com")
        let again = try await fixture.signIn(as: "ada", email: "bob@example.com")
        #expect(again.account.id == first.account.id)
        #expect(again.account.id != other.account.id)
        #expect(again.outcome == .signedIn)
        #expect(!again.isNewUser)
    }

    @Test(.rule("R-SIG-4"), arguments: StoreUnderTest.all)
    func `a sign-in to a disabled account is refused, and does not change the account`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.signIn(as: "ada", email: "ada@example.com")
        try await fixture.disable(made.account.id)
        fixture.clock.advance(by: .seconds(60))
        let credential = try await fixture.credential(as: "ada", with: .google, email: "new@example.com")
        await expectError(.userDisabled) { try await fixture.auth.signIn(with: credential).get() }
        let account = try await fixture.auth.account(made.account.id)
        #expect(account.isDisabled)
        #expect(account.providerData == made.account.providerData)
        #expect(account.lastSignInAt == made.account.lastSignInAt)
        #expect(try await fixture.count(SessionRecord.self) == 1)
    }

    @Test(.rule("R-SIG-5"), arguments: StoreUnderTest.all)
    func `neither a sign-in nor a link overwrites the profile that the user has set`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let chosen = try await ada.session.updateProfile(displayName: "Countess")
        #expect(chosen.displayName == "Countess" && chosen.photoURL == nil)
        let describe = { (token: inout TestToken) in
            token.claims["name"] = "Ada L."
            token.claims["picture"] = "https://example.com/ada.png"
        }
        let again = try await fixture.auth.signIn(with: fixture.credential(as: "ada", with: .google, describe)).get()
        #expect(again.account.displayName == "Countess")
        #expect(again.account.photoURL == "https://example.com/ada.png")
        #expect(again.account.providerData.first?.displayName == "Ada L.")
        try await again.session.updateProfile(photoURL: "https://example.com/mine.png")
        let linked = try await again.session.link(
            with: fixture.credential(as: "ada-a", with: .apple, for: .link(again.session), describe)
        )
        #expect(linked.account.displayName == "Countess")
        #expect(linked.account.photoURL == "https://example.com/mine.png")
        #expect(try await fixture.audit("profile.changed") == 2)
        let longest = String(repeating: "é", count: 256)
        for (name, photo) in [("", nil), ("a\nb", nil), (longest + "a", nil), ("x", "http://example.com/x.png")] {
            await expectError(.invalidProfile) {
                try await linked.session.updateProfile(displayName: name, photoURL: photo)
            }
        }
        #expect(try await linked.session.updateProfile(displayName: longest).displayName == longest)
        // An update without a change is not recorded in the audit.
        #expect(try await linked.session.updateProfile(displayName: longest).displayName == longest)
        #expect(try await fixture.audit("profile.changed") == 3)
        try await linked.session.closeKeepingTokens()
        await expectError(.invalidUserToken) { try await linked.session.updateProfile(displayName: "Ada") }
    }

    @Test(.rule("R-SIG-5"), arguments: StoreUnderTest.all)
    func `a picture is renewed by the login that it came from, and by another only once that is unlinked`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        func signIn(_ provider: ProviderID, picture: String) async throws -> AuthDataResult {
            try await fixture.auth.signIn(
                with: fixture.credential(as: "ada", with: provider) { $0.claims["picture"] = .string(picture) }
            ).get()
        }
        let ada = try await signIn(.facebook, picture: "https://a.example/1?ext=1")
        try await fixture.link("ada", with: .google, in: ada.session)
        let renewed = try await signIn(.facebook, picture: "https://a.example/1?ext=2")
        #expect(renewed.account.photoURL == "https://a.example/1?ext=2")
        let other = try await signIn(.google, picture: "https://b.example/1")
        #expect(other.account.photoURL == "https://a.example/1?ext=2")
        try await other.session.unlink(fromProvider: .facebook)
        let left = try await signIn(.google, picture: "https://b.example/1")
        #expect(left.account.photoURL == "https://b.example/1")
        // The same picture, chosen, is the user's own.
        try await left.session.updateProfile(photoURL: "https://b.example/1")
        let chosen = try await signIn(.google, picture: "https://b.example/2")
        #expect(chosen.account.photoURL == "https://b.example/1")
    }

    @Test(arguments: StoreUnderTest.all)
    func `a profile can be changed at most a hundred times per hour`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        for number in 1...100 { try await ada.session.updateProfile(displayName: "\(number)") }
        await expectError(.tooManyRequests) { try await ada.session.updateProfile(displayName: "101") }
        #expect(try await fixture.auth.account(ada.account.id).displayName == "100")
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await ada.session.updateProfile(displayName: "101").displayName == "101")
    }

    @Test(.rule("R-SIG-5", "R-PDA-2"), arguments: StoreUnderTest.all)
    func `a sign-in updates its login, and the name and the picture that the account has from it`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.auth.signIn(
            with: fixture.credential(as: "ada", with: .google) { $0.claims["name"] = "Ada" }
        ).get()
        #expect(first.account.displayName == "Ada")
        fixture.clock.advance(by: .seconds(60))
        let second = try await fixture.auth.signIn(
            with: fixture.credential(as: "ada", with: .google) {
                $0.claims["name"] = "Ada L."
                $0.claims["picture"] = "https://example.com/ada.png"
            }
        ).get()
        #expect(second.account.displayName == "Ada L.")
        #expect(second.account.photoURL == "https://example.com/ada.png")
        let info = try #require(second.account.providerData.first)
        #expect(info.displayName == "Ada L.")
        #expect(info.linkedAt == first.account.providerData.first?.linkedAt)
        #expect(info.lastSignInAt == fixture.clock.now)
        #expect(second.account.lastSignInAt == fixture.clock.now)
    }

    @Test(.rule("R-SIG-6", "R-MFA-9"), arguments: StoreUnderTest.all)
    func `a sign-in changes nothing in the account before the second factor`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.signIn(as: "ada", email: "ada@example.com")
        try await fixture.addFactor(to: made.account.id)
        fixture.clock.advance(by: .seconds(60))
        let credential = try await fixture.credential(as: "ada", with: .google, email: "new@example.com")
        let resolver = try await expectSecondFactor { try await fixture.auth.signIn(with: credential) }
        #expect(resolver.hints.count == 1)
        let account = try await fixture.auth.account(made.account.id)
        #expect(account.providerData == made.account.providerData)
        #expect(account.lastSignInAt == made.account.lastSignInAt)
        #expect(account.email == "ada@example.com")
        #expect(try await fixture.count(SessionRecord.self) == 1)
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: credential).get() }
    }

    @Test(.rule("R-CON-4", "R-CON-5", "R-CON-2"), arguments: StoreUnderTest.all)
    func `a conflict consumes its attempt, and its pending credential is accepted once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let owner = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let credential = try await fixture.credential(as: "a.1", with: .apple, email: "ada@example.com")
        let conflict = try await expectConflict {
            try await fixture.auth.signIn(with: credential)
        }
        #expect(conflict.ownerID == owner.account.id)
        let pending = conflict.pendingCredential
        #expect(pending.email == "ada@example.com")
        #expect(pending.providerID == .apple)
        #expect(conflict.providers == [.google] && conflict.email == "ada@example.com")
        #expect(!conflict.description.contains(owner.account.id.rawValue))
        #expect("\(pending)".contains(pending.token) == false)
        // The conflict has consumed the attempt.
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: credential).get() }
        // It can be linked in a session opened afterwards.
        let session = try await fixture.signIn(as: "ada", email: "ada@example.com").session
        #expect(try await fixture.use(.pending(pending), for: .link(session)).subject == "a.1")
        await expectError(.invalidCredential) { try await fixture.use(.pending(pending), for: .link(session)) }
    }

    @Test(.rule("R-CON-2"), arguments: StoreUnderTest.all)
    func `a conflict tells the service the providers of the account's logins, each once`(_ store: StoreUnderTest)
        async throws
    {
        let policy = AuthPolicy(linking: LinkPolicy(identitiesPerProvider: .many))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let owner = try await fixture.signIn(as: "ada", email: "ada@example.com")
        try await fixture.link("ada-2", with: .google, in: owner.session)
        try await fixture.link("ada-f", with: .facebook, in: owner.session)
        let conflict = try await expectConflict {
            try await fixture.outcome(as: "a.1", with: .apple, email: "ada@example.com")
        }
        #expect(conflict.providers == [.google, .facebook])
    }

    @Test(.rule("R-CON-6", "S-BND-1"), arguments: StoreUnderTest.all)
    func `a pending credential cannot be linked in an older session, and expires after ten minutes`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let older = try await fixture.signIn(as: "ada", email: "ada@example.com").session
        fixture.clock.advance(by: .seconds(1))
        let conflict = try await expectConflict {
            try await fixture.outcome(as: "a.1", with: .apple, email: "ada@example.com")
        }
        let pending = conflict.pendingCredential
        await expectError(.invalidCredential) { try await fixture.use(.pending(pending), for: .link(older)) }
        await expectError(.invalidCredential) {
            try await fixture.use(.pending(pending), for: .reauthenticate(older))
        }
        fixture.clock.advance(by: .seconds(599))
        let session = try await fixture.signIn(as: "ada", email: "ada@example.com").session
        _ = try await fixture.use(.pending(pending), for: .link(session))
        let next = try await expectConflict {
            try await fixture.outcome(as: "a.1", with: .apple, email: "ada@example.com")
        }
        let late = next.pendingCredential
        fixture.clock.advance(by: .seconds(600))
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(late)).get() }
    }

    @Test(arguments: StoreUnderTest.all)
    func `an access token is accepted only with an ID token that contains its hash`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        // The example of OpenID Connect Core, appendix A.3.
        let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        func outcome(of accessToken: String, hash: TestJSON?) async throws -> AuthDataResult {
            let attempt = try await fixture.auth.begin(.signIn, with: .google)
            let token = fixture.token(of: attempt, as: "ada", with: .google) { $0.claims["at_hash"] = hash }
            let credential = AuthCredential.idToken(token, attempt: attempt.token, accessToken: accessToken)
            return try await fixture.auth.signIn(with: credential).get()
        }
        let hash: TestJSON = "77QmUPtjPfzWtF2AnpK9RQ"
        let result = try await outcome(of: accessToken, hash: hash)
        #expect(result.identity?.providerTokens?.accessToken == accessToken)
        let refused: [(String, TestJSON?)] = [("another token", hash), (accessToken, nil)]
        for (other, hash) in refused {
            let error = await expectError(.invalidCredential) { try await outcome(of: other, hash: hash) }
            #expect(error?.refusal?.code == .accessTokenHash && error?.description.contains(other) == false)
        }
        #expect(try await fixture.signIn(as: "ada").identity?.providerTokens == nil)
    }
}

extension AuthFixture {
    /// Adds a confirmed second factor to an account, without a known secret.
    func addFactor(to account: AccountID) async throws {
        try await read { transaction in
            let id = transaction.context.makeID()
            let sealed = transaction.factors.secrets.seal(
                [UInt8](repeating: 1, count: 20),
                factor: id,
                account: account
            )
            try transaction.tables.rows.add(
                FactorRecord(
                    id: id,
                    accountID: account,
                    kind: MultiFactorKind.totp.rawValue,
                    secret: sealed,
                    sealedWith: transaction.context.secrets.keyNumber(of: sealed),
                    confirmedAt: transaction.now,
                    createdAt: transaction.now
                )
            )
        }
    }
}
