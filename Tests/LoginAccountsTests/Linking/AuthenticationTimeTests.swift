// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// The time of the authentication at the provider (`auth_time`), and the fallback where the provider does not report
/// it.
@Suite struct AuthenticationTimeTests {
    /// Creates accounts with a Google whose tokens must or may have `auth_time`.
    private func fixture(
        _ store: StoreUnderTest,
        _ authenticationTime: Provider.Reauthentication.AuthenticationTime
    ) async throws -> AuthFixture {
        var reauthentication = Provider.Reauthentication.openID
        reauthentication.authenticationTime = authenticationTime
        return try await AuthFixture(store.make()) { providers in
            providers[0].provider = providers[0].provider.with(reauthentication)
        }
    }

    /// Returns a Google credential with an `auth_time` this many seconds ago; without the claim if nil.
    private func login(
        _ fixture: AuthFixture,
        for purpose: AttemptPurpose,
        authenticated seconds: Int?,
        as subject: String = "ada"
    ) async throws -> AuthCredential {
        try await fixture.credential(as: subject, with: .google, for: purpose) { token in
            token.claims["auth_time"] = seconds.map {
                .number("\(Int(fixture.clock.now.timeIntervalSince1970) - $0)")
            }
        }
    }

    @Test(.rule("R-LNK-11"), arguments: StoreUnderTest.all)
    func `a reauthenticated session has the authentication time of the provider`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store, .optional)
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(3600))
        let credential = try await login(fixture, for: .reauthenticate(ada.session), authenticated: 200)
        let again = try await ada.session.reauthenticate(with: credential)
        let then = fixture.clock.now.addingTimeInterval(-200)
        #expect(again.session.authenticatedAt == then)
        #expect(again.session.methods == [AuthenticationMethod(name: "fed", at: then)])
        try await again.session.requireRecentLogin()
        fixture.clock.advance(by: .seconds(100))
        try await again.session.requireRecentLogin()
        fixture.clock.advance(by: .seconds(1))
        await expectError(.requiresRecentLogin) { try await again.session.requireRecentLogin() }
    }

    @Test(.rule("R-LNK-11"), arguments: StoreUnderTest.all)
    func `an authentication time more than 60 seconds in the future does not reauthenticate`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store, .optional)
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(3600))
        let ahead = try await login(fixture, for: .reauthenticate(ada.session), authenticated: -61)
        await expectError(.requiresRecentLogin) { try await ada.session.reauthenticate(with: ahead) }
        let tolerated = try await login(fixture, for: .reauthenticate(ada.session), authenticated: -60)
        let again = try await ada.session.reauthenticate(with: tolerated)
        #expect(again.session.authenticatedAt == fixture.clock.now)
    }

    @Test(.rule("R-LNK-11"), arguments: StoreUnderTest.all)
    func `a sign-in with an authentication time more than 60 seconds in the future is not recent`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store, .optional)
        let ahead = try await login(fixture, for: .signIn, authenticated: -61)
        let ada = try await fixture.auth.signIn(with: ahead).get()
        await expectError(.requiresRecentLogin) { try await ada.session.requireRecentLogin() }
        let tolerated = try await login(fixture, for: .signIn, authenticated: -60)
        try await fixture.auth.signIn(with: tolerated).get().session.requireRecentLogin()
    }

    @Test(.rule("R-LNK-11"), arguments: StoreUnderTest.all)
    func `an authentication older than five minutes does not reauthenticate, and changes nothing`(
        _ store: StoreUnderTest
    )
        async throws
    {
        for time in [Provider.Reauthentication.AuthenticationTime.optional, .required] {
            let fixture = try await fixture(store, time)
            let ada = try await fixture.signIn(as: "ada")
            fixture.clock.advance(by: .seconds(3600))
            for seconds in [301, 86400] {
                let credential = try await login(fixture, for: .reauthenticate(ada.session), authenticated: seconds)
                let before = try await fixture.everything()
                await expectError(.requiresRecentLogin) { try await ada.session.reauthenticate(with: credential) }
                #expect(try await fixture.everything() == before)
            }
            await expectError(.requiresRecentLogin) { try await ada.session.requireRecentLogin() }
            let credential = try await login(fixture, for: .reauthenticate(ada.session), authenticated: 300)
            try await ada.session.reauthenticate(with: credential).session.requireRecentLogin()
        }
    }

    @Test(.rule("R-LNK-11"), arguments: StoreUnderTest.all)
    func `an older authentication does not replace a newer authentication time`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store, .optional)
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(3600))
        let recent = try await login(fixture, for: .reauthenticate(ada.session), authenticated: 0)
        let again = try await ada.session.reauthenticate(with: recent)
        let older = try await login(fixture, for: .reauthenticate(again.session), authenticated: 100)
        #expect(try await again.session.reauthenticate(with: older).session.authenticatedAt == fixture.clock.now)
    }

    @Test(.rule("R-LNK-12"), arguments: StoreUnderTest.all)
    func `without an authentication time, an attempt of the last five minutes reauthenticates`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store, .optional)
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(3600))
        let late = try await login(fixture, for: .reauthenticate(ada.session), authenticated: nil)
        fixture.clock.advance(by: .seconds(301))
        await expectError(.requiresRecentLogin) { try await ada.session.reauthenticate(with: late) }
        // The user is not locked out: a new attempt is recent enough.
        let next = try await login(fixture, for: .reauthenticate(ada.session), authenticated: nil)
        fixture.clock.advance(by: .seconds(300))
        let again = try await ada.session.reauthenticate(with: next)
        #expect(again.session.authenticatedAt == fixture.clock.now)
        try await again.session.requireRecentLogin()
    }

    @Test(.rule("R-LNK-12"), arguments: StoreUnderTest.all)
    func `an authentication time is ignored if the provider cannot renew it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.auth.signIn(with: try await login(fixture, for: .signIn, authenticated: 86400))
            .get()
        #expect(ada.session.authenticatedAt == fixture.clock.now)
        fixture.clock.advance(by: .seconds(3600))
        let credential = try await login(fixture, for: .reauthenticate(ada.session), authenticated: 86400)
        try await ada.session.reauthenticate(with: credential).session.requireRecentLogin()
    }

    @Test(.rule("R-LNK-13"), arguments: StoreUnderTest.all)
    func `if the authentication time is required, a token without it signs in, but does not reauthenticate`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await fixture(store, .required)
        let ada = try await fixture.auth.signIn(with: try await login(fixture, for: .signIn, authenticated: nil)).get()
        #expect(!ada.session.isRecent)
        let silent = try await login(fixture, for: .reauthenticate(ada.session), authenticated: nil)
        let error = await expectError(.requiresRecentLogin) { try await ada.session.reauthenticate(with: silent) }
        #expect(error?.provider == .google)
        let text = try await fixture.credential(as: "ada", with: .google, for: .reauthenticate(ada.session)) {
            $0.claims["auth_time"] = .string("\(Int(fixture.clock.now.timeIntervalSince1970))")
        }
        await expectError(.requiresRecentLogin) { try await ada.session.reauthenticate(with: text) }
        let open = try await login(fixture, for: .reauthenticate(ada.session), authenticated: 0)
        try await ada.session.reauthenticate(with: open).session.requireRecentLogin()
    }

    @Test(.rule("R-LNK-11"), arguments: StoreUnderTest.all)
    func `an invalid authentication time is not treated as a missing one`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store, .optional)
        let ada = try await fixture.signIn(as: "ada")
        let text = try await fixture.credential(as: "ada", with: .google, for: .reauthenticate(ada.session)) {
            $0.claims["auth_time"] = .string("\(Int(fixture.clock.now.timeIntervalSince1970))")
        }
        await expectError(.requiresRecentLogin) { try await ada.session.reauthenticate(with: text) }
    }

    @Test(.rule("R-LNK-14"), arguments: StoreUnderTest.all)
    func `a sign-in with an old authentication time succeeds, but is not recent`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store, .optional)
        let created = try await fixture.auth.signIn(with: try await login(fixture, for: .signIn, authenticated: 301))
            .get()
        #expect(created.outcome == .created && !created.session.isRecent)
        #expect(created.session.authenticatedAt == fixture.clock.now.addingTimeInterval(-301))
        let ada = try await fixture.auth.signIn(with: try await login(fixture, for: .signIn, authenticated: 86400))
            .get()
        #expect(ada.outcome == .signedIn)
        await expectError(.requiresRecentLogin) { try await ada.session.requireRecentLogin() }
        let credential = try await login(fixture, for: .reauthenticate(ada.session), authenticated: 1)
        try await ada.session.reauthenticate(with: credential).session.requireRecentLogin()
        let recent = try await fixture.auth.signIn(with: try await login(fixture, for: .signIn, authenticated: 300))
            .get()
        try await recent.session.requireRecentLogin()
    }

    @Test(arguments: StoreUnderTest.all)
    func `a link in a session that is not recent is refused without naming a provider`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.credential(as: "bob", with: .google, for: .link(ada.session))
        fixture.clock.advance(by: .seconds(301))
        let error = await expectError(.requiresRecentLogin) { try await ada.session.link(with: bob) }
        #expect(error?.provider == nil)
    }

    @Test(.rule("R-LNK-14"), arguments: StoreUnderTest.all)
    func `an anonymous session that is upgraded with an old authentication is not recent`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store, .optional)
        for (seconds, isRecent) in [(86400, false), (10, true)] {
            let guest = try await fixture.auth.signInAnonymously()
            let credential = try await login(
                fixture,
                for: .link(guest.session),
                authenticated: seconds,
                as: "ada \(seconds)"
            )
            let linked = try await guest.session.link(with: credential)
            #expect(linked.outcome == .upgraded && linked.session.isRecent == isRecent)
        }
    }

    @Test(.rule("R-CON-9"), arguments: StoreUnderTest.all)
    func `a sign-in after the conflict links the pending credential, even with an earlier authentication time`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store, .optional)
        try await fixture.signIn(as: "ada", email: "ada@example.com")
        let conflict = try await expectConflict {
            try await fixture.outcome(as: "ada-a", with: .apple, email: "ada@example.com")
        }
        let pending = conflict.pendingCredential
        fixture.clock.advance(by: .seconds(10))
        let ada = try await fixture.auth.signIn(with: try await login(fixture, for: .signIn, authenticated: 120)).get()
        #expect(try await ada.session.link(with: .pending(pending)).outcome == .linked)
    }

    @Test(.rule("R-CON-9"), arguments: StoreUnderTest.all)
    func `a sign-in with a pending credential is no more recent than the authentication at the provider`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store, .optional)
        let ada = try await fixture.signIn(as: "ada", with: .apple)
        try await fixture.signIn(as: "bob")
        let credential = try await login(fixture, for: .link(ada.session), authenticated: 86400, as: "bob")
        let error = await expectError(.credentialAlreadyInUse) { try await ada.session.link(with: credential) }
        let bob = try await fixture.auth.signIn(with: .pending(try #require(error?.pendingCredential))).get()
        #expect(!bob.session.isRecent)
        await expectError(.requiresRecentLogin) { try await fixture.auth.merge(from: bob.session, into: ada.session) }
    }

    @Test(.rule("R-LNK-12"), arguments: StoreUnderTest.all)
    func `a password reauthenticates with the current time, whatever the age of the account`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (email, password) = ("ada@example.com", "correct horse battery")
        let ada = try await fixture.auth.createAccount(email: email, password: password)
        fixture.clock.advance(by: .seconds(3600))
        let again = try await ada.session.reauthenticate(with: .password(email: email, password: password))
        #expect(again.session.authenticatedAt == fixture.clock.now)
    }
}
