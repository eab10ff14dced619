// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginKeys
import LoginProviders
import LoginTesting
import LoginTokens
import Logging
import TestSupport
import Testing

@testable import LoginHTTP

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
        options.allowsGuests = true
    }

    /// Disables these providers and credentials, and enables all others.
    func disable(_ ids: ProviderID...) throws {
        var settings = auth.providers.settings
        settings.disabled = Set(ids)
        try auth.providers.apply(settings)
    }

    /// A service of these accounts, or of others.
    func service(of other: Auth? = nil) throws -> LoginService {
        let keys = try KeyCache(providers: [], transport: StubTransport())
        var login = LoginService(publicURL: Self.publicURL, auth: other ?? auth, keys: keys)
        login.api = options
        return login
    }

    /// Runs a test against the service, with routes of the application beside its own.
    func run(
        of other: Auth? = nil,
        routes: [String: TestServer.Route] = [:],
        logger: Logger = Logger(label: "test"),
        _ test: @Sendable (APIClient) async throws -> Void
    ) async throws {
        let login = try service(of: other)
        let server = TestServer(login, routes: routes, logger: logger)
        try await test(APIClient(server: server, fixture: self, operations: login.operations))
    }
}

/// A key source that a test can make unavailable.
final class SwitchableKeys: KeySource {
    private let keys: KeySnapshot

    /// Whether keys are unavailable.
    let areUnavailable = Box(false)

    /// The time after which the key of a token can be looked up, while keys are unavailable; nil for an outage.
    let retryAfter = Box<Duration?>(nil)

    init(_ keys: KeySnapshot) { self.keys = keys }

    func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot {
        if areUnavailable.value {
            throw VerificationUnavailable(detail: "as the test wants it", retryAfter: retryAfter.value)
        }
        return keys
    }

    func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
        try await snapshot(for: issuer)
    }
}
#endif
