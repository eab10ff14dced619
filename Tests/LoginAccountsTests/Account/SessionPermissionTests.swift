// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
import LoginTesting
import LoginTokens
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

/// Permissions that are requested and revoked in an open session, at a stand-in for Facebook.
@Suite struct SessionPermissionTests {
    private let facebook = FacebookStandIn()

    private func fixture(_ store: StoreUnderTest, transport: (any HTTPTransport)? = nil) async throws -> AuthFixture {
        try await AuthFixture(store.make(), clock: facebook.clock, transport: transport ?? facebook) { providers in
            providers.removeAll { $0.id == .facebook }
            providers.append(try .facebook(facebook.app(), tracking: .enabled))
        }
    }

    /// Logs in at Facebook, granting these permissions.
    private func credential(
        _ fixture: AuthFixture,
        for purpose: AttemptPurpose = .signIn,
        granting permissions: [String] = []
    ) async throws -> AuthCredential {
        let token = facebook.makeAccessToken(permissions: ["public_profile"] + permissions)
        return .accessToken(token, attempt: try await fixture.auth.begin(purpose, with: .facebook).token)
    }

    @Test(.rule("SS-3", "R-PRM-1"), arguments: StoreUnderTest.all)
    func `a permission granted in a session extends the session, but does not make it recent`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        let ada = try await fixture.auth.signIn(with: credential(fixture)).get()
        fixture.clock.advance(by: .seconds(3600))
        let granting = try await credential(fixture, for: .reauthenticate(ada.session), granting: ["email"])
        let result = try await ada.session.reauthenticate(with: granting, requesting: [.email])
        #expect(result.outcome == .reauthenticated && result.session.state == .openTokenExtended)
        #expect(result.tokens.sessionToken != ada.tokens.sessionToken)
        #expect(result.account.providerData.first?.hasGranted(.email) == true)
        #expect(result.session.authenticatedAt == ada.session.authenticatedAt && !result.session.isRecent)
    }

    @Test(.rule("SS-3", "R-PRM-1"), arguments: StoreUnderTest.all)
    func `a declined permission is stored as declined and leaves the session unchanged`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        let ada = try await fixture.auth.signIn(with: credential(fixture, granting: ["user_link"])).get()
        facebook.set("declined", for: "email")
        // A permission that was granted before does not count.
        let requested: Set<Permission> = [.email, .userLink]
        let declining = try await credential(fixture, for: .reauthenticate(ada.session))
        let result = try await ada.session.reauthenticate(with: declining, requesting: requested)
        #expect(result.outcome == .permissionsDeclined && result.session.state == .open)
        #expect(result.tokens.sessionToken == ada.tokens.sessionToken)
        #expect(result.account.providerData.first?.permissions?.declined == [.email])
        #expect(try await fixture.audit("session.extended") == 0)
        // An extended session stays extended.
        let again = try await credential(fixture, for: .reauthenticate(ada.session), granting: ["user_birthday"])
        let extended = try await ada.session.reauthenticate(with: again, requesting: [.userBirthday]).session
        let last = try await credential(fixture, for: .reauthenticate(extended))
        let declined = try await extended.reauthenticate(with: last, requesting: [.email])
        #expect(declined.outcome == .permissionsDeclined && declined.session.state == .openTokenExtended)
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `a permission is revoked at the provider, and stored as declined`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store)
        let ada = try await fixture.auth.signIn(with: credential(fixture, granting: ["email", "user_link"])).get()
        let token = facebook.makeAccessToken()
        try await ada.session.revoke(.email, at: .facebook, accessToken: token)
        #expect(facebook.requestCount(of: "me/permissions/email") == 1)
        let login = try #require(try await ada.session.account().providerData.first)
        #expect(login.permissions?.declined == [.email] && login.hasGranted(.userLink))
        let revoked = try await fixture.auth.audit(of: ada.account.id).first { $0.action == .permissionRevoked }
        #expect(revoked?.actor == .user)
        #expect(try await fixture.texts().allSatisfy { !$0.contains(token) })
    }

    @Test(.rule("R-PRM-2", "R-PRM-3"), arguments: StoreUnderTest.all)
    func `revoking a whole login closes the other sessions that it opened`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        let other = try await fixture.auth.signIn(with: credential(fixture)).get()
        let ada = try await fixture.auth.signIn(with: credential(fixture)).get()
        try await ada.session.revoke(nil, at: .facebook, accessToken: facebook.makeAccessToken())
        #expect(try await ada.session.account().signInMethods.map(\.obstacle) == [.revoked])
        await expectError(.invalidUserToken) { try await other.session.account() }
        // The user consents anew.
        fixture.clock.advance(by: .seconds(1))
        let again = try await fixture.auth.signIn(with: credential(fixture)).get()
        #expect(again.account.id == ada.account.id && again.account.usableSignInMethods.count == 1)
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `a permission that no login requested or reported is not stored as declined`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        let ada = try await fixture.auth.signIn(with: credential(fixture, granting: ["user_link"])).get()
        let before = try await rows(fixture)
        // Granted at Facebook since, and confirmed as revoked.
        for name in ["made_up", "email"] { facebook.set("granted", for: name) }
        let token = facebook.makeAccessToken()
        try await ada.session.revoke("made_up", at: .facebook, accessToken: token)
        #expect(facebook.requestCount(of: "me/permissions/made_up") == 1)
        #expect(try await rows(fixture) == before)
        // The provider reported one, and its logins request the other.
        try await ada.session.revoke(.userLink, at: .facebook, accessToken: token)
        try await ada.session.revoke(.email, at: .facebook, accessToken: token)
        let login = try #require(try await ada.session.account().providerData.first)
        #expect(login.permissions?.declined == [.userLink, .email])
    }

    /// Returns all rows but those of accounts, which count the locks of transactions.
    private func rows(_ fixture: AuthFixture) async throws -> [String: Set<StoreRow>] {
        try await fixture.everything().filter { $0.key != AccountRecord.schema.table.name }
    }

    /// Facebook, which runs a step before its response to a revocation.
    private struct Revoking: HTTPTransport {
        let facebook: FacebookStandIn
        let step: @Sendable () async throws(TransportFailure) -> Void

        func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
            let response = try await facebook.send(request)
            if request.method == .delete { try await step() }
            return response
        }
    }

    /// Returns accounts with a provider that reports the end of a login before its response to the revocation.
    private func reportingFixture(_ store: StoreUnderTest) async throws -> AuthFixture {
        let auth = Mutex<Auth?>(nil)
        let transport = Revoking(facebook: facebook) { [facebook] in
            guard let auth = auth.withLock({ $0 }) else { return }
            try? await auth.revokeIdentity(providerID: .facebook, uid: facebook.person.id)
        }
        let fixture = try await fixture(store, transport: transport)
        auth.withLock { $0 = fixture.auth }
        return fixture
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `a provider callback during the revocation closes the other sessions, but not the current one`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await reportingFixture(store)
        let other = try await fixture.auth.signIn(with: credential(fixture)).get()
        let ada = try await fixture.auth.signIn(with: credential(fixture)).get()
        try await ada.session.revoke(nil, at: .facebook, accessToken: facebook.makeAccessToken())
        #expect(try await ada.session.account().signInMethods.map(\.obstacle) == [.revoked])
        await expectError(.invalidUserToken) { try await other.session.account() }
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `a revocation of a whole login that the provider reports too is recorded once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await reportingFixture(store)
        let ada = try await fixture.auth.signIn(with: credential(fixture)).get()
        try await ada.session.revoke(nil, at: .facebook, accessToken: facebook.makeAccessToken())
        fixture.clock.advance(by: .seconds(1))
        try await fixture.auth.revokeIdentity(providerID: .facebook, uid: facebook.person.id)
        #expect(try await fixture.audit("identity.revoked") == 1)
    }

    /// Returns two sessions of an account that has two logins of one provider: each was opened with one of them.
    private func sessionsOfTwoLogins() async throws -> (fixture: AuthFixture, one: Session, other: Session) {
        var policy = AuthPolicy()
        policy.linking.identitiesPerProvider = .many
        let fixture = try await AuthFixture(StoreUnderTest.inMemory.make(), policy: policy)
        let first = try await fixture.signIn(as: "one").session
        let one = try await fixture.link("other", with: .google, in: first).session
        return (fixture, one, try await fixture.signIn(as: "other").session)
    }

    /// Begins to revoke a login in a session, as before the request to the provider.
    private func begin(_ uid: String, in session: Session, _ fixture: AuthFixture) async throws {
        try await fixture.read { transaction in
            let revocation = Revocation(provider: .google, uid: uid)
            try transaction.revocations.begin(revocation, in: transaction.held.hold(session))
        }
    }

    @Test(.rule("R-PRM-3"))
    func `a callback about the login of a session closes it, though it is revoking another login of the provider`()
        async throws
    {
        let (fixture, one, other) = try await sessionsOfTwoLogins()
        try await begin("other", in: one, fixture)
        try await fixture.auth.revokeIdentity(providerID: .google, uid: "one")
        #expect(try await !fixture.isOpen(one))
        #expect(try await fixture.isOpen(other))
    }

    @Test(.rule("R-PRM-3"))
    func `while a session revokes its login, a callback about another login of the provider closes that one's session`()
        async throws
    {
        let (fixture, one, other) = try await sessionsOfTwoLogins()
        try await begin("one", in: one, fixture)
        for uid in ["other", "one"] { try await fixture.auth.revokeIdentity(providerID: .google, uid: uid) }
        #expect(try await fixture.isOpen(one))
        #expect(try await !fixture.isOpen(other))
    }

    /// Facebook, which refuses every revocation.
    private struct Refusing: HTTPTransport {
        let facebook: FacebookStandIn

        func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
            if request.method == .delete { facebook.failNext(with: .graphError(code: 190)) }
            return try await facebook.send(request)
        }
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `after a revocation that Facebook refuses, its callback closes the session`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store, transport: Refusing(facebook: facebook))
        let ada = try await fixture.auth.signIn(with: credential(fixture)).get()
        await expectError(.invalidCredential) {
            try await ada.session.revoke(nil, at: .facebook, accessToken: facebook.makeAccessToken())
        }
        #expect(try await ada.session.account().usableSignInMethods.count == 1)
        try await fixture.auth.revokeIdentity(providerID: .facebook, uid: facebook.person.id)
        await expectError(.invalidUserToken) { try await ada.session.account() }
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `a minute after a revocation that Facebook does not confirm, its callback closes the session`(
        _ store: StoreUnderTest
    ) async throws {
        let transport = Revoking(facebook: facebook) { () async throws(TransportFailure) in
            throw TransportFailure(.connection, "no response")
        }
        let fixture = try await fixture(store, transport: transport)
        let ada = try await fixture.auth.signIn(with: credential(fixture)).get()
        await expectError(.providerUnavailable) {
            try await ada.session.revoke(nil, at: .facebook, accessToken: facebook.makeAccessToken())
        }
        #expect(try await ada.session.account().usableSignInMethods.count == 1)
        fixture.clock.advance(by: .seconds(60))
        try await fixture.auth.revokeIdentity(providerID: .facebook, uid: facebook.person.id)
        await expectError(.invalidUserToken) { try await ada.session.account() }
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `an access token that is another user's, or that Facebook refuses, revokes nothing`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        let ada = try await fixture.auth.signIn(with: credential(fixture, granting: ["email"])).get()
        let (own, ended) = (facebook.makeAccessToken(), facebook.makeAccessToken())
        facebook.endAccessToken(ended)
        let foreign = facebook.makeAccessToken(appID: "999")
        let id = facebook.person.id
        facebook.person.id = "1000000000000009"
        let other = facebook.makeAccessToken(permissions: ["email"])
        facebook.person.id = id
        let before = try await fixture.everything()
        for permission in [Permission.email, nil] {
            await expectError(.userMismatch) {
                try await ada.session.revoke(permission, at: .facebook, accessToken: other)
            }
            for token in [ended, foreign] {
                await expectError(.invalidCredential) {
                    try await ada.session.revoke(permission, at: .facebook, accessToken: token)
                }
            }
        }
        await expectError(.operationNotAllowed) {
            try await ada.session.revoke(.publicProfile, at: .facebook, accessToken: own)
        }
        await expectError(.operationNotAllowed) {
            try await ada.session.revoke(.email, at: .google, accessToken: own)
        }
        #expect(facebook.requests.allSatisfy { $0.method != "DELETE" })
        #expect(try await fixture.everything() == before)
    }

    @Test(.rule("R-PRM-3"), arguments: StoreUnderTest.all)
    func `a revocation that Facebook does not answer changes nothing in the store`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await fixture(store)
        let ada = try await fixture.auth.signIn(with: credential(fixture, granting: ["email"])).get()
        let token = facebook.makeAccessToken()
        let before = try await rows(fixture)
        facebook.failNext(9, path: "me/permissions/email", with: .unreachable())
        await expectError(.providerUnavailable) {
            try await ada.session.revoke(.email, at: .facebook, accessToken: token)
        }
        #expect(try await rows(fixture) == before)
        facebook.clearFaults()
        try await ada.session.revoke(.email, at: .facebook, accessToken: token)
        #expect(try await rows(fixture) != before)
    }
}
