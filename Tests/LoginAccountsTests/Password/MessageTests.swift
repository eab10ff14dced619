// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Messages for password resets and e-mail verification: how many are sent, and which tokens are valid.
@Suite struct MessageTests {
    private static let email = "ada@example.com"
    private static let password = "correct horse battery"
    private static let home = RequestOrigin(address: "192.0.2.1")

    private static func stranger(_ number: Int) -> RequestOrigin { RequestOrigin(address: "198.51.\(number).1") }

    /// Returns the tokens of this kind, in the order in which they were sent.
    private func tokens(_ fixture: AuthFixture, _ kind: EmailMessage.Kind) -> [String] {
        fixture.mail.messages.filter { $0.kind == kind }.map(\.token)
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `a stranger's requests do not void a reset message`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.home)
        let own = try #require(fixture.mail.token(.resetPassword))
        // Other clients request resets all the time; the user's message still stays valid for 25 of its 30 minutes.
        for number in 0..<5 {
            if number > 0 { fixture.clock.advance(by: .seconds(300)) }
            try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.stranger(number))
        }
        fixture.clock.advance(by: .milliseconds(299_999))
        try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.stranger(9))
        #expect(tokens(fixture, .resetPassword).count == 5)
        try await fixture.auth.resetPassword(token: own, to: "another horse")
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `the last five reset messages work, until one of them is used`(_ store: StoreUnderTest) async throws {
        let policy = AuthPolicy(passwords: PasswordPolicy(resetLifetime: .seconds(86400)))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        for used in 1...5 {
            let email = "ada\(used)@example.com"
            _ = try await fixture.auth.createAccount(email: email, password: Self.password)
            let before = tokens(fixture, .resetPassword).count
            for _ in 1...6 {
                try await fixture.auth.sendPasswordReset(to: email)
                fixture.clock.advance(by: .seconds(300))
            }
            let sent = Array(tokens(fixture, .resetPassword).dropFirst(before))
            #expect(sent.count == 6)
            await expectError(.invalidCredential) {
                try await fixture.auth.resetPassword(token: sent[0], to: "another horse")
            }
            try await fixture.auth.resetPassword(token: sent[used], to: "another horse")
            for token in sent {
                await expectError(.invalidCredential) {
                    try await fixture.auth.resetPassword(token: token, to: "a third horse")
                }
            }
        }
        #expect(try await fixture.count(ProofRecord.self, where: ProofRecord.Column.kind.equals("reset-password")) == 0)
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `each reset message has its own expiry`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for _ in 1...2 {
            try await fixture.auth.sendPasswordReset(to: Self.email)
            fixture.clock.advance(by: .seconds(900))
        }
        let sent = tokens(fixture, .resetPassword)
        await expectError(.invalidCredential) {
            try await fixture.auth.resetPassword(token: sent[0], to: "another horse")
        }
        fixture.clock.advance(by: .milliseconds(899_999))
        try await fixture.auth.resetPassword(token: sent[1], to: "another horse")
    }

    @Test(.rule("LIMIT-8", "S-ENU-1"), arguments: StoreUnderTest.all)
    func `an address receives one reset message per five minutes, and further requests succeed silently`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for number in 1...60 {
            try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.stranger(number))
            try await fixture.auth.sendPasswordReset(to: "nobody@example.com", from: Self.stranger(number))
        }
        #expect(tokens(fixture, .resetPassword).count == 1)
        for (milliseconds, count) in [(299_999, 1), (1, 2), (299_999, 2), (1, 3)] {
            fixture.clock.advance(by: .milliseconds(milliseconds))
            try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.home)
            #expect(tokens(fixture, .resetPassword).count == count)
        }
        // The limit is per address.
        _ = try await fixture.auth.createAccount(email: "bob@example.com", password: Self.password)
        try await fixture.auth.sendPasswordReset(to: "bob@example.com", from: Self.home)
        #expect(tokens(fixture, .resetPassword).count == 4)
    }

    @Test(.rule("LIMIT-8", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `the holder of an unverified account cannot void the reset messages to the address's owner`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let squatter = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.home)
        let changed = try await squatter.session.setPassword("a third horse")
        let token = try #require(fixture.mail.token(.resetPassword))
        try await fixture.auth.resetPassword(token: token, to: "another horse")
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        await expectError(.invalidUserToken) { try await changed.session.setPassword("a fourth horse") }
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `the next reset message can be requested as soon as one was used`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.home)
        try await fixture.auth.resetPassword(
            token: try #require(fixture.mail.token(.resetPassword)),
            to: "another horse"
        )
        for _ in 1...2 { try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.home) }
        #expect(tokens(fixture, .resetPassword).count == 2)
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `the policy sets the interval between messages to one address`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy()
        policy.passwords.messageInterval = .seconds(60)
        let fixture = try await AuthFixture(store.make(), policy: policy)
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for (seconds, count) in [(0, 1), (59, 1), (1, 2)] {
            fixture.clock.advance(by: .seconds(seconds))
            try await fixture.auth.sendPasswordReset(to: Self.email)
            #expect(tokens(fixture, .resetPassword).count == count)
        }
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `repeated sign-ups with one address send one verification message`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        for _ in 1...3 {
            let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
            try await fixture.auth.delete(made.account.id)
        }
        #expect(tokens(fixture, .verifyEmail).count == 1)
        // A signed-in user requests the message in the session.
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await made.session.sendEmailVerification()
        #expect(tokens(fixture, .verifyEmail).count == 2)
        let proven = try await made.session.verifyEmail(token: #require(fixture.mail.token(.verifyEmail)))
        #expect(proven.account.isEmailVerified)
    }

    @Test(.rule("LIMIT-8", "S-PRE-7"), arguments: StoreUnderTest.all)
    func `a reset message remains valid if its unverified account is deleted and created again`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let named = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.home)
        let own = try #require(fixture.mail.token(.resetPassword))
        try await fixture.auth.delete(named.account.id)
        await expectError(.invalidCredential) { try await fixture.auth.resetPassword(token: own, to: "another horse") }
        let again = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.resetPassword(token: own, to: "another horse")
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(result.account.id == again.account.id && result.account.isEmailVerified)
        #expect(try await !fixture.isOpen(again.session))
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `verifying the address, or deleting a verified account, voids the reset messages sent before`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let before = try #require(fixture.mail.token(.resetPassword))
        let proven = try await made.session.verifyEmail(token: #require(fixture.mail.token(.verifyEmail)))
        await expectError(.invalidCredential) {
            try await fixture.auth.resetPassword(token: before, to: "another horse")
        }
        fixture.clock.advance(by: .seconds(300))
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let after = try #require(fixture.mail.token(.resetPassword))
        try await fixture.auth.delete(proven.account.id)
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        await expectError(.invalidCredential) {
            try await fixture.auth.resetPassword(token: after, to: "another horse")
        }
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `a reset message sent before another login verified the address cannot change the password`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let named = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let before = try #require(fixture.mail.token(.resetPassword))
        try await fixture.auth.delete(named.account.id)
        let owner = try await fixture.signIn(as: "ada", email: Self.email)
        _ = try await owner.session.setPassword("another horse")
        await expectError(.invalidCredential) {
            try await fixture.auth.resetPassword(token: before, to: "a third horse")
        }
        _ = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
    }

    @Test(.rule("LIMIT-8", "S-PRE-8"), arguments: StoreUnderTest.all)
    func `a reset changes the password in place if another login of the account verifies the address`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let google = try await fixture.credential(
            as: "ada",
            with: .google,
            email: Self.email,
            for: .link(made.session)
        )
        let linked = try await made.session.link(with: google)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        try await fixture.auth.resetPassword(
            token: #require(fixture.mail.token(.resetPassword)),
            to: "another horse"
        )
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(result.account.id == linked.account.id && result.account.isEmailVerified)
        #expect(result.account.providerData.map(\.isEmailVerified) == [true, true])
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `verification messages are limited per network, across accounts`(_ store: StoreUnderTest)
        async throws
    {
        var passwords = PasswordPolicy()
        passwords.messagesPerNetworkAndHour = 3
        let policy = AuthPolicy(passwords: passwords)
        let fixture = try await AuthFixture(store.make(), policy: policy)
        for number in 1...2 {
            let made = try await fixture.auth.createAccount(email: "ada\(number)@example.com", password: Self.password)
            try await made.session.sendEmailVerification(from: Self.home)
            try await fixture.auth.delete(made.account.id)
        }
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await made.session.sendEmailVerification(from: Self.home)
        await expectError(.tooManyRequests) { try await made.session.sendEmailVerification(from: Self.home) }
        try await made.session.sendEmailVerification(from: Self.stranger(1))
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `an address receives at most 20 verification messages per hour, across accounts`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        for _ in 1...4 {
            let named = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
            for _ in 1...5 { try await named.session.sendEmailVerification() }
            try await fixture.auth.delete(named.account.id)
        }
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        await expectError(.tooManyRequests) { try await made.session.sendEmailVerification() }
        fixture.clock.advance(by: .seconds(3600))
        try await made.session.sendEmailVerification()
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `requests that name an e-mail address are limited per network and per account`(_ store: StoreUnderTest)
        async throws
    {
        var passwords = PasswordPolicy()
        passwords.messagesPerNetworkAndHour = 3
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(passwords: passwords))
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password, from: Self.home)
        var ada = try await fixture.signIn(as: "ada")
        for _ in 1...2 {
            await expectError(.emailAlreadyInUse) {
                try await ada.session.setPassword(Self.password, email: Self.email, from: Self.home)
            }
        }
        await expectError(.tooManyRequests) {
            try await ada.session.setPassword(Self.password, email: Self.email, from: Self.home)
        }
        for number in 1...8 {
            await expectError(.emailAlreadyInUse) {
                try await ada.session.setPassword(Self.password, email: Self.email, from: Self.stranger(number))
            }
        }
        await expectError(.tooManyRequests) {
            try await ada.session.setPassword(Self.password, email: Self.email, from: Self.stranger(9))
        }
        ada = try await fixture.signIn(as: "grace")
        var session = try await ada.session.setPassword(
            Self.password,
            email: "grace@example.com",
            from: Self.stranger(9)
        )
        .session
        // Naming the address that the password has reveals nothing, and is not counted.
        for _ in 1...11 {
            session = try await session.setPassword(Self.password, email: "grace@example.com", from: Self.home).session
        }
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `an account does not inherit the message limit of an earlier account with its address`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let named = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for _ in 1...5 { try await named.session.sendEmailVerification() }
        await expectError(.tooManyRequests) { try await named.session.sendEmailVerification() }
        try await fixture.auth.delete(named.account.id)
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await made.session.sendEmailVerification()
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `each verification message is valid until one of them is used`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for _ in 1...2 {
            fixture.clock.advance(by: .milliseconds(1))
            try await made.session.sendEmailVerification()
        }
        let sent = tokens(fixture, .verifyEmail)
        let proven = try await made.session.verifyEmail(token: sent[0])
        for token in sent {
            await expectError(.invalidCredential) { try await proven.session.verifyEmail(token: token) }
        }
    }

    @Test(.rule("LIMIT-8"), arguments: StoreUnderTest.all)
    func `a message that could not be sent does not count`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let before = try await fixture.count(ProofRecord.self)
        fixture.mail.fault = .fails
        try await fixture.auth.sendPasswordReset(to: Self.email)
        await expectError(.providerUnavailable) { try await made.session.sendEmailVerification() }
        #expect(try await fixture.count(ProofRecord.self) == before)
        fixture.mail.fault = nil
        try await fixture.auth.sendPasswordReset(to: Self.email)
        try await fixture.auth.resetPassword(token: #require(fixture.mail.token(.resetPassword)), to: "another horse")
    }

    @Test(.rule("LIMIT-8", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `of two concurrent requests one sends a message, and of two messages used concurrently one works`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for round in 1...5 {
            let before = tokens(fixture, .resetPassword).count
            for sent in 1...2 {
                let asking: [Race.Contender<Void>] = [
                    { try await one.sendPasswordReset(to: Self.email) },
                    { try await other.sendPasswordReset(to: Self.email) },
                ]
                let asked = await Race.run(asking)
                #expect(Race.refusals(asked) == [])
                #expect(tokens(fixture, .resetPassword).count == before + sent)
                fixture.clock.advance(by: .seconds(300))
            }
            let sent = Array(tokens(fixture, .resetPassword).dropFirst(before))
            let using: [Race.Contender<Void>] = [
                { try await one.resetPassword(token: sent[0], to: "horse \(round) of one") },
                { try await other.resetPassword(token: sent[1], to: "horse \(round) of two") },
            ]
            let used = await Race.run(using)
            #expect(Race.winners(used).count == 1)
            #expect(Race.refusals(used) == ["invalid-credential"])
        }
    }
}
