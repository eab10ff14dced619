// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import Logging
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Routes that scripts of other origins call, by the CORS protocol.
@Suite struct CrossOriginRouteTests {
    private static let exposed = "WWW-Authenticate, DPoP-Nonce, Retry-After"

    private static let app: HTTPFields = [.origin: "https://app.example.com"]
    /// Origins that differ from the allowed one in a part, and those of documents without an origin.
    private static let others = [
        "https://evil.example", "http://app.example.com", "https://app.example.com:8443",
        "https://app.example.com.evil.example",
        "https://APP.example.com", "https://app.example.com/", "null", "*", "",
    ]
    private static let preflight: HTTPFields = [
        .origin: "https://app.example.com", .accessControlRequestMethod: "PATCH",
        .accessControlRequestHeaders: "authorization,dpop",
    ]

    /// A client whose requests are counted.
    private static let peer = ServerRequest.Peer.address("192.0.2.1")

    private static func bench(
        _ origins: [String] = ["https://app.example.com", "https://admin.example.com"],
        requestsPerMinute: Int? = nil
    ) throws -> ResourceBench {
        try ResourceBench(proofs: nil, requestsPerMinute: requestsPerMinute, origins: try AllowedOrigins(origins))
    }

    /// A server whose only route counts its requests, for all methods.
    private func counting(
        _ bench: ResourceBench,
        _ requests: Box<Int>,
        _ fields: HTTPFields = [:]
    ) -> TestServer {
        bench.server((bench.resource, RouteRequirements(scopes: ["orders:read"]))) { _ in
            requests.change { $0 += 1 }
            return .text("open", fields)
        }
    }

    /// The fields of CORS in a response, except `Vary`.
    private func permissions(_ headers: HTTPFields) -> [HTTPField] {
        headers.filter { $0.name.canonicalName.hasPrefix("access-control-") }
    }

    @Test func `an allowed origin may read every response, and the challenge and nonce of a refusal`() async throws {
        let bench = try Self.bench(requestsPerMinute: 3)
        let requests = Box(0)
        let server = counting(bench, requests)
        let (good, weak) = (bench.issuer.accessToken(scopes: ["orders:read"]), bench.issuer.accessToken())
        let expected: [(String?, HTTPResponse.Status)] = [
            ("Bearer \(good)", .ok), (nil, .unauthorized), ("Bearer \(weak)", .forbidden),
            ("Bearer \(good)", .tooManyRequests),
        ]
        for (authorization, status) in expected {
            let answer = try await bench.ask(authorization, headers: Self.app, from: Self.peer, on: server)
            #expect(answer.status == status)
            #expect(answer.headers[values: .accessControlAllowOrigin] == ["https://app.example.com"], "\(status)")
            #expect(answer.headers[.accessControlExposeHeaders] == Self.exposed, "\(status)")
            #expect(answer.headers[values: .vary] == ["Origin"], "\(status)")
            #expect(!answer.headers.contains(.accessControlAllowCredentials), "\(status)")
        }
        #expect(requests.value == 1)
    }

    @Test(arguments: others)
    func `another origin gets no permission, and its responses vary too`(origin: String) async throws {
        let bench = try Self.bench()
        let token = "Bearer \(bench.issuer.accessToken())"
        for authorization in [token, nil] {
            let answer = try await bench.ask(authorization, headers: [.origin: origin])
            #expect(permissions(answer.headers).isEmpty)
            #expect(answer.headers[values: .vary] == ["Origin"])
        }
    }

    @Test func `a request without an origin, and one with two, get no permission, and vary too`() async throws {
        let bench = try Self.bench()
        var two = Self.app
        two.append(HTTPField(name: .origin, value: "https://app.example.com"))
        for fields in [HTTPFields(), two] {
            let answer = try await bench.ask("Bearer \(bench.issuer.accessToken())", headers: fields)
            #expect(answer.status == .ok && permissions(answer.headers).isEmpty)
            #expect(answer.headers[values: .vary] == ["Origin"])
        }
    }

