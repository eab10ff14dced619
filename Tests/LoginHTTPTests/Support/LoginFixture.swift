// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import Logging
import NIOCore
import TestSupport
import Testing

@testable import LoginHummingbird

/// A server with in-memory accounts, providers that sign real tokens, and a clock that a test advances.
struct LoginFixture: Sendable {
    static let publicURL = "https://login.example.com"
    static let secrets = AccountSecrets(repeating: 7)

    let clock: ManualClock
    let google: TestIssuer
    let facebook: TestIssuer
    let keys: SwitchableKeys
    let mail = CapturedMail()
    let codes = CapturedCodes()
    let auth: Auth
    var options = LoginAPIOptions()

    init(
        policy: AuthPolicy = AuthPolicy(),
        store: any AccountStore = InMemoryAccountStore(),
        policies: [VerificationPolicy] = [VerificationPolicy("app", provider: .google)],
        providers change: (inout [SignInProvider]) -> Void = { _ in },
        issuers: [TestIssuer] = [],
        transport: any HTTPTransport = StubTransport(),
        clock: ManualClock = ManualClock()
    ) async throws {
        self.clock = clock
        google = TestIssuer(provider: .google, audience: "google-client", clock: clock)
        facebook = TestIssuer.facebook(clock: clock)
        var policy = policy
        // With the real cost of a password hash, a test would take minutes.
        policy.passwords.cost = try #require(PasswordCost(log2: 4))
        try await store.migrate()
        var providers: [SignInProvider] = [
            .google(clientID: google.audience).with { $0.emailTrust = .verifiedClaimOfAnyDomain },
            try .facebook(appID: facebook.audience, tracking: .limited),
        ]
        change(&providers)
        keys = SwitchableKeys(KeySnapshot([google.keys, facebook.keys] + issuers.map(\.keys)))
        auth = Auth(
            store: store,
            providers: try SignInProviders(
                providers,
                keys: keys,
                transport: transport,
                policies: policies,
                clock: clock
            ),
            secrets: Self.secrets,
            policy: policy,
            mail: mail,
            phoneCodes: codes,
            allowsPhoneSignIn: true,
            clock: clock
        )
        options.publicURL = Self.publicURL
        options.clock = clock
        options.allowsGuests = true
    }

    /// Disables these providers and credentials, and enables all others.
    func disable(_ ids: ProviderID...) throws {
        var settings = auth.providers.settings
        settings.disabled = Set(ids)
        try auth.providers.apply(settings)
    }

    /// The server of the example in the documentation of `LoginAPI`, with one route of its own.
    var router: Router<BasicLoginRequestContext> {
        let router = Router(context: BasicLoginRequestContext.self)
        router.addMiddleware {
            OriginMiddleware()
            ProblemMiddleware(publicURL: Self.publicURL)
        }
        let api = LoginAPI<BasicLoginRequestContext>(auth: auth, options: options)
        api.addRoutes(to: router)
        api.addDocumentation(to: router, title: "Test", version: "1")
        let own = router.group()
            .add(middleware: SessionAuthenticator(auth, clock: clock))
            .add(middleware: SameOriginMiddleware(publicURL: Self.publicURL))
        own.get("notes") { _, context in "\(try context.requireIdentity().accountID)" }
        own.post("notes") { _, context in "\(try context.requireIdentity().accountID)" }
        return router
    }

    /// Runs a test against the server, without sockets.
    func run(_ test: @Sendable (APIClient) async throws -> Void) async throws {
        try await run(router, test)
    }

    /// Runs a test against a server, without sockets.
    func run(
        _ router: Router<BasicLoginRequestContext>,
        logger: Logger? = nil,
        _ test: @Sendable (APIClient) async throws -> Void
    ) async throws {
        let api = LoginAPI<BasicLoginRequestContext>(auth: auth, options: options)
        try await Application(router: router, logger: logger).test(.router) { client in
            try await test(APIClient(client: client, fixture: self, operations: api.operations))
        }
    }
}

/// A key source that a test can make unavailable.
final class SwitchableKeys: KeySource {
    private let keys: KeySnapshot

    /// Whether keys are unavailable.
    let areUnavailable = Box(false)

    init(_ keys: KeySnapshot) { self.keys = keys }

    func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot {
        if areUnavailable.value { throw VerificationUnavailable(detail: "as the test wants it") }
        return keys
    }

    func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
        try await snapshot(for: issuer)
    }
}
#endif
