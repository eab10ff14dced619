// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct EmailMatchingTests {
    private static let email = "ada@example.com"
    private static let password = "correct horse battery"

    private static func policy(_ matching: LinkPolicy.EmailMatching, oneAccount: Bool = true) -> AuthPolicy {
        AuthPolicy(linking: LinkPolicy(emailMatching: matching, oneAccountPerEmail: oneAccount))
    }

    @Test(.rule("S-EML-1", "R-LNK-6", "S-PRE-1"), arguments: StoreUnderTest.all)
    func `by default a login is not linked by its e-mail address`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: Self.email)
        _ = try await fixture.auth.createAccount(email: "bob@example.com", password: Self.password)
        await expectError(.accountExistsWithDifferentCredential) {
            try await fixture.signIn(as: "x", with: .apple, email: Self.email)
        }
        let bob = try await fixture.signIn(as: "y", with: .apple, email: "bob@example.com")
        #expect(bob.outcome == .created && bob.account.providerData.map(\.uid) == ["y"])
        #expect(try await fixture.auth.account(ada.account.id).providerData.count == 1)
        #expect(try await fixture.count(AccountRecord.self) == 3)
    }

    @Test(.rule("R-LNK-6"), arguments: StoreUnderTest.all)
    func `the policy may allow several accounts with one e-mail address`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.never, oneAccount: false))
        let first = try await fixture.signIn(as: "ada", email: Self.email)
        let second = try await fixture.signIn(as: "x", with: .apple, email: Self.email)
        #expect(first.account.id != second.account.id)
        #expect(second.outcome == .created)
    }

    @Test(.rule("S-EML-1", "S-EML-5"), arguments: StoreUnderTest.all)
    func `a login is linked by its e-mail address if both sides have verified it`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.verifiedBoth))
        let ada = try await fixture.signIn(as: "ada", email: Self.email)
        fixture.clock.advance(by: .seconds(1))
        let joined = try await fixture.signIn(as: "x", with: .apple, email: "Ada@EXAMPLE.com")
        #expect(joined.account.id == ada.account.id)
        #expect(joined.outcome == .linked)
        #expect(joined.account.providerData.map(\.providerID) == [.google, .apple])
    }

    @Test(.rule("S-EML-1", "S-EML-5", "S-PRE-5"), arguments: StoreUnderTest.all)
    func `a login is not linked by its e-mail address if one side has not verified it`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.verifiedBoth))
        try await fixture.signIn(as: "ada", email: Self.email)
        // Not verified by the provider, or verified by a provider that is not trusted.
        await expectError(.accountExistsWithDifferentCredential) {
            try await fixture.signIn(as: "x", with: .apple, email: Self.email, isVerified: false)
        }
        await expectError(.accountExistsWithDifferentCredential) {
            let credential = try await fixture.credential(as: "1", with: .facebook, email: Self.email) {
                $0.claims["email_verified"] = true
            }
            return try await fixture.auth.signIn(with: credential).get()
        }
        // The account's own address is not verified.
        let made = try await fixture.auth.createAccount(email: "bob@example.com", password: Self.password)
        let bob = try await fixture.signIn(as: "bob", email: "bob@example.com")
        #expect(bob.outcome == .created && bob.account.id != made.account.id)
        #expect(try await fixture.count(AccountRecord.self) == 3)
        #expect(try await fixture.count(IdentityRecord.self) == 3)
    }

    @Test(.rule("S-PRE-5"), arguments: StoreUnderTest.all)
    func `a provider is trusted to verify addresses of the configured domains only`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make()) { providers in
            providers[0].emailTrust = .verifiedClaim(domains: ["Example.COM"])
        }
        #expect(try await fixture.signIn(as: "1", email: Self.email).account.isEmailVerified)
        #expect(try await !fixture.signIn(as: "2", email: "ada@sub.example.com").account.isEmailVerified)
        #expect(try await !fixture.signIn(as: "3", email: "ada@example.org").account.isEmailVerified)
        #expect(try await !fixture.signIn(as: "4", email: "eve@example.com", isVerified: false).account.isEmailVerified)
    }

    @Test(.rule("S-EML-3"), arguments: StoreUnderTest.all)
    func `relay addresses, and addresses with a plus or with dots, match no account`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.verifiedBoth))
        try await fixture.signIn(as: "1", email: Self.email)
        let relay = "x@privaterelay.appleid.com"
        try await fixture.signIn(as: "2", email: relay)
        var accounts = try await [
            fixture.signIn(as: "3", with: .apple, email: relay).account.id,
            fixture.signIn(as: "4", with: .apple, email: "ada+1@example.com").account.id,
            fixture.signIn(as: "5", with: .apple, email: "a.da@example.com").account.id,
        ]
        let hidden = try await fixture.credential(as: "6", with: .apple, email: Self.email) {
            $0.claims["is_private_email"] = "true"
        }
        accounts.append(try await fixture.auth.signIn(with: hidden).get().account.id)
        #expect(Set(accounts).count == 4)
        #expect(try await fixture.count(AccountRecord.self) == 6)
    }

    @Test(.rule("S-EML-4"), arguments: StoreUnderTest.all)
    func `another user of the same provider with the same address is refused`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.verifiedBoth))
        let old = try await fixture.signIn(as: "old", email: Self.email)
        await expectError(.accountExistsWithDifferentCredential) {
            try await fixture.signIn(as: "new", email: Self.email)
        }
        #expect(try await fixture.auth.account(old.account.id).providerData.map(\.uid) == ["old"])
    }

    @Test(.rule("R-MFA-9", "R-SIG-6"), arguments: StoreUnderTest.all)
    func `a login is linked by address to an account with a second factor only after that factor`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.verifiedBoth))
        let ada = try await fixture.signIn(as: "ada", email: Self.email)
        try await fixture.addFactor(to: ada.account.id)
        await expectError(.secondFactorRequired) {
            try await fixture.signIn(as: "x", with: .apple, email: Self.email)
        }
        #expect(try await fixture.count(IdentityRecord.self) == 1)
    }

    @Test(.rule("S-PRE-1", "S-PRE-2", "S-PRE-4"), arguments: StoreUnderTest.all)
    func `a login that verifies the address takes over the account, and all earlier access is removed`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.evictUnverified))
        let squatter = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let id = squatter.account.id
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let victim = try await fixture.signIn(as: "ada", email: Self.email)
        #expect(victim.account.id == id)
        #expect(victim.outcome == .linked)
        #expect(victim.account.providerData.map(\.uid) == ["ada"])
        #expect(victim.account.enrolledFactors.isEmpty)
        #expect(victim.account.isEmailVerified)
        await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
        await expectError(.invalidUserToken) { try await squatter.session.sendEmailVerification() }
        for message in fixture.mail.messages {
            await expectError(.invalidCredential) {
                if message.kind == .resetPassword {
                    try await fixture.auth.resetPassword(token: message.token, to: "another horse")
                } else {
                    _ = try await victim.session.verifyEmail(token: message.token)
                }
            }
        }
        #expect(try await fixture.audit("policy.evicted") == 1)
    }

    @Test(.rule("S-PRE-1", "S-PRE-3", "S-PRE-7"), arguments: StoreUnderTest.all)
    func `an account with more than an unverified password is not taken over`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.evictUnverified))
        let facebook = try await fixture.signIn(as: "1", with: .facebook, email: "one@example.com")
        let both = try await fixture.auth.createAccount(email: "two@example.com", password: Self.password)
        try await fixture.link("2", with: .facebook, in: both.session)
        let factor = try await fixture.auth.createAccount(email: "three@example.com", password: Self.password)
        try await fixture.addFactor(to: factor.account.id)
        for (email, owner) in [("one", facebook), ("two", both), ("three", factor)] {
            let prover = try await fixture.signIn(as: email, email: "\(email)@example.com")
            #expect(prover.outcome == .created && prover.account.id != owner.account.id)
            #expect(prover.account.providerData.map(\.uid) == [email] && prover.account.enrolledFactors.isEmpty)
            let left = try await fixture.auth.account(owner.account.id)
            #expect(left.providerData.count == owner.account.providerData.count + (email == "two" ? 1 : 0))
            #expect(left.email == nil)
        }
        #expect(try await fixture.auth.account(factor.account.id).enrolledFactors.count == 1)
        #expect(try await fixture.audit("policy.evicted") == 0)
        #expect(try await fixture.count(AccountRecord.self) == 6)
    }

    @Test(.rule("S-PRE-4"), arguments: StoreUnderTest.all)
    func `messages sent before a login was linked, or before the address changed, are void`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.verifiedBoth))
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let ada = try await made.session.verifyEmail(token: #require(fixture.mail.token(.verifyEmail)))
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let joined = try await fixture.signIn(as: "x", with: .apple, email: Self.email)
        #expect(joined.account.id == ada.account.id && joined.outcome == .linked)
        let reset = try #require(fixture.mail.token(.resetPassword))
        await expectError(.invalidCredential) {
            try await fixture.auth.resetPassword(token: reset, to: "another horse")
        }

        let bob = try await fixture.signIn(as: "bob", email: "bob@example.com")
        let set = try await bob.session.setPassword(Self.password, email: "bob@example.org")
        #expect(set.account.email == "bob@example.com")
        try await set.session.sendEmailVerification()
        let token = try #require(fixture.mail.token(.verifyEmail))
        #expect(try await fixture.signIn(as: "bob", email: "bob@example.com").account.email == "bob@example.com")
        #expect(try await fixture.count(ProofRecord.self) == 1)
        #expect(try await fixture.signIn(as: "bob").account.email == "bob@example.org")
        await expectError(.invalidCredential) { try await set.session.verifyEmail(token: token) }
    }

    @Test(.rule("S-PRE-1"), arguments: StoreUnderTest.all)
    func `an account with a verified address is not taken over`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: Self.policy(.evictUnverified))
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let token = try #require(fixture.mail.token(.verifyEmail))
        _ = try await made.session.verifyEmail(token: token)
        fixture.clock.advance(by: .seconds(1))
        let joined = try await fixture.signIn(as: "ada", email: Self.email)
        #expect(joined.account.id == made.account.id)
        #expect(joined.account.providerData.map(\.providerID) == [.password, .google])
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        #expect(try await fixture.audit("policy.evicted") == 0)
    }
}
