// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct PasswordHashTests {
    private static let cost = PasswordCost(log2: 4)

    @Test func `a password hash round-trips as text, and matches only its password`() throws {
        let cost = try #require(Self.cost)
        let hash = PasswordHash("correct horse", cost: cost)
        let read = try #require(PasswordHash(text: hash.text))
        #expect(read.text == hash.text && hash.text.utf8.count <= 200)
        #expect(read.matches("correct horse"))
        #expect(!read.matches("correct horsf") && !read.matches("") && !PasswordHash.ofNobody(cost: cost).matches(""))
        #expect(PasswordHash("correct horse", cost: cost).text != hash.text)
        #expect(!"\(hash)\(String(reflecting: hash))".contains("$"))
        // The decomposed form of the same letters has other bytes.
        #expect(!PasswordHash("e\u{301}", cost: cost).matches("\u{e9}"))
    }

    @Test(arguments: [
        ("$scrypt$", "$argon2$"), ("ln=4", "ln=0"), ("ln=4", "ln=64"), ("ln=4", "ln="), ("ln=4", "n=4"),
        ("r=8", "r=-8"), ("p=1", "p=99999999999999999999"), (",p=1", ""), ("$scrypt", "scrypt"), ("$ln", "$$ln"),
    ])
    func `a malformed hash text is refused`(part: String, other: String) throws {
        let text = PasswordHash("correct horse", cost: try #require(Self.cost)).text
        let damaged = try #require(text.range(of: part)).lowerBound
        let end = text.index(damaged, offsetBy: part.count)
        #expect(PasswordHash(text: text.replacingCharacters(in: damaged..<end, with: other)) == nil)
    }

    @Test func `a truncated or extended hash text is refused`() throws {
        let text = PasswordHash("correct horse", cost: try #require(Self.cost)).text
        for count in 0..<text.count { #expect(PasswordHash(text: String(text.prefix(count))) == nil) }
        #expect(PasswordHash(text: text + "$") == nil && PasswordHash(text: text + "=") == nil)
        #expect(PasswordHash(text: text + String(repeating: "A", count: 200)) == nil)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a damaged password hash refuses sign-ins until a reset replaces it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let right = AuthCredential.password(email: "ada@example.com", password: "correct horse")
        _ = try await fixture.auth.createAccount(email: "ada@example.com", password: "correct horse")
        try await fixture.read { transaction in
            try transaction.tables.rows.update(PasswordRecord.self, set: PasswordRecord.Column.hash.becomes("$scrypt$"))
            return
        }
        await expectError(.wrongPassword) { try await fixture.auth.signIn(with: right).get() }
        try await fixture.auth.sendPasswordReset(to: "ada@example.com")
        let token = try #require(fixture.mail.token(.resetPassword))
        try await fixture.auth.resetPassword(token: token, to: "correct horse")
        _ = try await fixture.auth.signIn(with: right).get()
    }

    @Test(.rule("R-ANO-2"), arguments: StoreUnderTest.all)
    func `a password can be an anonymous account's first login`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let begun = try await fixture.auth.signInAnonymously()
        fixture.clock.advance(by: .seconds(3600))
        await expectError(.invalidEmail) { try await begun.session.setPassword("correct horse") }
        _ = try await fixture.auth.createAccount(email: "bob@example.com", password: "correct horse")
        await expectError(.emailAlreadyInUse) {
            try await begun.session.setPassword("correct horse", email: "bob@example.com")
        }
        let set = try await begun.session.setPassword("correct horse", email: "ada@example.com")
        #expect(set.outcome == .upgraded && !set.account.isAnonymous && set.account.id == begun.account.id)
        #expect(set.session.methods == [AuthenticationMethod(name: "pwd", at: fixture.clock.now)])
        #expect(try await fixture.audit("account.upgraded") == 1)
        await expectError(.invalidUserToken) { try await fixture.auth.session(begun.tokens.sessionToken) }
        _ = try await fixture.auth.session(set.tokens.sessionToken)
        let result = try await fixture.auth.signIn(with: .password(email: "ada@example.com", password: "correct horse"))
            .get()
        #expect(result.account.id == begun.account.id)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }
}
