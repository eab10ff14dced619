// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct ProofBindingTests {
    @Test(.rule("S-BND-4", "S-BND-5"), arguments: StoreUnderTest.all)
    func `a token is verified at every sign-in, even if its claims are unchanged`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "ada", email: "ada@example.com")
        let attempt = try await fixture.auth.begin(.signIn, with: .google)
        let forged = fixture.token(of: attempt, as: "ada", with: .google, email: "ada@example.com") {
            $0.signing = .key(.another)
        }
        let error = await expectError(.invalidCredential) {
            try await fixture.auth.signIn(with: .idToken(forged, attempt: attempt.token)).get()
        }
        #expect(error?.refusal?.code == .signature)
        #expect(try await fixture.count(SessionRecord.self) == 1)
    }

    @Test(.rule("S-BND-3", "R-SIG-1"), arguments: StoreUnderTest.all)
    func `a subject has at most 255 bytes, and is compared byte for byte`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let longest = String(repeating: "s", count: 255)
        let first = try await fixture.signIn(as: longest)
        await expectError(.invalidCredential) { try await fixture.signIn(as: longest + "s") }
        await expectError(.invalidCredential) { try await fixture.signIn(as: "") }
        let upper = try await fixture.signIn(as: longest.uppercased())
        #expect(upper.account.id != first.account.id)
        #expect(try await fixture.signIn(as: longest).account.id == first.account.id)
    }

    @Test(.rule("S-DER-1"), arguments: StoreUnderTest.all)
    func `the second factors of an account are looked up at every sign-in`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let account = try await fixture.signIn(as: "ada").account.id
        try await fixture.addFactor(to: account)
        await expectError(.secondFactorRequired) { try await fixture.signIn(as: "ada") }
        try await fixture.read { try $0.factors.removeAll(of: account) }
        #expect(try await fixture.signIn(as: "ada").session.level == 1)
    }

    @Test(.rule("R-PDA-5"), arguments: StoreUnderTest.all)
    func `an anonymous account lists no login and no sign-in method`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let id = try await fixture.read { try $0.accounts.create(isAnonymous: true).id }
        let account = try await fixture.auth.account(id)
        #expect(account.isAnonymous)
        #expect(account.providerData.isEmpty)
        #expect(account.signInMethods.isEmpty)
    }

    @Test(arguments: StoreUnderTest.all)
    func `an additional subject signs in to the same identity`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.signIn(as: "old")
        try await fixture.read { transaction in
            guard let identity = try transaction.identities.find(.google, "old") else { return }
            let key = IdentityKeyRecord(
                providerID: .google,
                subject: "new",
                identityID: identity.id,
                createdAt: transaction.now
            )
            try transaction.tables.rows.add(key)
        }
        let again = try await fixture.signIn(as: "new")
        #expect(again.account.id == made.account.id)
        #expect(again.account.providerData.map(\.uid) == ["old"])
    }
}
