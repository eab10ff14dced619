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

/// Sign-ins by browser at a stand-in for Facebook, whose verified identity accounts accept as a credential.
@Suite struct BrowserSignInTests {
    private let facebook = FacebookStandIn()

    private func fixture(_ store: any AccountStore) async throws -> AuthFixture {
        var policy = AuthPolicy()
        policy.factors.requiresVerifiedContact = false
        return try await AuthFixture(
            store,
            policy: policy,
            clock: facebook.clock,
            keys: facebook.issuer.keys,
            transport: facebook
        ) { providers in
            providers.removeAll { $0.id == .facebook }
            providers.append(try .facebook(facebook.app(), permissions: [.email, .userBirthday], tracking: .enabled))
        }
    }

    private func logins(_ fixture: AuthFixture, for purpose: AttemptPurpose = .signIn) async throws -> LoginManager {
        try await fixture.auth.providers.loginManager(
            for: .facebook,
            redirectURL: "https://login.example.com/login/facebook/callback",
            attempts: fixture.auth.attempts(for: purpose)
        )
    }

    /// Begins a login, and returns the browser's secret and the callback.
    private func begin(_ logins: LoginManager, _ purpose: AttemptPurpose = .signIn) async throws
        -> (secret: String, callback: LoginCallback)
    {
        let started = try await logins.begin(purpose: purpose.noncePurpose)
        return (started.secret, LoginCallback(url: try #require(facebook.open(started.url))))
    }

    private func identity(_ fixture: AuthFixture, for purpose: AttemptPurpose = .signIn) async throws
        -> VerifiedIdentity
    {
        let logins = try await logins(fixture, for: purpose)
        let (secret, callback) = try await begin(logins, purpose)
        let result = try await logins.finish(callback, purpose: purpose.noncePurpose, secret: secret)
        guard case .success(let login) = result else {
            Issue.record("\(result)")
            throw CancellationError()
        }
        return login.identity
    }

    @Test(arguments: StoreUnderTest.all)
    func `a browser login verifies its token once, and uses three write transactions`(_ kind: StoreUnderTest)
        async throws
    {
        let store = RecordingStore(try await kind.make())
        let base = try await fixture(store)
        let verdicts = Mutex(0)
        let providers = try SignInProviders(
            [.facebook(facebook.app(), tracking: .enabled)],
            keys: facebook.issuer.keys,
            transport: facebook,
            clock: facebook.clock,
            onVerdict: { _, _ in verdicts.withLock { $0 += 1 } }
        )
        var fixture = base
        fixture.auth = Auth(store: store, providers: providers, secrets: AuthFixture.secrets, clock: facebook.clock)
        _ = try await fixture.auth.signIn(with: .identity(identity(fixture))).get()
        store.forget()
        verdicts.withLock { $0 = 0 }
        let again = try await fixture.auth.signIn(with: .identity(identity(fixture))).get()
        #expect(again.outcome == .signedIn)
        #expect(verdicts.withLock { $0 } == 1)
        #expect(store.transactions.count(where: \.mayWrite) == 3)
    }

    @Test(.rule("R-PRM-1"), arguments: StoreUnderTest.all)
    func `the sign-in result contains the profile, the permissions and the access token`(_ store: StoreUnderTest)
        async throws
    {
        facebook.person.declines = ["user_birthday"]
        let fixture = try await fixture(store.make())
        let signIn = try await fixture.auth.signIn(with: .identity(identity(fixture))).get()
        let identity = try #require(signIn.identity)
        #expect(signIn.outcome == .created && identity.subject == facebook.person.id)
        #expect(identity.profile?.name == "Ada Marie Example")
        #expect(identity.permissions?.hasGranted(.email) == true)
        #expect(identity.permissions?.declined == [.userBirthday])
        #expect(identity.accessToken?.userID == facebook.person.id)
        // What the provider reports is stored with the account.
        #expect(signIn.account.providerData.first?.permissions?.declined == [.userBirthday])
    }

    @Test(.rule("R-PRM-1"), arguments: StoreUnderTest.all)
    func
        `after a Limited Login, permissions that the callback reports as declined are stored, and granted ones are not`(
            _ store: StoreUnderTest
        ) async throws
    {
        facebook.person.declines = ["user_birthday"]
        let limited = try LoginRequest.facebook(
            permissions: [.email, .userBirthday, .gamingProfile],
            tracking: .limited
        )
        var fixture = try await fixture(store.make())
        let providers = [try SignInProvider.facebook(facebook.app(), tracking: .limited).with { $0.request = limited }]
        fixture.auth = Auth(
            store: fixture.store,
            providers: try SignInProviders(
                providers,
                keys: facebook.issuer.keys,
                transport: facebook,
                clock: facebook.clock
            ),
            secrets: AuthFixture.secrets,
            clock: facebook.clock
        )
        let ada = try await fixture.auth.signIn(with: .identity(identity(fixture))).get()
        #expect(ada.identity?.permissions?.granted == [.publicProfile, .email, .gamingProfile])
        let stored = try #require(ada.account.providerData.first?.permissions)
        #expect(stored == PermissionStatuses(granted: [.publicProfile, .email], declined: [.userBirthday]))
    }

    @Test(arguments: StoreUnderTest.all)
    func `a sign-in with a second factor returns the claims, but not the provider's tokens`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store.make())
        let ada = try await fixture.auth.signIn(with: .identity(identity(fixture))).get()
        let (app, _) = try await fixture.enrolApp(ada.session)
        guard
            case .secondFactorRequired(let resolver) = try await fixture.auth.signIn(with: .identity(identity(fixture)))
        else {
            Issue.record("there is a second factor")
            return
        }
        // It is not readable in the store.
        let waiting = try await fixture.read { try $0.tables.rows.all(PendingSignInRecord.self) }
        #expect(waiting.count == 1 && waiting.allSatisfy { !$0.content.contains(Array("Ada".utf8)) })
        let passed = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        let identity = try #require(passed.identity)
        #expect(identity.profile?.name == "Ada Marie Example")
        #expect(identity.permissions?.hasGranted(.email) == true)
        #expect(identity.accessToken == nil && identity.providerTokens == nil && identity.token == nil)
    }

