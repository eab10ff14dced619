// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginAccounts
import LoginTokens
import LoginTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import LoginHummingbird

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

    @Test func `a network over the limit is refused with Retry-After, and another is not`() async throws {
        let router = Router(context: BasicLoginRequestContext.self)
        let now = Box(start)
        router.addMiddleware {
            OriginMiddleware(trustedProxies: TrustedProxies([]))
            ProblemMiddleware()
            RateLimitMiddleware(now: { now.value }) { 2 }
        }
        router.get("page") { _, _ in "here" }
        try await Application(router: router).test(.router) { client in
            func ask(_ address: String) async throws -> (status: HTTPResponse.Status, retry: String?) {
                try await client.execute(uri: "/page", method: .get, headers: [.xForwardedFor: address]) {
                    ($0.status, $0.headers[.retryAfter])
                }
            }
            #expect(try await ask("198.51.100.7").status == .ok)
            #expect(try await ask("198.51.100.8").status == .ok)
            let refused = try await ask("198.51.100.9")
            #expect(refused.status == .tooManyRequests && refused.retry == "30")
            #expect(try await ask("203.0.113.1").status == .ok)
            now.change { $0 += .seconds(30) }
            #expect(try await ask("198.51.100.7").status == .ok)
        }
    }

    @Test func `the routes of a protected resource can be limited, by the address that a trusted proxy reports`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil, proxies: TrustedProxies([]))
        let (token, now) = ("Bearer \(bench.issuer.accessToken())", start)
        let router = Router(context: BasicAccessTokenRequestContext.self)
        router.add(middleware: RateLimitMiddleware(for: bench.resource, now: { now }) { 2 })
        router.group().add(middleware: bench.resource.requireToken()).get("me") { _, _ in "open" }
        func ask(_ authorization: String?, _ address: String) async throws -> ResourceBench.Answer {
            try await bench.ask(authorization, headers: [.xForwardedFor: address], on: router)
        }
        #expect(try await ask(token, "198.51.100.7").status == .ok)
        #expect(try await ask(nil, "198.51.100.8").status == .unauthorized)
        let refused = try await ask(token, "198.51.100.9")
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "30")
        #expect(try refused.code() == "too-many-requests")
        #expect(try await ask(token, "203.0.113.1").status == .ok)
    }

    @Test func `the limit of a protected resource ignores the address that a client reports itself`() async throws {
        let bench = try ResourceBench(proofs: nil, proxies: TrustedProxies([], trustingUnixSocket: false))
        let now = start
        let router = Router(context: BasicAccessTokenRequestContext.self)
        router.add(middleware: RateLimitMiddleware(for: bench.resource, now: { now }) { 1 })
        router.get("me") { _, _ in "open" }
        // Over a socket, because the limit needs a client address.
        try await Application(router: router).test(.live) { client in
            for (address, status) in [("198.51.100.7", HTTPResponse.Status.ok), ("203.0.113.1", .tooManyRequests)] {
                try await client.execute(uri: "/me", method: .get, headers: [.xForwardedFor: address]) {
                    #expect($0.status == status)
                }
            }
        }
    }
}
#endif