    @Test func `an API without origins sends no fields of CORS, and refuses preflights`() async throws {
        let bench = try Self.bench([])
        let requests = Box(0)
        let server = counting(bench, requests)
        let answer = try await bench.ask(nil, .options, headers: Self.preflight, on: server)
        #expect(answer.status == .unauthorized)
        #expect(permissions(answer.headers).isEmpty && !answer.headers.contains(.vary))
        #expect(requests.value == 0)
        #expect(bench.resource.preflight(options(Self.preflight)) == nil)
    }

    @Test func `a preflight of an allowed origin is answered without the route`() async throws {
        let bench = try Self.bench(requestsPerMinute: 1)
        let requests = Box(0)
        let server = counting(bench, requests)
        for _ in 0..<2 {
            let answer = try await bench.ask(nil, .options, headers: Self.preflight, from: Self.peer, on: server)
            #expect(answer.status == .noContent && answer.text.isEmpty)
            #expect(answer.headers[values: .accessControlAllowOrigin] == ["https://app.example.com"])
            #expect(answer.headers[.accessControlAllowMethods] == "PATCH")
            #expect(answer.headers[.accessControlAllowHeaders] == "authorization,dpop")
            #expect(answer.headers[.accessControlMaxAge] == "600")
            #expect(answer.headers[values: .vary] == ["Origin"])
            #expect(!answer.headers.contains(.accessControlAllowCredentials))
        }
        #expect(requests.value == 0)
    }

    @Test(arguments: others)
    func `a preflight of another origin is answered without a permission, and without the route`(
        origin: String
    ) async throws {
        let bench = try Self.bench()
        let requests = Box(0)
        var fields = Self.preflight
        fields[.origin] = origin
        let answer = try await bench.ask(nil, .options, headers: fields, on: counting(bench, requests))
        #expect(answer.status == .noContent && permissions(answer.headers).isEmpty)
        #expect(answer.headers[values: .vary] == ["Origin"])
        #expect(requests.value == 0)
    }

    @Test func `OPTIONS that is no preflight needs a token`() async throws {
        let bench = try Self.bench()
        let requests = Box(0)
        let server = counting(bench, requests)
        for missing in [HTTPField.Name.origin, .accessControlRequestMethod] {
            var fields = Self.preflight
            fields[missing] = nil
            let answer = try await bench.ask(nil, .options, headers: fields, on: server)
            #expect(answer.status == .unauthorized, "\(missing)")
            #expect(requests.value == 0, "\(missing)")
        }
        let token = "Bearer \(bench.issuer.accessToken(scopes: ["orders:read"]))"
        #expect(try await bench.ask(token, .options, headers: Self.app, on: server).text == "open")
    }

    @Test func `fields that the route sets itself are replaced, and its Vary is kept`() async throws {
        let bench = try Self.bench()
        let own: HTTPFields = [
            .accessControlAllowOrigin: "*", .accessControlAllowCredentials: "true",
            .accessControlExposeHeaders: "X-Total",
            .vary: "Accept-Encoding",
        ]
        let server = counting(bench, Box(0), own)
        let token = "Bearer \(bench.issuer.accessToken(scopes: ["orders:read"]))"
        let answer = try await bench.ask(token, headers: Self.app, on: server)
        #expect(answer.headers[values: .accessControlAllowOrigin] == ["https://app.example.com"])
        #expect(answer.headers[values: .accessControlExposeHeaders] == [Self.exposed])
        #expect(!answer.headers.contains(.accessControlAllowCredentials))
        #expect(answer.headers[values: .vary] == ["Accept-Encoding", "Origin"])
        let other = try await bench.ask(token, headers: [.origin: "https://evil.example"], on: server)
        #expect(permissions(other.headers).isEmpty)
    }

    @Test(arguments: ["Origin", "accept, ORIGIN", "*"])
    func `a Vary that covers the origin already is unchanged`(vary: String) async throws {
        let bench = try Self.bench()
        let server = counting(bench, Box(0), [.vary: vary])
        let token = "Bearer \(bench.issuer.accessToken(scopes: ["orders:read"]))"
        #expect(try await bench.ask(token, headers: Self.app, on: server).headers[values: .vary] == [vary])
    }

    @Test func `of two resources that check a request, the last one decides which origins may read the response`()
        async throws
    {
        let (open, closed) = (try Self.bench(), try Self.bench([]))
        let requirements = RouteRequirements()
        let server = open.server((open.resource, requirements), (closed.resource, requirements))
        let token = "Bearer \(open.issuer.accessToken())"
        let answer = try await open.ask(token, headers: Self.app, on: server)
        #expect(permissions(answer.headers).isEmpty)
    }

