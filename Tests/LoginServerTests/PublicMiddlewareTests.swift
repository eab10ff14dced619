// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird && SQLite
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdTesting
internal import LoginHummingbird
internal import LoginPages
internal import Logging
internal import TestSupport
internal import Testing

@testable internal import LoginServer

/// The middleware of the public listener: status, headers and metrics of each kind of response.
@Suite struct PublicMiddlewareTests {
    private let parts: ServiceParts

    private struct Unforeseen: Error {}

    /// The values of the header field Accept of a browser and of a program, with the type of an error response.
    private static let clients = [
        ("text/html,*/*;q=0.8", "text/html; charset=utf-8"), ("*/*", "application/problem+json"),
    ]

    init() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "public-\(UUID().uuidString)")
        var configuration = try ConfigurationFileReader(
            flags: ["store": directory.path + "/accounts.sqlite", "public-url": "https://login.example.com"],
            environment: ["HOME": "/h"]
        ).configuration(nil)
        configuration.tweaks["limits.requests.per-network-and-minute"] = "1"
        // A trial creates no files, and keeps its accounts in memory.
        parts = try await ServiceParts(
            configuration,
            version: "1",
            metrics: PrometheusMetrics(),
            logger: LogLines().logger,
            logLevel: LogLevel(.info),
            isTrial: true
        )
    }

    private var router: Router<BasicLoginRequestContext> {
        let router = Router(context: BasicLoginRequestContext.self, options: .autoGenerateHeadEndpoints)
        let pages = SignInPages<BasicLoginRequestContext>(
            auth: parts.auth,
            publicURL: parts.configuration.publicURL,
            options: parts.pages
        )
        router.add(middleware: PublicMiddleware(parts, pages))
        for path in ["good", "healthz"] { router.get(RouterPath(path)) { _, _ in "good" } }
        router.get("broken") { _, _ -> String in throw Unforeseen() }
        router.get("cancelled") { _, _ -> String in throw CancellationError() }
        return router
    }

    /// Sends a request without a socket, so that it has no network and no limit.
    private func ask(_ method: HTTPRequest.Method, _ path: String, accept: String = "*/*") async throws
        -> TestResponse
    {
        try await Application(router: router).test(.router) { client in
            try await client.execute(uri: path, method: method, headers: [.accept: accept])
        }
    }

    /// Sends requests over a socket until one is refused, up to a number.
    ///
    /// - Returns: The last response.
    private func askOverSocket(_ path: String, times: Int, accept: String = "*/*") async throws -> TestResponse {
        try await Application(router: router).test(.live) { client in
            var last = try await client.execute(uri: path, method: .get, headers: [.accept: accept])
            for _ in 1..<times where last.status == .ok {
                last = try await client.execute(uri: path, method: .get, headers: [.accept: accept])
            }
            return last
        }
    }

    /// Expects that a response has what every response has, and was counted once.
    private func expectComplete(
        _ response: TestResponse,
        counted labels: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let headers = response.headers
        #expect(headers[.known("X-Request-ID")]?.utf8.count == 16, sourceLocation: sourceLocation)
        #expect(headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true, sourceLocation: sourceLocation)
        #expect(headers[.xContentTypeOptions] == "nosniff", sourceLocation: sourceLocation)
        #expect(headers[.strictTransportSecurity] != nil, sourceLocation: sourceLocation)
        #expect(
            parts.metrics.text.contains("http_requests_total{\(labels)} 1\n"),
            "\(parts.metrics.text)",
            sourceLocation: sourceLocation
        )
    }

    @Test func `a response gets a request ID and the security headers, and is counted`() async throws {
        let response = try await ask(.get, "/good?code=secret")
        #expect(response.status == .ok && String(buffer: response.body) == "good")
        expectComplete(response, counted: #"method="GET",route="/good",status="200""#)
        #expect(!parts.metrics.text.contains("secret"))
    }

    @Test func `a response to HEAD has no body, and is counted as one`() async throws {
        let response = try await ask(.head, "/good")
        #expect(response.status == .ok && response.body.readableBytes == 0)
        expectComplete(response, counted: #"method="HEAD",route="/good",status="200""#)
    }

    @Test(arguments: clients)
    func `an unknown path is a page for a browser and a problem document for a program`(accept: String, type: String)
        async throws
    {
        let response = try await ask(.get, "/nowhere", accept: accept)
        #expect(response.status == .notFound && response.headers[.contentType] == type)
        expectComplete(response, counted: #"method="GET",route="none",status="404""#)
    }

    @Test(arguments: clients)
    func `a request over the limit of its network is refused with a page or a problem document`(
        accept: String,
        type: String
    ) async throws {
        let response = try await askOverSocket("/good", times: 100, accept: accept)
        #expect(response.status == .tooManyRequests && response.headers[.contentType] == type)
        #expect(response.headers[.retryAfter] != nil)
        expectComplete(response, counted: #"method="GET",route="/good",status="429""#)
    }

    @Test func `the health check has no limit`() async throws {
        #expect(try await askOverSocket("/healthz", times: 5).status == .ok)
    }

    @Test func `an unforeseen error is a problem document, also for a browser`() async throws {
        let response = try await ask(.get, "/broken", accept: "text/html")
        #expect(response.status == .internalServerError)
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(String(buffer: response.body).contains("internal-error"))
        expectComplete(response, counted: #"method="GET",route="/broken",status="500""#)
    }

    @Test func `a cancelled request is counted, and gets no response of the service`() async throws {
        // The test client responds with an empty body to an error that the router throws.
        let response = try await ask(.get, "/cancelled")
        #expect(response.headers[.known("X-Request-ID")] == nil && response.body.readableBytes == 0)
        let labels = #"method="GET",route="/cancelled",status="500""#
        #expect(parts.metrics.text.contains("http_requests_total{\(labels)} 1\n"))
    }
}
#endif
