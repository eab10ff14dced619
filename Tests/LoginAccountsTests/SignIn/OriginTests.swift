// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The origin of requests: what is stored about it, and the limits per network.
@Suite struct OriginTests {
    private static let password = "correct horse battery"
    private static let home = RequestOrigin(address: "192.0.2.7", device: "Ada's phone")
    private static let neighbour = RequestOrigin(address: "192.0.2.200")
    private static let elsewhere = RequestOrigin(address: "192.0.3.7")

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `a session lists the device and the network of its sign-in`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (auth, home) = (fixture.auth, Self.home)
        let sent = try await auth.sendPhoneCode(to: AuthFixture.phone, from: home)
        let byPhone = AuthCredential.phone(verificationID: sent.id, code: try fixture.lastCode())
        let results = [
            try await auth.signIn(with: fixture.credential(as: "ada", with: .google), from: home).get(),
            try await auth.signInAnonymously(from: home),
            try await auth.createAccount(email: "ada@example.com", password: Self.password, from: home),
            try await auth.signIn(with: .password(email: "ada@example.com", password: Self.password), from: home).get(),
            try await auth.signIn(with: byPhone, from: home).get(),
        ]
        for result in results {
            let found = try await result.session.sessions().first { $0.isCurrent }
            #expect(found?.device == "Ada's phone" && found?.addressPrefix == "192.0.2.0/24")
        }
    }

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `password attempts are limited per network and minute, whatever the addresses`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.passwords.attemptsPerNetworkAndMinute = 3
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let made = try await fixture.auth.createAccount(email: "ada@example.com", password: Self.password)
        let right = AuthCredential.password(email: "ada@example.com", password: Self.password)
        for (number, origin) in [Self.home, Self.neighbour, Self.home].enumerated() {
            let guess = AuthCredential.password(email: "person\(number)@example.com", password: Self.password)
            await expectError(.wrongPassword) { try await fixture.auth.signIn(with: guess, from: origin).get() }
        }
        let error = await expectError(.tooManyRequests) {
            try await fixture.auth.signIn(with: right, from: Self.neighbour).get()
        }
        #expect(try #require(error?.retryAfter) <= .seconds(60))
        // Reauthentication is limited too, since it allows guessing as well.
        await expectError(.tooManyRequests) {
            try await made.session.reauthenticate(with: right, from: Self.home)
        }
        _ = try await fixture.auth.signIn(with: right, from: Self.elsewhere).get()
        _ = try await fixture.auth.signIn(with: right).get()
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.auth.signIn(with: right, from: Self.home).get()
    }

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `requests for messages are limited per network and hour`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy()
        policy.passwords.messagesPerNetworkAndHour = 2
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let auth = fixture.auth
        for number in 1...2 {
            let email = "person\(number)@example.com"
            _ = try await auth.createAccount(email: email, password: Self.password, from: Self.home)
            try await auth.sendPasswordReset(to: email, from: Self.neighbour)
        }
        await expectError(.tooManyRequests) {
            try await auth.createAccount(email: "ada@example.com", password: Self.password, from: Self.neighbour)
        }
        await expectError(.tooManyRequests) {
            try await auth.sendPasswordReset(to: "ada@example.com", from: Self.home)
        }
        #expect(fixture.mail.messages.count == 4)
        fixture.clock.advance(by: .milliseconds(3_599_999))
        await expectError(.tooManyRequests) {
            try await auth.sendPasswordReset(to: "ada@example.com", from: Self.home)
        }
        fixture.clock.advance(by: .milliseconds(1))
        _ = try await auth.createAccount(email: "ada@example.com", password: Self.password, from: Self.home)
        try await auth.sendPasswordReset(to: "ada@example.com", from: Self.home)
    }

    @Test(.rule("LIMIT-1", "R-ANO-1"), arguments: StoreUnderTest.all)
    func `new anonymous accounts are limited per network and hour`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy()
        policy.linking.anonymousPerNetworkAndHour = 2
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let auth = fixture.auth
        let first = try await auth.signInAnonymously(from: Self.home)
        _ = try await auth.signInAnonymously(from: Self.neighbour)
        await expectError(.tooManyRequests) { try await auth.signInAnonymously(from: Self.home) }
        // Continuing a session creates no account.
        _ = try await auth.signInAnonymously(continuing: first.session, from: Self.home)
        _ = try await auth.signInAnonymously(from: Self.elsewhere)
        #expect(try await fixture.count(AccountRecord.self) == 3)
    }

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `attempts at a sent code are limited per network and minute`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy()
        policy.factors.attemptsPerAddressAndMinute = 2
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let sent = try await fixture.auth.sendPhoneCode(to: AuthFixture.phone)
        let wrong = AuthCredential.phone(verificationID: sent.id, code: try fixture.notSent())
        for _ in 1...2 {
            await expectError(.invalidVerificationCode) {
                try await fixture.auth.signIn(with: wrong, from: Self.home).get()
            }
        }
        let right = AuthCredential.phone(verificationID: sent.id, code: try fixture.lastCode())
        await expectError(.tooManyRequests) { try await fixture.auth.signIn(with: right, from: Self.neighbour).get() }
        _ = try await fixture.auth.signIn(with: right, from: Self.elsewhere).get()
    }
}
