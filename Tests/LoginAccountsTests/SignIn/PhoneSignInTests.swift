// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Codes sent to a phone to sign in with its number.
@Suite struct PhoneSignInTests {
    private static let number = AuthFixture.phone

    @Test(.rule("R-SIG-1", "R-SIG-2", "PHONE-1"), arguments: StoreUnderTest.all)
    func `a phone number creates an account, and signs in to it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let sent = try await fixture.auth.sendPhoneCode(to: "+1 415-555-0100")
        #expect(sent.expiresAt == fixture.clock.now + 300)
        #expect(sent.resendAt == fixture.clock.now + 30)
        let message = try #require(fixture.codes.messages.last)
        #expect(message.number == Self.number && message.purpose == .signIn)
        #expect(!"\(sent)\(String(reflecting: sent))\(message)".contains(sent.id))
        let first = try await fixture.auth.signIn(with: .phone(verificationID: sent.id, code: message.code)).get()
        #expect(first.outcome == .created)
        #expect(first.account.providerData.map(\.phoneNumber) == [Self.number])
        #expect(first.account.providerData.map(\.providerID) == [.phone])
        #expect(first.account.usableSignInMethods.count == 1)
        #expect(first.session.methods.map(\.name) == ["sms"])
        // The code is consumed, and its row deleted.
        await expectError(.invalidVerificationID) {
            try await fixture.auth.signIn(with: .phone(verificationID: sent.id, code: message.code)).get()
        }
        #expect(try await fixture.count(ProofRecord.self) == 0)
        fixture.clock.advance(by: .seconds(30))
        let second = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        #expect(second.outcome == .signedIn && second.account.id == first.account.id)
    }

    @Test(.rule("LIMIT-1", "LIMIT-4"), arguments: StoreUnderTest.all)
    func `a sent code allows five attempts, and no correct one afterwards`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        for (wrong, isLeft) in [(4, true), (5, false)] {
            let sent = try await fixture.auth.sendPhoneCode(to: Self.number)
            let (right, other) = (try fixture.lastCode(), try fixture.notSent())
            for _ in 1...wrong {
                await expectError(.invalidVerificationCode) {
                    try await fixture.auth.signIn(with: .phone(verificationID: sent.id, code: other)).get()
                }
            }
            let credential = AuthCredential.phone(verificationID: sent.id, code: right)
            if isLeft {
                _ = try await fixture.auth.signIn(with: credential).get()
            } else {
                await expectError(.invalidVerificationID) { try await fixture.auth.signIn(with: credential).get() }
            }
            fixture.clock.advance(by: .seconds(30))
        }
        #expect(try await fixture.count(AccountRecord.self) == 1)
    }

    @Test(.rule("LIMIT-4"), arguments: StoreUnderTest.all)
    func `of concurrent attempts at a code five are compared, and of concurrent correct ones one signs in`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let sent = try await fixture.auth.sendPhoneCode(to: Self.number)
        let (auth, other) = (Race.held(fixture.auth), try fixture.notSent())
        let guesses = await Race.run(8) {
            try await auth.signIn(with: .phone(verificationID: sent.id, code: other)).get()
        }
        #expect(Race.refusals(guesses).count { $0 == "invalid-verification-code" } == 5)
        #expect(Race.refusals(guesses).count { $0 == "invalid-verification-id" } == 3)
        fixture.clock.advance(by: .seconds(30))
        let credential = try await fixture.byPhone()
        let results = await Race.run(3) { try await auth.signIn(with: credential).get() }
        #expect(Race.winners(results).count == 1)
        #expect(Race.refusals(results) == ["invalid-verification-id", "invalid-verification-id"])
    }

    /// In SQLite and in memory there is one writer, which excludes deadlocks.
    @Test(arguments: StoreUnderTest.postgreSQL)
    func `an attempt at a code and a request for the next one lock in the same order, so that neither runs twice`(
        _ store: StoreUnderTest
    ) async throws {
        let pair = try await store.pair()
        let before = try await AuthFixture(pair.one)
        let sent = try await before.auth.sendPhoneCode(to: Self.number)
        let wrong = AuthCredential.phone(verificationID: sent.id, code: try before.notSent())
        before.clock.advance(by: .seconds(30))
        // The attempt has locked the code, and waits until the request needs it.
        let (locks, locked) = AsyncStream.makeStream(of: Void.self)
        let latch = Latch()
        let attempting = RecordingStore(pair.one) { statement in
            guard statement.hasPrefix("SELECT login_identity_key") else { return }
            locked.yield()
            latch.wait()
        }
        let requesting = RecordingStore(pair.other) { if $0 == "DELETE login_proof" { latch.open() } }
        let fixture = try await AuthFixture(attempting, other: requesting, clock: before.clock)
        async let attempt = expectError(.invalidVerificationCode) {
            try await fixture.auth.signIn(with: wrong).get()
        }
        for await _ in locks { break }
        _ = try await fixture.otherServer.sendPhoneCode(to: Self.number)
        _ = await attempt
        #expect(attempting.statements.count { $0 == "UPDATE login_proof" } == 1)
        #expect(requesting.statements.count { $0 == "DELETE login_proof" } == 1)
    }

    @Test(.rule("PHONE-1", "PHONE-2"), arguments: StoreUnderTest.all)
    func `a sent code expires after five minutes, and the next code voids it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let late = try await fixture.byPhone()
        fixture.clock.advance(by: .seconds(300))
        await expectError(.sessionExpired) { try await fixture.auth.signIn(with: late).get() }
        let first = try await fixture.byPhone()
        fixture.clock.advance(by: .seconds(30))
        let second = try await fixture.byPhone()
        await expectError(.invalidVerificationID) { try await fixture.auth.signIn(with: first).get() }
        fixture.clock.advance(by: .milliseconds(299_999))
        _ = try await fixture.auth.signIn(with: second).get()
    }

    @Test(.rule("PHONE-2", "LIMIT-7"), arguments: StoreUnderTest.all)
    func `requests from another network neither void a user's code nor use up their messages`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (home, elsewhere) = (RequestOrigin(address: "198.51.100.7"), RequestOrigin(address: "203.0.113.9"))
        let sent = try await fixture.auth.sendPhoneCode(to: Self.number, from: home)
        let code = try fixture.lastCode()
        for _ in 1...5 {
            _ = try await fixture.auth.sendPhoneCode(to: Self.number, from: elsewhere)
            fixture.clock.advance(by: .seconds(30))
        }
        await expectError(.quotaExceeded) { try await fixture.auth.sendPhoneCode(to: Self.number, from: elsewhere) }
        _ = try await fixture.auth.signIn(with: .phone(verificationID: sent.id, code: code), from: home).get()
        let next = try await fixture.auth.sendPhoneCode(to: Self.number, from: home)
        // The next code for the same network revokes the previous one.
        fixture.clock.advance(by: .seconds(30))
        let (old, last) = (try fixture.lastCode(), try await fixture.auth.sendPhoneCode(to: Self.number, from: home))
        await expectError(.invalidVerificationID) {
            try await fixture.auth.signIn(with: .phone(verificationID: next.id, code: old), from: home).get()
        }
        let right = try fixture.lastCode()
        _ = try await fixture.auth.signIn(with: .phone(verificationID: last.id, code: right), from: home).get()
    }

    @Test(.rule("PHONE-2"), arguments: StoreUnderTest.all)
    func `messages to one phone number are limited across networks`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.factors.sendsPerNumberFromAnywhere = 6
        let fixture = try await AuthFixture(store.make(), policy: policy)
        for network in 1...6 {
            let origin = RequestOrigin(address: "203.0.\(network).9")
            _ = try await fixture.auth.sendPhoneCode(to: Self.number, from: origin)
        }
        await expectError(.quotaExceeded) {
            try await fixture.auth.sendPhoneCode(to: Self.number, from: RequestOrigin(address: "203.0.7.9"))
        }
    }

    @Test(.rule("S-ENU-1", "PHONE-2"), arguments: StoreUnderTest.all)
    func `responses do not reveal whether a phone number has an account`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        let bob = try await fixture.auth.signIn(with: fixture.byPhone("+14155550101")).get()
        try await fixture.auth.disable(bob.account.id)
        fixture.clock.advance(by: .seconds(30))
        var answers: Set<String> = []
        for number in [Self.number, "+14155550101", "+14155550199"] {
            let sent = try await fixture.auth.sendPhoneCode(to: number)
            let wrong = try fixture.notSent(to: number)
            let error = await expectError(.invalidVerificationCode) {
                try await fixture.auth.signIn(with: .phone(verificationID: sent.id, code: wrong)).get()
            }
            let early = await expectError(.quotaExceeded) { try await fixture.auth.sendPhoneCode(to: number) }
            answers.insert("\(String(describing: error)) \(String(describing: early)) \(sent.id.utf8.count)")
            answers.insert("\(String(describing: early?.retryAfter))")
        }
        #expect(answers.count == 2)
        #expect(ada.account.id != bob.account.id)
        await expectError(.invalidPhoneNumber) { try await fixture.auth.sendPhoneCode(to: "4155550100") }
    }

    @Test(.rule("R-LNK-1", "R-LNK-9"), arguments: StoreUnderTest.all)
    func `a code is valid only for its purpose, and in the session that requested it`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (ada, eve) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "eve"))
        let toSignIn = try await fixture.byPhone()
        await expectError(.invalidVerificationID) { try await ada.session.link(with: toSignIn) }
        fixture.clock.advance(by: .seconds(30))
        let toLink = try await fixture.byPhone(for: .link(ada.session))
        #expect(fixture.codes.messages.map(\.purpose) == [.signIn, .link])
        await expectError(.invalidVerificationID) { try await fixture.auth.signIn(with: toLink).get() }
        await expectError(.invalidVerificationID) { try await eve.session.link(with: toLink) }
        await expectError(.invalidVerificationID) { try await ada.session.reauthenticate(with: toLink) }
        let linked = try await ada.session.link(with: toLink)
        #expect(linked.outcome == .linked && linked.account.providerData.map(\.providerID) == [.google, .phone])
        let result = try await fixture.auth.signIn(with: toSignIn).get()
        #expect(result.account.id == ada.account.id)
        fixture.clock.advance(by: .seconds(301))
        await expectError(.requiresRecentLogin) { try await linked.session.requireRecentLogin() }
        let again = try await fixture.byPhone(for: .reauthenticate(linked.session))
        #expect(fixture.codes.messages.last?.purpose == .reauthentication)
        let proven = try await linked.session.reauthenticate(with: again)
        try await proven.session.requireRecentLogin()
    }

    @Test(.rule("R-CON-4", "R-LNK-5"), arguments: StoreUnderTest.all)
    func `linking a phone number of another account is a conflict with a pending credential`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let owner = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        fixture.clock.advance(by: .seconds(30))
        let ada = try await fixture.signIn(as: "ada")
        let credential = try await fixture.byPhone(for: .link(ada.session))
        let error = await expectError(.credentialAlreadyInUse) { try await ada.session.link(with: credential) }
        await expectError(.invalidVerificationID) { try await ada.session.link(with: credential) }
        let pending = try #require(error?.pendingCredential)
        #expect(try await fixture.auth.signIn(with: .pending(pending)).get().account.id == owner.account.id)
    }

    @Test(.rule("PHONE-5", "R-LNK-10"), arguments: StoreUnderTest.all)
    func `phones cannot be both the first and the second factor of an account, in either order`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let byPhone = try await first.session.link(with: fixture.byPhone(for: .link(first.session)))
        fixture.clock.advance(by: .seconds(30))
        await expectError(.unsupportedFirstFactor) {
            try await byPhone.session.multiFactor.beginEnrollment(.phone("+14155550199"))
        }
        // An app is independent of the phone number.
        _ = try await fixture.enrolApp(byPhone.session)
        let code = try await fixture.byPhone()
        let resolver = try await expectSecondFactor { try await fixture.auth.signIn(with: code) }
        #expect(resolver.hints.map(\.factorID) == [.totp])
        let other = try await fixture.signIn(as: "bob", email: "bob@example.com")
        let phone = try await fixture.enrolPhone(other.session, "+14155550188")
        let toLink = try await fixture.byPhone("+14155550177", for: .link(phone.session))
        await expectError(.unsupportedFirstFactor) { try await phone.session.link(with: toLink) }
        // The refusal consumed nothing.
        #expect(try await fixture.count(ProofRecord.self) == 1)
    }

    @Test(.rule("R-LNK-10", "R-MRG-3"), arguments: StoreUnderTest.all)
    func `an account that signs in by phone and one with a phone as second factor are not merged`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.enrolPhone(fixture.ada().session, "+14155550188")
        let other = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        await expectError(.unsupportedFirstFactor) {
            try await fixture.auth.merge(from: other.session, into: ada.session)
        }
        await expectError(.unsupportedFirstFactor) {
            try await fixture.auth.merge(from: ada.session, into: other.session)
        }
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("R-MRG-10", "R-MFA-12"), arguments: StoreUnderTest.all)
    func `a phone that is a second factor of both accounts is one factor after their merge`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.enrolPhone(fixture.ada().session)
        let bob = try await fixture.enrolPhone(
            fixture.signIn(as: "bob", with: .apple, email: "bob@example.com").session
        )
        let both = try await fixture.enrolApp(bob.session).enrolled
        let merged = try await fixture.auth.merge(from: both.session, into: ada.session)
        #expect(merged.account.enrolledFactors.map(\.factorID) == [.phone, .totp])
        #expect(merged.account.enrolledFactors.first?.uid == ada.factor.uid)
        let resolver = try await fixture.resolver()
        let challenge = try await resolver.beginChallenge(factor: ada.factor.uid)
        _ = try await resolver.resolveSignIn(with: .phone(challengeID: challenge.id, code: fixture.lastCode()))
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-FOP-1"), arguments: StoreUnderTest.all)
    func `sign-in by phone requires that it is configured and has a sender`(_ store: StoreUnderTest) async throws {
        var fixture = try await AuthFixture(store.make())
        let linked = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        fixture.clock.advance(by: .seconds(30))
        let credential = try await fixture.byPhone()
        let codes = fixture.codes
        for (isAllowed, sender) in [(false, codes), (true, nil)] {
            fixture.auth = Auth(
                store: fixture.store,
                providers: fixture.auth.providers,
                secrets: AuthFixture.secrets,
                phoneCodes: sender,
                allowsPhoneSignIn: isAllowed,
                clock: fixture.clock
            )
            let auth = fixture.auth
            await expectError(.operationNotAllowed) { try await auth.sendPhoneCode(to: Self.number) }
            await expectError(.operationNotAllowed) { try await auth.signIn(with: credential).get() }
            #expect(try await auth.account(linked.account.id).signInMethods.map(\.obstacle) == [.notConfigured])
        }
    }

    @Test(.rule("S-FOP-2"), arguments: StoreUnderTest.all)
    func `sign-in by phone can be switched off and on while the server runs`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let credential = try await fixture.byPhone()
        var settings = SignInProviders.Settings()
        settings.disabled = [.phone]
        try fixture.auth.providers.apply(settings)
        await expectError(.operationNotAllowed) { try await fixture.auth.sendPhoneCode(to: "+14155550101") }
        await expectError(.operationNotAllowed) { try await fixture.auth.signIn(with: credential).get() }
        #expect(fixture.codes.messages.count == 1)
        try fixture.auth.providers.apply(.init())
        _ = try await fixture.auth.signIn(with: credential).get()
    }

    @Test(.rule("PHONE-3"), arguments: StoreUnderTest.all)
    func `a code that could not be sent is void`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        fixture.codes.fault = .fails
        await expectError(.providerUnavailable) { try await fixture.auth.sendPhoneCode(to: Self.number) }
        #expect(try await fixture.count(ProofRecord.self) == 0)
    }

    @Test(arguments: StoreUnderTest.all)
    func `an unlinked phone number signs in to a new account`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await ada.session.link(with: fixture.byPhone(for: .link(ada.session)))
        #expect(Set(linked.account.providerData.map(\.providerID)) == [.google, .phone])
        let unlinked = try await linked.session.unlink(fromProvider: .phone)
        #expect(unlinked.account.providerData.map(\.providerID) == [.google])
        fixture.clock.advance(by: .seconds(30))
        let other = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        #expect(other.outcome == .created && other.account.id != ada.account.id)
    }

    @Test(.rule("S-DEL-2"), arguments: StoreUnderTest.all)
    func `deleting an account deletes the codes sent to its phone number`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.auth.signIn(with: fixture.byPhone()).get()
        fixture.clock.advance(by: .seconds(30))
        let credential = try await fixture.byPhone()
        try await fixture.auth.delete(ada.account.id)
        #expect(try await fixture.count(ProofRecord.self) == 0)
        await expectError(.invalidVerificationID) { try await fixture.auth.signIn(with: credential).get() }
    }
}

extension AuthFixture {
    /// Sends a code, and returns the credential with it.
    func byPhone(_ number: String = phone, for purpose: AttemptPurpose = .signIn) async throws -> AuthCredential {
        let sent = try await auth.sendPhoneCode(to: number, for: purpose)
        return .phone(verificationID: sent.id, code: try lastCode(to: number))
    }
}
