// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import InMemoryLogging
import LoginAccounts
import LoginKeys
import LoginTesting
import LoginTokens
import Logging
import Testing

@testable import LoginHTTP
@testable import LoginPages
@testable import LoginProviders

/// The log lines about providers that are unreachable or misconfigured.
@Suite struct OutageLogTests {
    private static let issuer = "https://login.corp.example"
    private static let document = "\(issuer)/.well-known/openid-configuration"

    private let handler: InMemoryLogHandler
    private let transport = StubTransport()

    init() {
        var handler = InMemoryLogHandler()
        handler.logLevel = .debug
        self.handler = handler
    }

    private var logger: Logger {
        let handler = handler
        return Logger(label: "test") { _ in handler }
    }

    private func lines(_ message: String) -> [InMemoryLogHandler.Entry] {
        handler.entries.filter { "\($0.message)" == message }
    }

    /// Creates a service with one provider, and begins logins through a route.
    private func begin(times: Int) async throws -> HTTPResponse.Status {
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: try SignInProviders(
                [.openID("corp", issuer: Self.issuer, clientID: "web", clientSecret: "s3cr3t")],
                keys: KeySnapshot([]),
                transport: transport,
                observers: [.logging(logger)]
            ),
            secrets: AccountSecrets(repeating: 7)
        )
        let logins = BrowserLogin(auth: auth, publicURL: PageBench.publicURL)
        let keys = try KeyCache(providers: [], transport: transport)
        let login = LoginService(publicURL: PageBench.publicURL, auth: auth, keys: keys, logger: logger)
        var status = HTTPResponse.Status.ok
        for _ in 0..<times {
            let response = try await login.serve(ServerRequest(.post, "/begin", logger: logger)) { _ in
                let url = try await logins.begin(.signIn, at: "corp", returnTo: nil).url
                return ServerResponse(status: .seeOther, headers: [.location: url])
            }
            status = response.status
        }
        return status
    }

    @Test func `an unreachable provider is logged as one error for many requests, and as one warning`() async throws {
        #expect(try await begin(times: 5) == .serviceUnavailable)
        let failed = lines("request failed")
        #expect(failed.map(\.level) == [.error, .debug, .debug, .debug, .debug])
        #expect(failed.first?.metadata["error.code"] == "provider-unavailable")
        #expect(lines("provider metadata unavailable").map(\.level) == [.warning])
    }

    @Test func `a misconfigured provider is an internal error, which is logged with the reason`() async throws {
        transport.answer(
            Self.document,
            with: .json([
                "issuer": .string(Self.issuer), "jwks_uri": .string("\(Self.issuer)/keys"),
                "authorization_endpoint": .string("\(Self.issuer)/authorize"),
                "token_endpoint": .string("\(Self.issuer)/token"), "code_challenge_methods_supported": ["plain"],
            ])
        )
        #expect(try await begin(times: 2) == .internalServerError)
        let failed = lines("request failed")
        #expect(failed.map(\.level) == [.error, .error])
        let detail = "login not possible: provider: corp: the provider does not support the code challenge method S256"
        #expect(failed.first?.metadata["error.code"] == "internal-error")
        #expect(failed.first?.metadata["error.detail"] == "\(detail)")
        #expect(lines("provider metadata unavailable").isEmpty)
    }

    @Test func `each unreachable provider is logged as an error once a minute, and other problems every time`() {
        let log = OutageLog()
        let start = ContinuousClock.now
        func level(_ reason: AuthError.Reason, _ provider: ProviderID?, after seconds: Int) -> Logger.Level {
            let error = AuthError(reason, "", provider: provider)
            return log.level(of: error, as: Problem(error), at: start + .seconds(seconds))
        }
        #expect(level(.providerUnavailable, "corp", after: 0) == .error)
        #expect(level(.providerUnavailable, "corp", after: 59) == .debug)
        #expect(level(.providerUnavailable, .google, after: 59) == .error)
        #expect(level(.providerUnavailable, nil, after: 59) == .error)
        #expect(level(.providerUnavailable, "corp", after: 60) == .error)
        #expect(level(.storeUnavailable, nil, after: 60) == .error)
        #expect(level(.storeUnavailable, nil, after: 60) == .error)
    }

    @Test func `a second kind of outage of a provider is logged as an error of its own`() {
        let log = OutageLog()
        let error = AuthError(.providerUnavailable, "", provider: "corp")
        let now = ContinuousClock.now
        #expect(log.level(of: error, as: Problem(error), at: now) == .error)
        #expect(log.level(of: error, as: Problem(.keysUnavailable), at: now) == .error)
        #expect(log.level(of: error, as: Problem(.keysUnavailable), at: now) == .debug)
    }

    @Test func `provider metadata that stays in use is logged with its age, and that it is available again`() {
        let observer = LoginObserver.logging(logger)
        observer.receive(LoginEvent(.unavailable(ProviderFault(), age: .seconds(86_400.5)), of: "corp"))
        observer.receive(LoginEvent(.available, of: "corp"))
        #expect(handler.entries.map(\.level) == [.warning, .notice])
        #expect(handler.entries.allSatisfy { $0.metadata["provider"] == "corp" })
        let kept = handler.entries.first
        #expect(kept.map { "\($0.message)" } == "provider metadata not renewed; the earlier one stays in use")
        #expect(kept?.metadata["provider.metadata_age_seconds"] == "86400")
        #expect(kept?.metadata["provider.reason"] == "ProviderFault()")
    }

    @Test func `a login that begins in a request is logged at debug, with the ID of the request`() async throws {
        transport.answer(
            Self.document,
            with: .json([
                "issuer": .string(Self.issuer), "jwks_uri": .string("\(Self.issuer)/keys"),
                "authorization_endpoint": .string("\(Self.issuer)/authorize"),
                "token_endpoint": .string("\(Self.issuer)/token"),
            ])
        )
        #expect(try await begin(times: 1) == .seeOther)
        let begun = lines("login begun")
        #expect(begun.map(\.level) == [.debug] && begun.first?.metadata["provider"] == "corp")
        #expect(begun.first?.metadata["request.id"] != nil)
    }
}

/// A failure of discovery.
private struct ProviderFault: Error {}
#endif