    @Test(.rule("R-SIG-7")) func `the sign-in hook receives the provider's claims, also after a second factor`()
        async throws
    {
        var fixture = try await fixture(InMemoryAccountStore())
        let names = Mutex<[String?]>([])
        fixture.auth = Auth(
            store: InMemoryAccountStore(),
            providers: fixture.auth.providers,
            secrets: AuthFixture.secrets,
            policy: fixture.auth.policy,
            clock: facebook.clock,
            hooks: AuthHooks(onSignIn: { signIn, _ in names.withLock { $0.append(signIn.identity?.profile?.name) } })
        )
        let ada = try await fixture.auth.signIn(with: .identity(identity(fixture))).get()
        let (app, _) = try await fixture.enrolApp(ada.session)
        guard
            case .secondFactorRequired(let resolver) = try await fixture.auth.signIn(with: .identity(identity(fixture)))
        else {
            Issue.record("there is a second factor")
            return
        }
        #expect(names.withLock { $0 } == ["Ada Marie Example"])
        _ = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(names.withLock { $0 } == ["Ada Marie Example", "Ada Marie Example"])
    }

    @Test(.rule("S-CSR-1"), arguments: StoreUnderTest.all)
    func `the identity of a browser login is accepted once`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store.make())
        let identity = try await identity(fixture)
        _ = try await fixture.auth.signIn(with: .identity(identity)).get()
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: .identity(identity)).get() }
        #expect(try await fixture.audit("nonce.replayed") == 1)
    }

    @Test(.rule("S-CSR-3"), arguments: StoreUnderTest.all)
    func `an identity that was verified for one purpose is refused for another`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store.make())
        let ada = try await fixture.auth.signIn(with: .identity(identity(fixture))).get()
        let toSignIn = try await identity(fixture)
        await expectError(.missingOrInvalidNonce) { try await ada.session.link(with: .identity(toSignIn)) }
        let toLink = try await identity(fixture, for: .link(ada.session))
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: .identity(toLink)).get() }
        #expect(try await ada.session.link(with: .identity(toLink)).outcome == .alreadyLinked)
    }

    @Test(.rule("S-NON-3"), arguments: StoreUnderTest.all)
    func `a browser cannot complete an app's attempt, nor an app a browser's attempt`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store.make())
        let logins = try await logins(fixture)
        let (secret, callback) = try await begin(logins)
        let app = try await fixture.auth.begin(.signIn, with: .facebook)
        // The app's secret in place of a browser's cookie.
        guard case .failed(let failure) = try await logins.finish(callback, purpose: .signIn, secret: app.token) else {
            Issue.record("a browser completes with the secret of an app")
            return
        }
        #expect(failure.code == .startedElsewhere)
        // The browser's secret in place of an app's, with a token for the nonce that an app would have.
        let nonce = try #require(AttemptSecret(secret)).appNonce
        let token = facebook.issuer.token(nonce: nonce) { $0.claims["sub"] = .string(facebook.person.id) }
        await expectError(.missingOrInvalidNonce) {
            try await fixture.auth.signIn(with: .idToken(token, attempt: secret)).get()
        }
        // Neither attempt was consumed.
        guard case .success(let login) = try await logins.finish(callback, purpose: .signIn, secret: secret) else {
            Issue.record("the login fails")
            return
        }
        _ = try await fixture.auth.signIn(with: .identity(login.identity)).get()
        let own = facebook.issuer.token(nonce: app.nonce) { $0.claims["sub"] = .string(facebook.person.id) }
        _ = try await fixture.auth.signIn(with: .idToken(own, attempt: app.token)).get()
    }

    @Test(.rule("S-NON-3"), arguments: StoreUnderTest.all)
    func `an identity whose attempt is in another store does not sign in`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store.make())
        let logins = try await fixture.auth.providers.loginManager(
            for: .facebook,
            redirectURL: "https://login.example.com/login/facebook/callback",
            attempts: InMemoryAttemptStore(clock: facebook.clock)
        )
        let (secret, callback) = try await begin(logins)
        guard case .success(let login) = try await logins.finish(callback, purpose: .signIn, secret: secret) else {
            Issue.record("the login fails")
            return
        }
        await expectError(.missingOrInvalidNonce) {
            try await fixture.auth.signIn(with: .identity(login.identity)).get()
        }
    }
}
