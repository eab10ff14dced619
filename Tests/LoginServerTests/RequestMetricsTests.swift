// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdTesting
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginKeys
internal import LoginPages
internal import LoginProviders
internal import LoginTesting
internal import Logging
internal import Testing

@testable internal import LoginHTTP
@testable internal import LoginServer

/// The metrics of the responses to requests.
@Suite struct RequestMetricsTests {
    private let metrics = PrometheusMetrics()
    private let login: LoginService

    init() throws {
        login = LoginService(
            publicURL: "https://login.example.com",
            auth: Auth(store: InMemoryAccountStore(), providers: .none, secrets: AccountSecrets(repeating: 7)),
            keys: try KeyCache(providers: [], transport: StubTransport()),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Sends requests, and returns the status of the responses.
    private func ask(_ requests: [(HTTPRequest.Method, String)]) async throws -> [Int] {
        let cancelled = LoginRoute(
            "/cancelled",
            [(.get, { _, _ throws(CancellationError) in throw CancellationError() })],
            of: login
        )
        let routes = login.apiRoutes() + login.pageRoutes() + [cancelled]
        let responder = LoginResponder(login, routes, observe: RequestMetrics(factory: metrics).record)
        return try await Application(responder: responder, logger: login.logger).test(.router) { client in
            var statuses: [Int] = []
            for (method, path) in requests {
                statuses.append(try await client.execute(uri: path, method: method) { $0.status.code })
            }
            return statuses
        }
    }

    @Test func `a response is counted once, by the template of its path, its method and its status`() async throws {
        let requests: [(HTTPRequest.Method, String)] = [
            (.get, "/login?returnTo=secret"), (.head, "/login"), (.put, "/login"), (.get, "/problems/secret"),
            (.get, "/secret"), (HTTPRequest.Method("SECRET") ?? .trace, "/secret"),
        ]
        #expect(try await ask(requests) == [200, 200, 405, 404, 404, 404])
        for labels in [
            #"method="GET",route="/login",status="200""#, #"method="HEAD",route="/login",status="200""#,
            #"method="PUT",route="/login",status="405""#, #"method="GET",route="/problems/{code}",status="404""#,
            #"method="GET",route="none",status="404""#, #"method="other",route="none",status="404""#,
        ] {
            #expect(metrics.text.contains("http_requests_total{\(labels)} 1\n"), "\(metrics.text)")
        }
        #expect(metrics.text.contains("http_request_duration_seconds_count{route=\"/login\"} 3\n"))
        #expect(!metrics.text.lowercased().contains("secret"))
    }

    @Test func `a cancelled request is counted as a failure`() async throws {
        // The test client responds with status 500 to an error that the responder throws.
        #expect(try await ask([(.get, "/cancelled")]) == [500])
        let labels = #"method="GET",route="none",status="500""#
        #expect(metrics.text.contains("http_requests_total{\(labels)} 1\n"), "\(metrics.text)")
    }
}
#endif
