// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

internal import LimitedLoginTesting
@testable import LoginPages

/// Browser reauthentication at an OpenID provider, whose tokens have `auth_time`, and at Facebook, whose tokens do not.
@Suite struct BrowserReauthenticationTests {
    private static let tokenEndpoint = "https://issuer.example/token"
    private static let corporate = ProviderID("corporate")
    /// The same issuer as a provider whose tokens must have `auth_time`.
    private static let strict = ProviderID("strict")

    private let clock = ManualClock()
    private let issuer: TestIssuer
    private let facebook: FacebookStandIn
    private let transport = StubTransport()
    private let auth: Auth
    private let logins: BrowserLogin
    private let origin = RequestOrigin(address: "198.51.100.7")

    init() throws {
        issuer = TestIssuer(clock: clock)
        facebook = FacebookStandIn(clock: clock)
        let issuer = self.issuer
        var required = Provider.Reauthentication.openID
        required.authenticationTime = .required
        func corporate(_ id: ProviderID, _ provider: Provider) throws -> SignInProvider {
            SignInProvider(
                id,
                provider: provider,
                displayName: id.rawValue,
                clientID: issuer.audience,
                authentication: .none,
                request: try .openID(scopes: ["email"])
            )
        }
        let metadata: TestJSON = [
            "issuer": .string(issuer.provider.issuers[0]), "jwks_uri": "https://issuer.example/keys",
            "authorization_endpoint": "https://issuer.example/authorize",
            "token_endpoint": .string(Self.tokenEndpoint),
        ]
        transport.answer("https://issuer.example/.well-known/openid-configuration", with: .json(metadata))
        auth = Auth(
            store: InMemoryAccountStore(),
            providers: try SignInProviders(
                [
                    try corporate(Self.corporate, issuer.provider),
                    try corporate(Self.strict, issuer.provider.with(required)),
                    try .facebook(facebook.app(), permissions: [], tracking: .enabled),
                ],
                keys: KeySnapshot([issuer.keys, facebook.issuer.keys]),
                transport: ByHost(standIn: facebook, rest: transport),
                clock: clock
            ),
            secrets: PageBench.secrets,
            clock: clock
        )
        logins = BrowserLogin(auth: auth, publicURL: "https://login.example.com")
    }

    private func parameters(of started: BrowserLogin.Started) throws -> [String: String] {
        let items = try #require(URLComponents(string: started.url)?.queryItems)
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, _ in "twice" }
    }

    /// Logs in at the OpenID provider after some seconds, with an `auth_time` this many seconds ago, or without it.
    private func logIn(
        _ purpose: AttemptPurpose,
        after seconds: Int = 0,
        authenticated age: Int?,
        returnTo: String? = nil
    ) async throws -> BrowserLogin.Outcome {
        let started = try await logins.begin(purpose, at: Self.corporate.rawValue, returnTo: returnTo)
        let sent = try parameters(of: started)
        clock.advance(by: .seconds(seconds))
        let token = issuer.token(nonce: sent["nonce"]) { token in
            token.claims["auth_time"] = age.map { .number("\(Int(clock.now.timeIntervalSince1970) - $0)") }
        }
        let answer: TestJSON = ["access_token": "secret", "token_type": "Bearer", "id_token": .string(token)]
        transport.answer(Self.tokenEndpoint, with: .json(answer))
        return try await logins.finish(
            LoginCallback(query: "code=c0de&state=\(sent["state"] ?? "")"),
            at: Self.corporate.rawValue,
            started.pendingLogin,
            session: Self.session(of: purpose),
            from: origin
        )
    }

    /// Returns the session of a login's purpose.
    private static func session(of purpose: AttemptPurpose) -> Session? {
        switch purpose {
        case .signIn: nil
        case .link(let session), .reauthenticate(let session): session
        }
    }

    private func session(_ outcome: BrowserLogin.Outcome) throws -> Session {
        switch outcome {
        case .signIn(let outcome, _): try outcome.get().session
        case .linked(let result), .reauthenticated(let result, _), .permissionsChanged(_, let result, _): result.session
        case .cancelled: throw CancellationError()
        }
    }

    @Test func `each purpose sends the provider its own reauthentication parameters`() async throws {
        let session = try session(try await logIn(.signIn, authenticated: nil))
        let expected: [(AttemptPurpose, Bool, prompt: String?, age: String?)] = [
            (.signIn, false, nil, nil), (.signIn, true, nil, "150"), (.link(session), false, nil, "150"),
            (.reauthenticate(session), false, "login", "150"),
        ]
        for (purpose, isRecent, prompt, age) in expected {
            let started = try await logins.begin(purpose, at: "corporate", returnTo: nil, isRecent: isRecent)
            let sent = try parameters(of: started)
            #expect(sent["prompt"] == prompt && sent["max_age"] == age)
            let facebook = try parameters(
                of: try await logins.begin(purpose, at: "facebook", returnTo: nil, isRecent: isRecent)
            )
            #expect(facebook["auth_type"] == (prompt == nil ? "rerequest" : "reauthenticate"))
            #expect(facebook["prompt"] == nil && facebook["max_age"] == nil)
        }
        // Any `max_age` makes the provider send `auth_time`, and the maximum value makes it ask nobody for a password.
        let strict = try parameters(of: try await logins.begin(.signIn, at: "strict", returnTo: nil))
        #expect(strict["max_age"] == "\(Int32.max)" && strict["prompt"] == nil)
    }

    @Test(.rule("R-LNK-11"))
    func `auth_time is the authentication time of the session, and an old one does not reauthenticate`() async throws {
        let old = try session(try await logIn(.signIn, authenticated: nil))
        clock.advance(by: .seconds(3600))
        let failure = await #expect(throws: BrowserLogin.Failure.self) {
            try await logIn(.reauthenticate(old), authenticated: 86400, returnTo: "/orders")
        }
        #expect(failure?.error?.code == .requiresRecentLogin && failure?.returnTo == "/orders")
        let again = try session(try await logIn(.reauthenticate(old), authenticated: 20))
        #expect(again.id == old.id && again.authenticatedAt == clock.now.addingTimeInterval(-20))
    }

    @Test(.rule("R-LNK-12"))
    func `without auth_time a reauthentication must end within five minutes`() async throws {
        let old = try session(try await logIn(.signIn, authenticated: nil))
        clock.advance(by: .seconds(3600))
        let failure = await #expect(throws: BrowserLogin.Failure.self) {
            try await logIn(.reauthenticate(old), after: 301, authenticated: nil)
        }
        #expect(failure?.error?.code == .requiresRecentLogin)
        #expect(try session(try await logIn(.reauthenticate(old), after: 300, authenticated: nil)).isRecent)
    }

    @Test(.rule("R-LNK-12"))
    func `Facebook can reauthenticate although its tokens have no auth_time`() async throws {
        func logIn(_ purpose: AttemptPurpose) async throws -> Session {
            let started = try await logins.begin(purpose, at: "facebook", returnTo: nil)
            let callback = LoginCallback(url: try #require(facebook.open(started.url)))
            return try session(
                try await logins.finish(
                    callback,
                    at: "facebook",
                    started.pendingLogin,
                    session: Self.session(of: purpose),
                    from: origin
                )
            )
        }
        let old = try await logIn(.signIn)
        clock.advance(by: .seconds(3600))
        #expect(try await logIn(.reauthenticate(old)).isRecent)
    }
}
#endif
