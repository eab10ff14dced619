// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Texts from clients are limited before they reach a store: PostgreSQL accepts index rows of at most 2,704 bytes.
@Suite struct BoundTests {
    private static func text(_ count: Int) -> String { String((0..<count).map { Character("abcdefghij".utf8At($0)) }) }

    @Test(.rule("BOUND-1"), arguments: StoreUnderTest.all)
    func `a subject has at most 255 bytes`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let longest = try await fixture.signIn(as: Self.text(255))
        #expect(longest.account.providerData.first?.uid.utf8.count == 255)
        let longer = try await fixture.credential(as: Self.text(256), with: .google)
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: longer).get() }
        let none = try await fixture.credential(as: "", with: .google)
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: none).get() }
        // Names given by an operator have the same limit.
        let alias = String(repeating: "é", count: 127)
        try await fixture.auth.addAlias(alias + "a", to: Self.text(255), providerID: .google)
        await expectError(.invalidCredential) {
            try await fixture.auth.addAlias(alias + "é", to: Self.text(255), providerID: .google)
        }
        await expectError(.invalidCredential) {
            try await fixture.auth.rekey(providerID: .google, from: Self.text(255), to: Self.text(256))
        }
    }

    @Test(.rule("BOUND-1"), arguments: StoreUnderTest.all)
    func `an e-mail address has at most 254 bytes, whatever its source`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let domain = [63, 63, 61].map(Self.text).joined(separator: ".")
        let longest = Self.text(64) + "@" + domain
        #expect(longest.utf8.count == 254)
        let made = try await fixture.auth.createAccount(email: longest, password: "correct horse")
        #expect(made.account.email == longest)
        await expectError(.invalidEmail) {
            try await fixture.auth.createAccount(email: longest + "a", password: "correct horse")
        }
        await expectError(.invalidEmail) { try await fixture.auth.sendPasswordReset(to: longest + "a") }
        await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: longest + "a", password: "correct horse")).get()
        }
        // An address in a token that is too long is ignored, and the login succeeds.
        #expect(try await fixture.signIn(as: "bob", email: longest + "a").account.email == nil)
    }

    @Test(.rule("BOUND-1"), arguments: StoreUnderTest.all)
    func `idempotency keys, devices and names may have any length, and are stored with a limited one`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let origin = RequestOrigin(address: nil, device: String(repeating: "\u{10FFFF}e\u{301}", count: 30_000))
        let credential = try await fixture.credential(as: "ada", with: .google, email: "ada@example.com")
        let ada = try await fixture.auth.signIn(with: credential, from: origin).get()
        #expect(try #require(ada.session.device).utf8.count <= 2000)
        let key = Self.text(100_000)
        let linked = try await fixture.link("ada", with: .apple, in: ada.session, idempotencyKey: key)
        #expect(linked.outcome == .linked)
        #expect(try await fixture.read { try $0.tables.rows.all(IdempotencyRecord.self).map(\.key.count) } == [32])
        let (_, enrolled) = try await fixture.enrolApp(linked.session, name: Self.text(100_000))
        #expect(enrolled.factor.displayName?.utf8.count == 100)
        let keys = try await fixture.read { try $0.tables.rows.all(BudgetRecord.self).map(\.key.utf8.count) }
        #expect(keys.allSatisfy { $0 <= 64 })
    }

    @Test(.rule("BOUND-1"), arguments: StoreUnderTest.all)
    func `a lookup with a value of any length finds nothing`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let long = Self.text(100_000)
        await expectError(.operationNotAllowed) { try await fixture.auth.begin(.signIn, with: ProviderID(long)) }
        await expectError(.userNotFound) { try await fixture.auth.account(AccountID(rawValue: long)) }
        await expectError(.userNotFound) { try await fixture.auth.account(providerID: .google, uid: long) }
        await expectError(.noSuchProvider) { try await ada.session.unlink(fromProvider: .google, uid: long) }
        #expect(try await !ada.session.signOut(SessionID(rawValue: long)))
        await expectError(.invalidUserToken) { try await fixture.auth.session(long) }
        await expectError(.missingOrInvalidNonce) {
            try await fixture.auth.signIn(with: .idToken("", attempt: long)).get()
        }
        await expectError(.invalidCredential) {
            try await fixture.auth.signIn(with: .pending(PendingCredential(token: long, providerID: .google))).get()
        }
        await expectError(.invalidVerificationID) {
            try await fixture.auth.signIn(with: .phone(verificationID: long, code: long)).get()
        }
        await expectError(.invalidMultiFactorSession) { try await fixture.auth.resolver(for: long) }
    }

    @Test func `a token provider cannot be named password or phone`() async throws {
        await #expect(processExitsWith: .failure) {
            _ = try AuthFixture.providers(named: .password)
        }
        await #expect(processExitsWith: .failure) {
            _ = try AuthFixture.providers(named: .phone)
        }
        #expect(try AuthFixture.providers(named: ProviderID("passwords")).enabled.map(\.id.rawValue) == ["passwords"])
    }

    @Test(.rule("BOUND-1")) func `the name of a provider has at most 64 bytes`() async throws {
        let name = ProviderID(Self.text(64))
        let fixture = try await AuthFixture(InMemoryAccountStore()) { providers in
            providers.append(.openID(name, issuer: "https://issuer.example", clientID: "client"))
        }
        _ = try await fixture.auth.begin(.signIn, with: name)
        await #expect(processExitsWith: .failure) {
            _ = try AuthFixture.providers(named: ProviderID(String(repeating: "a", count: 65)))
        }
    }
}

extension String {
    /// Returns the ASCII character at an index, starting over at the end.
    fileprivate func utf8At(_ index: Int) -> UnicodeScalar {
        UnicodeScalar(Array(utf8)[index % utf8.count])
    }
}
