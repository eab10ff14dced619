// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct PasswordTests {
    private static let email = "ada@example.com"
    private static let password = "correct horse battery"

    @Test(.rule("R-PDA-4", "R-SIG-2"), arguments: StoreUnderTest.all)
    func `an address and a password create an account, and sign in to it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: " Ada@Example.com\n", password: Self.password)
        #expect(made.outcome == .created)
        #expect(made.account.providerData.map(\.providerID) == [.password])
        #expect(made.account.email == Self.email)
        #expect(!made.account.isEmailVerified)
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        #expect(result.account.id == made.account.id)
        #expect(result.outcome == .signedIn)
        #expect(fixture.mail.messages.map(\.kind) == [.verifyEmail])
    }

    @Test(.rule("S-ENU-1"), arguments: StoreUnderTest.all)
    func `a wrong password and an unknown address have the same error and take one hash each`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let before = fixture.auth.passwordHashing.startedJobs
        let wrong = await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password + ".")).get()
        }
        // Both take equally long, since each computes one hash.
        #expect(fixture.auth.passwordHashing.startedJobs == before + 1)
        let unknown = await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: "bob@example.com", password: Self.password)).get()
        }
        #expect(fixture.auth.passwordHashing.startedJobs == before + 2)
        #expect(wrong?.description == unknown?.description)
        #expect(wrong?.publicMessage == unknown?.publicMessage)
    }

    @Test(.rule("S-ENU-1"), arguments: StoreUnderTest.all)
    func `a reset request for an address without a password succeeds and sends nothing`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "bob", email: "bob@example.com")
        for email in ["nobody@example.com", "bob@example.com"] {
            try await fixture.auth.sendPasswordReset(to: email)
        }
        #expect(fixture.mail.messages.isEmpty)
        await expectError(.invalidEmail) { try await fixture.auth.sendPasswordReset(to: "ada") }
    }

    @Test(.rule("S-PRE-2", "S-PRE-4"), arguments: StoreUnderTest.all)
    func `a password reset closes all sessions, and its token works once`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let token = try #require(fixture.mail.token(.resetPassword))
        await expectError(.weakPassword) { try await fixture.auth.resetPassword(token: token, to: "short") }
        try await fixture.auth.resetPassword(token: token, to: "another horse")
        await expectError(.invalidCredential) {
            try await fixture.auth.resetPassword(token: token, to: "a third horse")
        }
        await expectError(.invalidUserToken) { try await made.session.sendEmailVerification() }
        await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(result.account.isEmailVerified)
        // The other message to the same user is revoked.
        let old = try #require(fixture.mail.token(.verifyEmail))
        await expectError(.invalidCredential) { try await result.session.verifyEmail(token: old) }
    }

    @Test(.rule("S-PRE-2"), arguments: StoreUnderTest.all)
    func `a reset token expires after half an hour`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let token = try #require(fixture.mail.token(.resetPassword))
        fixture.clock.advance(by: .seconds(1800))
        await expectError(.invalidCredential) {
            try await fixture.auth.resetPassword(token: token, to: "another horse")
        }
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let next = try #require(fixture.mail.token(.resetPassword))
        fixture.clock.advance(by: .seconds(1799))
        try await fixture.auth.resetPassword(token: next, to: "another horse")
    }

    @Test(.rule("S-PRE-3"), arguments: StoreUnderTest.all)
    func `a reset separates the owner of the address from the logins and sessions of a stranger`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let linked = try await fixture.link("stranger", with: .google, in: made.session)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        try await fixture.auth.resetPassword(
            token: #require(fixture.mail.token(.resetPassword)),
            to: "another horse"
        )
        let victim = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        let stranger = try await fixture.signIn(as: "stranger")
        #expect(stranger.account.id != victim.account.id)
        #expect(try await fixture.isOpen(linked.session) == false)
        await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
    }

    @Test(.rule("S-PRE-6"), arguments: StoreUnderTest.all)
    func `a sign-up with an address that is in use is refused, and sends no message`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "ada", email: Self.email)
        _ = try await fixture.auth.createAccount(email: "bob@example.com", password: Self.password)
        let sent = fixture.mail.messages.count
        for email in [Self.email, "bob@example.com", "BOB@example.com"] {
            await expectError(.emailAlreadyInUse) {
                try await fixture.auth.createAccount(email: email, password: Self.password)
            }
        }
        #expect(fixture.mail.messages.count == sent)
        #expect(try await fixture.count(AccountRecord.self) == 2)
    }

    @Test(.rule("S-PRE-2", "S-PRE-6"), arguments: StoreUnderTest.all)
    func `an address is verified in a session of its account, which closes the other sessions`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let second = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        let stranger = try await fixture.signIn(as: "stranger")
        let token = try #require(fixture.mail.token(.verifyEmail))
        await expectError(.invalidCredential) { try await stranger.session.verifyEmail(token: token) }
        let proven = try await second.session.verifyEmail(token: token)
        #expect(proven.account.isEmailVerified)
        #expect(proven.tokens.sessionToken != second.tokens.sessionToken)
        await expectError(.invalidUserToken) { try await first.session.sendEmailVerification() }
        await expectError(.invalidCredential) { try await proven.session.verifyEmail(token: token) }
    }

    @Test(arguments: StoreUnderTest.all)
    func `a password can be set with a recent login, and closes the other sessions`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.signIn(as: "ada", email: Self.email)
        let second = try await fixture.signIn(as: "ada", email: Self.email)
        fixture.clock.advance(by: .seconds(1))
        let changed = try await second.session.setPassword(Self.password)
        #expect(changed.account.providerData.map(\.providerID) == [.google, .password])
        #expect(changed.account.providerData.last?.isEmailVerified == true)
        await expectError(.invalidUserToken) { try await first.session.setPassword("another horse") }
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        #expect(result.account.id == first.account.id)
        fixture.clock.advance(by: .seconds(301))
        await expectError(.requiresRecentLogin) { try await result.session.setPassword("another horse") }
    }

    @Test func `a password has 8 to 1024 bytes, and is not an obvious one`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        let refused = [
            "1234567", "password", "PassWord", "aaaaaaaaaaaa", "abababababab", Self.email, "ada-lovelace",
            String(repeating: "ab9", count: 342),
        ]
        for password in refused {
            await expectError(.weakPassword) {
                try await fixture.auth.createAccount(
                    email: password == "ada-lovelace" ? "ada-lovelace@example.com" : Self.email,
                    password: password
                )
            }
        }
        for (number, password) in ["pässwor", "1928374x", String(repeating: "ab9c", count: 256)].enumerated() {
            let email = "person\(number)@example.com"
            _ = try await fixture.auth.createAccount(email: email, password: password)
            _ = try await fixture.auth.signIn(with: .password(email: email, password: password)).get()
        }
    }

    @Test(.rule("S-FOP-1"), arguments: StoreUnderTest.all)
    func `passwords are not available without a mail sender`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), mail: nil)
        await expectError(.operationNotAllowed) {
            try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        }
        await expectError(.operationNotAllowed) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
    }

    @Test(.rule("LIMIT-7"), arguments: StoreUnderTest.all)
    func `password attempts from another network do not lock the owner out`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let home = RequestOrigin(address: "192.0.2.1")
        let stranger = RequestOrigin(address: "198.51.100.1")
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password, from: home)
        let right = AuthCredential.password(email: Self.email, password: Self.password)
        for _ in 1...10 {
            await expectError(.wrongPassword) {
                try await fixture.auth.signIn(with: .password(email: Self.email, password: "wrong"), from: stranger)
                    .get()
            }
        }
        await expectError(.tooManyRequests) { try await fixture.auth.signIn(with: right, from: stranger).get() }
        _ = try await fixture.auth.signIn(with: right, from: home).get()
    }

    @Test(.rule("LIMIT-7"), arguments: StoreUnderTest.all)
    func `password attempts at one address are limited across networks`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy(passwords: PasswordPolicy(attemptsPerAddress: 2))
        policy.passwords.attemptsPerAddressFromUnknownNetworks = 3
        let fixture = try await AuthFixture(store.make(), policy: policy)
        for network in 1...4 {
            let origin = RequestOrigin(address: "192.0.\(network).1")
            await expectError(network <= 3 ? .wrongPassword : .tooManyRequests) {
                try await fixture.auth.signIn(with: .password(email: Self.email, password: "wrong"), from: origin).get()
            }
        }
    }

    @Test(.rule("LIMIT-7"), arguments: StoreUnderTest.all)
    func `a correct password neither counts as an attempt nor resets the count of wrong ones`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(passwords: .init(attemptsPerAddress: 2)))
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let (right, wrong) = (
            AuthCredential.password(email: Self.email, password: Self.password),
            AuthCredential.password(email: Self.email, password: "wrong one")
        )
        await expectError(.wrongPassword) { try await fixture.auth.signIn(with: wrong).get() }
        for _ in 1...4 { _ = try await fixture.auth.signIn(with: right).get() }
        await expectError(.wrongPassword) { try await fixture.auth.signIn(with: wrong).get() }
        await expectError(.tooManyRequests) { try await fixture.auth.signIn(with: right).get() }
    }

    @Test(arguments: StoreUnderTest.all)
    func `an address allows ten password attempts in 15 minutes`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for _ in 1...10 {
            await expectError(.wrongPassword) {
                try await fixture.auth.signIn(with: .password(email: Self.email, password: "wrong one")).get()
            }
        }
        let error = await expectError(.tooManyRequests) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
        #expect(try #require(error?.retryAfter) <= .seconds(900))
        fixture.clock.advance(by: .seconds(901))
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
    }

    @Test(arguments: StoreUnderTest.all)
    func `a hash of a lower cost is replaced after a sign-in with the correct password`(_ store: StoreUnderTest)
        async throws
    {
        var fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        fixture.auth.policy.passwords.cost = try #require(PasswordCost(log2: 5))
        await expectError(.wrongPassword) { [fixture] in
            try await fixture.auth.signIn(with: .password(email: Self.email, password: "wrong one")).get()
        }
        let hash = { [fixture] in
            try await fixture.read { try $0.tables.rows.first(PasswordRecord.self)?.hash }
        }
        #expect(try await hash()?.hasPrefix("$scrypt$ln=4,r=8,p=1$") == true)
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        #expect(try await hash()?.hasPrefix("$scrypt$ln=5,r=8,p=1$") == true)
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
    }

    @Test(arguments: StoreUnderTest.all)
    func `a mail failure does not fail a sign-up, and is reported to a request for verification`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        fixture.mail.fault = .fails
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        await expectError(.providerUnavailable) { try await made.session.sendEmailVerification() }
    }
}