    @Test func `scripts of allowed origins may read the metadata`() async throws {
        let bench = try Self.bench()
        let path = "/.well-known/oauth-protected-resource"
        let answer = try await bench.ask(nil, .get, path, headers: Self.app)
        #expect(answer.status == .ok && answer.headers[.accessControlAllowOrigin] == "https://app.example.com")
        #expect(answer.headers[values: .vary] == ["Origin"])
    }

    @Test func `a preflight is answered before a router, and no other request is`() throws {
        let bench = try Self.bench()
        let answer = try #require(bench.resource.preflight(options(Self.preflight)))
        #expect(answer.status == .noContent && answer.headers.contains(.xRequestID))
        #expect(!answer.headers.contains(.accessControlExposeHeaders))
        #expect(bench.resource.preflight(options(Self.app)) == nil)
        let post = options(Self.preflight, .post)
        #expect(bench.resource.preflight(post) == nil)
    }

    private func options(_ fields: HTTPFields, _ method: HTTPRequest.Method = .options) -> ServerRequest {
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: "/orders", headerFields: fields)
        return ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
    }

    // MARK: forward-auth

    private func forwarded(_ bench: ResourceBench) async throws -> LoginFixture {
        let fixture = try await LoginFixture()
        fixture.options.resources.replaceAll(with: ["orders": bench.resource])
        return fixture
    }

    @Test func `forward-auth returns the fields of CORS with each decision about a token`() async throws {
        let bench = try Self.bench()
        let path = "/v1/forward-auth/orders?scope=orders:read"
        let tokens: [(String?, HTTPResponse.Status)] = [
            (bench.issuer.accessToken(scopes: ["orders:read"]), .ok), (nil, .unauthorized),
            (bench.issuer.accessToken(), .forbidden),
        ]
        try await forwarded(bench).run { client in
            for (token, status) in tokens {
                let answer = try await client.ask(.get, path, bearer: token, headers: Self.app)
                #expect(answer.status == status)
                #expect(answer.headers[values: .accessControlAllowOrigin] == ["https://app.example.com"], "\(status)")
                #expect(answer.headers[.accessControlExposeHeaders] == Self.exposed, "\(status)")
                #expect(answer.headers[values: .vary].contains("Origin"), "\(status)")
                let other = try await client.ask(.get, path, bearer: token, headers: [.origin: "https://evil.example"])
                #expect(permissions(other.headers).isEmpty && other.headers[values: .vary].contains("Origin"))
            }
        }
    }

    @Test func `the service answers preflights with OPTIONS, and refuses their authorization with GET`() async throws {
        let bench = try Self.bench()
        let path = "/v1/forward-auth/orders"
        try await forwarded(bench).run { client in
            let allowed = try await client.ask(.options, path, headers: Self.preflight)
            #expect(allowed.status == .noContent)
            #expect(allowed.headers[.accessControlAllowOrigin] == "https://app.example.com")
            #expect(allowed.headers[.accessControlAllowMethods] == "PATCH")
            var fields = Self.preflight
            fields[.origin] = "https://evil.example"
            let other = try await client.ask(.options, path, headers: fields)
            #expect(other.status == .noContent && permissions(other.headers).isEmpty)
            #expect(other.headers[values: .vary].contains("Origin"))
            // A proxy would take 2xx for an authorization.
            fields = Self.preflight
            fields[.xForwardedMethod] = "OPTIONS"
            try await client.refused(.missingToken, .get, path, headers: fields)
            try await client.refused(.invalidRequest, .options, path, headers: Self.app)
            try await client.refused(.notFound, .options, "/v1/forward-auth/nobody", headers: Self.preflight)
        }
    }

    @Test func `the service gives no permission for an API without origins`() async throws {
        let bench = try Self.bench([])
        try await forwarded(bench).run { client in
            let answer = try await client.ask(.options, "/v1/forward-auth/orders", headers: Self.preflight)
            #expect(answer.status == .noContent && permissions(answer.headers).isEmpty)
        }
    }
}
#endif
