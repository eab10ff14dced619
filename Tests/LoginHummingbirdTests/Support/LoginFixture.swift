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

/// A server with accounts in memory, providers that sign real tokens, and a clock that stands still.
struct LoginFixture: Sendable {
    static let publicURL = "https://login.example.com"
    static let secrets = AccountSecrets([[UInt8](repeating: 7, count: 32)])

    let clock = ManualClock()
    let google: TestIssuer
    let facebook: TestIssuer
    let mail = MailBox()
    let codes = CapturedCodes()
    let auth: Auth
    var options = LoginAPIOptions()

    init(policy: AuthPolicy = AuthPolicy(), store: any AccountStore = InMemoryAccountStore()) async throws {
        google = TestIssuer(provider: .google, audience: "google-client", clock: clock)
        facebook = TestIssuer.facebook(clock: clock)
        var policy = policy
        // As slow as it has to be, a test would take minutes.
        policy.passwords.cost = try #require(PasswordCost(log2: 4))
        try await store.migrate()
        auth = Auth(
            store: store,
            providers: [
                .openID(.google, verifier: try Self.verifier(google), emailTrust: .verifiedClaimOfAnyDomain),
                .federated(.facebook(verifier: try Self.verifier(facebook))), .password(mail), .phone,
            ],
            secrets: Self.secrets,
            policy: policy,
            phoneCodes: codes,
            clock: clock
        )
        let verifier = try Self.verifier(google)
        options.profile = { $0.profile }
        options.policies = ["app": VerificationPolicy(provider: .google) { verifier }]
        options.publicURL = Self.publicURL
        options.clock = clock
        options.allowsGuests = true
    }

    static func verifier(_ issuer: TestIssuer) throws -> TokenVerifier {
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        return TokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
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

/// Mail that nobody sends: a test reads it.
final class MailBox: EmailSender {
    private let box = Box<[EmailMessage]>([])

    func token(_ kind: EmailMessage.Kind) -> String? { box.value.last { $0.kind == kind }?.token }

    func send(_ message: EmailMessage) async throws { box.change { $0.append(message) } }
}
#endif
