// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The reuse of answers: for a bounded time, in bounded memory, without tokens, and one request at a time.
@Suite struct IntrospectionCacheTests {
    // MARK: With an endpoint

    @Test(.rule("T-245"))
    func `an answer is used again until the lifetime is over`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector(cacheLifetime: .seconds(60))
        for (seconds, requests) in [(0, 1), (59, 1), (1, 2), (59, 2), (1, 3)] {
            bench.clock.advance(by: .seconds(seconds))
            _ = try await introspector.verify(IntrospectionBench.token)
            #expect(bench.requests == requests)
        }
    }

    @Test(.rule("T-245"))
    func `without a lifetime each verification asks`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector(cacheLifetime: .zero)
        for _ in 1...2 { _ = try await introspector.verify(IntrospectionBench.token) }
        bench.answer { $0["active"] = false }
        for _ in 1...2 { await refusal(.inactive, introspector) }
        #expect(bench.requests == 4)
    }

    @Test(.rule("T-245"))
    func `an answer is not used after the token has expired, with whatever leeway`() async throws {
        let bench = try IntrospectionBench(leeway: .seconds(300))
        bench.answer { $0["exp"] = bench.time(10) }
        let introspector = try bench.introspector()
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.answer { $0 = ["active": false] }
        bench.clock.advance(by: .seconds(9))
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.clock.advance(by: .seconds(1))
        await refusal(.inactive, introspector)
        #expect(bench.requests == 2)
    }

    @Test(.rule("T-245"))
    func `the policy is checked on every use of a cached answer`() async throws {
        let bench = try IntrospectionBench(maximumAge: .seconds(70))
        let introspector = try bench.introspector()
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.clock.advance(by: .seconds(10))
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.clock.advance(by: .seconds(1))
        await refusal(.tooOld, introspector)
        #expect(bench.requests == 1)
    }

    @Test(.rule("T-245"))
    func `an answer is not used if the clock was set back before it`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector()
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.clock.advance(by: .seconds(-1))
        _ = try await introspector.verify(IntrospectionBench.token)
        #expect(bench.requests == 2)
    }

    @Test(.rule("T-245"))
    func `an answer that a clock set back has excluded is not used later either`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector()
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.answer { $0["active"] = false }
        bench.clock.advance(by: .seconds(-10))
        await refusal(.inactive, introspector)
        bench.clock.advance(by: .seconds(10))
        await refusal(.inactive, introspector)
        #expect(bench.requests == 3)
    }

    @Test(.rule("T-246"))
    func `an inactive token is remembered for ten seconds`() async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0 = ["active": false] }
        let introspector = try bench.introspector()
        await refusal(.inactive, introspector)
        bench.answer()
        bench.clock.advance(by: .seconds(9))
        await refusal(.inactive, introspector)
        #expect(bench.requests == 1)
        bench.clock.advance(by: .seconds(1))
        _ = try await introspector.verify(IntrospectionBench.token)
        #expect(bench.requests == 2)
    }

    @Test(.rule("T-245"))
    func `each token has an answer of its own`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector()
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.answer { $0["sub"] = "user-2" }
        #expect(try await introspector.verify(IntrospectionBench.token + "x").subject == "user-2")
        #expect(try await introspector.verify(IntrospectionBench.token).subject == "user-1")
        #expect(bench.requests == 2)
    }

    @Test(
        .rule("T-247"),
        arguments: [
            ("jti", .string(IntrospectionBench.token)), ("ext", ["token": .string(IntrospectionBench.token)]),
            ("ext", [["x"], [.string(IntrospectionBench.token)]]),
        ] as [(String, TestJSON)]
    )
    func `an answer that contains the token is not cached`(member: String, value: TestJSON) async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0[member] = value }
        let introspector = try bench.introspector()
        for _ in 1...2 { _ = try await introspector.verify(IntrospectionBench.token) }
        #expect(bench.requests == 2)
    }

    @Test(.rule("T-247"))
    func `a large answer is accepted, and not cached`() async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0["other"] = .string(String(repeating: "x", count: Limits.cachedIntrospectionBytes)) }
        let introspector = try bench.introspector()
        for _ in 1...2 { _ = try await introspector.verify(IntrospectionBench.token) }
        #expect(bench.requests == 2)
    }

    // MARK: Concurrent verifications

    @Test(.rule("T-248"))
    func `16 tasks that present one token cause one request`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector()
        let (begun, begins) = AsyncStream.makeStream(of: Void.self)
        bench.transport.shut()
        let subjects = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    begins.yield()
                    return try await introspector.verify(IntrospectionBench.token).subject
                }
            }
            for await _ in begun.prefix(16) {}
            await bench.transport.requests(atLeast: 1)
            bench.transport.open()
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(subjects.count == 16 && subjects.allSatisfy { $0 == "user-1" })
        #expect(bench.requests == 1)
    }

    @Test(.rule("T-248"))
    func `a cancelled task ends no request that another waits for`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector()
        bench.transport.shut()
        let first = Task { try await introspector.verify(IntrospectionBench.token).subject }
        await bench.transport.requests(atLeast: 1)
        let second = Task { try await introspector.verify(IntrospectionBench.token).subject }
        first.cancel()
        bench.transport.open()
        #expect(try await second.value == "user-1")
        #expect(bench.requests == 1)
        _ = await first.result
    }

    @Test(.rule("T-248"))
    func `a token beyond the limit of requests in flight is undecided, and causes none`() async throws {
        let bench = try IntrospectionBench()
        let introspector = try bench.introspector()
        bench.transport.shut()
        let waiting = (0..<Limits.introspectionsInFlight).map { number in
            Task { _ = try await introspector.verify("made-up-\(number)") }
        }
        await bench.transport.requests(atLeast: Limits.introspectionsInFlight)
        await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
            try await introspector.verify(IntrospectionBench.token)
        }
        #expect(bench.requests == Limits.introspectionsInFlight)
        bench.transport.open()
        for task in waiting { try await task.value }
        _ = try await introspector.verify(IntrospectionBench.token)
    }

    // MARK: Without an endpoint

    private static let active = #"{"active":true,"exp":2000}"#

    private func fingerprint(_ number: Int) -> TokenFingerprint {
        TokenFingerprint(of: "token-\(number)", key: [UInt8](repeating: 7, count: 32))
    }

    private func claims(_ text: String = Self.active) throws -> Claims { try Claims(Array(text.utf8)) }

    @Test(.rule("T-247"))
    func `the fingerprint of a token depends on every byte and on the key`() {
        let other = TokenFingerprint(of: "token-1", key: [UInt8](repeating: 8, count: 32))
        #expect(Set([fingerprint(1), fingerprint(2), other, fingerprint(1)]).count == 3)
        #expect("\(fingerprint(1))" == "fingerprint of a token")
    }

    @Test(.rule("T-246"))
    func `the cache is bounded, and made-up tokens displace no active one`() throws {
        var cache = IntrospectionCache(lifetime: 60, activeTokens: 4, inactiveTokens: 8)
        let claims = try claims()
        cache.insert(.active(claims), about: fingerprint(-1), now: 100)
        for number in 0..<1000 { cache.insert(.inactive, about: fingerprint(number), now: 100) }
        #expect(cache.count == 9)
        #expect(cache.answer(about: fingerprint(-1), now: 100) != nil)
        let remembered = (0..<1000).count { cache.answer(about: fingerprint($0), now: 100) != nil }
        #expect(remembered == 8)
        for number in 0..<1000 { cache.insert(.active(claims), about: fingerprint(number), now: 101) }
        #expect(cache.count == 12)
        #expect(cache.answer(about: fingerprint(-1), now: 101) == nil)
    }

    @Test(.rule("T-246"))
    func `expired entries are removed`() throws {
        var cache = IntrospectionCache(lifetime: 60)
        for number in 0..<100 { cache.insert(.inactive, about: fingerprint(number), now: 100) }
        #expect(cache.count == 100)
        for number in 100..<200 { cache.insert(.inactive, about: fingerprint(number), now: 200) }
        #expect(cache.count == 100)
    }

    @Test(.rule("T-246"))
    func `a replaced entry keeps its own expiry`() throws {
        var cache = IntrospectionCache(lifetime: 60)
        try cache.insert(.active(claims(#"{"active":true,"exp":120}"#)), about: fingerprint(1), now: 100)
        // The clock was set back, so the entry is not used, and replaced.
        try cache.insert(.active(claims()), about: fingerprint(1), now: 90)
        // This removes the queued expiry of the first entry.
        try cache.insert(.active(claims()), about: fingerprint(2), now: 125)
        #expect(cache.answer(about: fingerprint(1), now: 149) != nil)
        #expect(cache.answer(about: fingerprint(1), now: 150) == nil)
        #expect(cache.count == 1)
    }

    @Test(.rule("T-245"), arguments: [Double.nan, .infinity, -.infinity])
    func `nothing is cached while the clock shows no time`(now: Double) throws {
        var cache = IntrospectionCache(lifetime: 60)
        try cache.insert(.active(claims()), about: fingerprint(1), now: now)
        cache.insert(.inactive, about: fingerprint(2), now: now)
        #expect(cache.count == 0)
        cache.insert(.inactive, about: fingerprint(2), now: 100)
        #expect(cache.answer(about: fingerprint(2), now: now) == nil)
    }

    @Test(.rule("T-242"))
    func `the absence of an answer is not cached`() {
        var cache = IntrospectionCache(lifetime: 60)
        cache.insert(.unavailable(VerificationUnavailable(detail: "none")), about: fingerprint(1), now: 100)
        #expect(cache.count == 0)
    }

    private func refusal(_ code: VerificationCode, _ introspector: TokenIntrospector) async {
        await expectRefused(code) { () async throws(VerificationError) in
            try await introspector.verify(IntrospectionBench.token)
        }
    }
}
