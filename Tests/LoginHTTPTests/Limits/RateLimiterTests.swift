// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginAccounts
import LoginTokens
import LoginTesting
import HTTPTypes
import Logging
import Testing

@testable import LoginHTTP

@Suite struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test func `the requests of a minute are allowed at once, and the next one after a wait`() {
        let limiter = RateLimiter()
        for _ in 0..<60 { #expect(limiter.take("a", perMinute: 60, at: start) == nil) }
        let wait = limiter.take("a", perMinute: 60, at: start)
        #expect(wait == .seconds(1))
        #expect(limiter.take("a", perMinute: 60, at: start + .milliseconds(900)) != nil)
        #expect(limiter.take("a", perMinute: 60, at: start + .seconds(2)) == nil)
    }

    @Test func `each network has its own budget, which never exceeds that of a minute`() {
        let limiter = RateLimiter()
        for _ in 0..<2 { _ = limiter.take("a", perMinute: 2, at: start) }
        #expect(limiter.take("a", perMinute: 2, at: start) != nil)
        #expect(limiter.take("b", perMinute: 2, at: start) == nil)
        let later = start + .seconds(3600)
        for _ in 0..<2 { #expect(limiter.take("a", perMinute: 2, at: later) == nil) }
        #expect(limiter.take("a", perMinute: 2, at: later) != nil)
    }

    @Test func `a changed limit applies at once`() {
        let limiter = RateLimiter()
        for _ in 0..<10 { _ = limiter.take("a", perMinute: 10, at: start) }
        #expect(limiter.take("a", perMinute: 10, at: start) != nil)
        #expect(limiter.take("a", perMinute: 600, at: start + .milliseconds(200)) == nil)
        #expect(limiter.take("a", perMinute: 1, at: start + .milliseconds(400)) == nil)
        #expect(limiter.take("a", perMinute: 1, at: start + .milliseconds(500)) != nil)
    }

    @Test func `new networks beyond the capacity share a bucket, and known networks keep their own`() {
        let limiter = RateLimiter(capacity: 100, shares: 1)
        for network in 0..<100 { #expect(limiter.take("\(network)", perMinute: 5, at: start) == nil) }
        var passed = 0
        for network in 100..<1000 where limiter.take("\(network)", perMinute: 5, at: start) == nil { passed += 1 }
        #expect(passed == 5)
        // A known client keeps its own budget.
        #expect(limiter.take("7", perMinute: 5, at: start) == nil)
        // Once the others have been idle for a minute, there is room.
        #expect(limiter.take("new", perMinute: 5, at: start + .seconds(61)) == nil)
        #expect(limiter.take("newer", perMinute: 5, at: start + .seconds(61)) == nil)
    }

    @Test func `a flood of new networks does not exclude later ones`() {
        let limiter = RateLimiter(capacity: 100)
        for network in 0..<1_000 { _ = limiter.take("\(network)", perMinute: 20, at: start) }
        let refused = (0..<200).count { limiter.take("honest \($0)", perMinute: 20, at: start) != nil }
        #expect(refused == 0)
    }

    @Test func `a clock that goes back adds nothing to the budget`() {
        let limiter = RateLimiter()
        for _ in 0..<3 { _ = limiter.take("a", perMinute: 3, at: start) }
        #expect(limiter.take("a", perMinute: 3, at: start - .seconds(60)) != nil)
    }

    /// Sends a request through a trusted proxy on a Unix socket.
    private func ask(
        _ server: TestServer,
        _ path: String,
        for address: String,
        _ headers: HTTPFields = [:]
    ) async throws -> ServerResponse {
        var headers = headers
        headers[.xForwardedFor] = address
        return try await server.send(.get, path, headers)
    }

    @Test func `a network over the limit is refused with Retry-After, and another is not`() async throws {
        let now = Box(start)
        var login = try await LoginFixture().service()
        login.trustedProxies = TrustedProxies([])
        login.counts = RequestCounts(now: { now.value })
        login.limits = RequestLimits(requests: 2)
        let server = TestServer(login, routes: ["/page": { _ in "here" }])
        // The API and the routes of the application have one limit.
        #expect(try await ask(server, "/page", for: "198.51.100.7").status == .ok)
        #expect(try await ask(server, "/openapi.json", for: "198.51.100.8").status == .ok)
        let refused = try await ask(server, "/page", for: "198.51.100.9")
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "30")
        #expect(try await ask(server, "/page", for: "203.0.113.1").status == .ok)
        now.change { $0 += .seconds(30) }
        #expect(try await ask(server, "/page", for: "198.51.100.7").status == .ok)
    }

    @Test func `a changed limit applies to the next request, and a second check of a request counts nothing`()
        async throws
    {
        let (start, limit) = (start, Box(1))
        var login = try await LoginFixture().service()
        login.counts = RequestCounts(now: { start })
        login.limits = RequestLimits(requests: limit.value)
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        let request = ServerRequest(head, from: .address("192.0.2.1"), logger: Logger(label: "test"))
        guard case .signedOut(let visit) = try await login.session(of: request, isOptional: true),
            case .signedOut = try await login.session(of: visit, isOptional: true)
        else { throw Refused() }
        guard case .answer(let refused) = try await login.session(of: request, isOptional: true) else {
            throw Refused()
        }
        #expect(refused.status == .tooManyRequests)
        limit.change { $0 = 60_000 }
        login.counts = RequestCounts(now: { start + .seconds(1) })
        guard case .signedOut = try await login.session(of: request, isOptional: true) else { throw Refused() }
    }

    private struct Refused: Error {}

    @Test func `the routes of a protected resource can be limited, by the address that a trusted proxy reports`()
        async throws
    {
        var bench = try ResourceBench(proofs: nil, proxies: TrustedProxies([]), requestsPerMinute: 2)
        let (token, start) = (bench.issuer.accessToken(), start)
        bench.resource.counts = RequestCounts(now: { start })
        func ask(_ token: String?, _ address: String) async throws -> ResourceBench.Answer {
            try await bench.ask(token.map { "Bearer \($0)" }, headers: [.xForwardedFor: address])
        }
        #expect(try await ask(token, "198.51.100.7").status == .ok)
        #expect(try await ask(nil, "198.51.100.8").status == .unauthorized)
        let refused = try await ask(token, "198.51.100.9")
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "30")
        #expect(try refused.code() == "too-many-requests")
        #expect(try await ask(token, "203.0.113.1").status == .ok)
    }

    @Test func `the limit of a protected resource ignores the address that a client reports itself`() async throws {
        var bench = try ResourceBench(proofs: nil, requestsPerMinute: 1)
        let start = start
        bench.resource.counts = RequestCounts(now: { start })
        let authorization = "Bearer \(bench.issuer.accessToken())"
        for (address, status) in [("198.51.100.7", HTTPResponse.Status.ok), ("203.0.113.1", .tooManyRequests)] {
            let fields: HTTPFields = [.xForwardedFor: address]
            let answer = try await bench.ask(authorization, headers: fields, from: .address("192.0.2.1"))
            #expect(answer.status == status)
        }
    }
}
#endif
