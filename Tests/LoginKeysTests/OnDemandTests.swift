// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginKeys
import LoginTesting
import LoginTokens
import Synchronization
import TestSupport
import Testing

/// A cache without a running service.
@Suite(.timeLimit(.minutes(10))) struct OnDemandTests {
    @Test(.rule("T-171")) func `a fetch continues after its only caller is cancelled, and serves the next call`()
        async throws
    {
        let bench = try CacheBench()
        let token = bench.issuer.token()
        bench.transport.shut()
        let impatient = Task { await bench.verdict(token) }
        await bench.transport.requests(atLeast: 1)
        impatient.cancel()
        #expect(await impatient.value == "keys-unavailable")
        bench.transport.open()
        #expect(await bench.verdict(token) == "verified")
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.rule("T-173")) func `a call starts a due renewal, and no call waits for it`()
        async throws
    {
        let bench = try CacheBench()
        let token = bench.issuer.token()
        let events = bench.cache.events()
        #expect(await bench.verdict(token) == "verified")
        bench.transport.shut()
        bench.clock.advance(by: .seconds(3000))
        let executor = CountingExecutor()
        let jobs = await Task(executorPreference: executor) {
            let before = executor.jobs
            for _ in 0..<100 {
                guard await bench.verdict(token) == "verified" else { return -1 }
            }
            return executor.jobs - before
        }.value
        #expect(jobs == 0)
        await bench.transport.requests(atLeast: 2)
        bench.transport.open()
        var fetches = 0
        for await event in events where event.kind == .fetched {
            fetches += 1
            if fetches == 2 { break }
        }
        #expect(bench.transport.requests.count == 2)
    }

    @Test(.rule("T-173", "T-168"))
    func `the first call after hours waits for new keys, so that no withdrawn key is used`()
        async throws
    {
        let kinds = Mutex<[KeyCacheEvent.Kind]>([])
        let bench = try CacheBench(observers: [KeyCacheObserver { event in kinds.withLock { $0.append(event.kind) } }])
        let rotated = TestIssuer(provider: bench.issuer.provider, clock: bench.issuer.clock, key: .another)
        #expect(await bench.verdict(bench.issuer.token()) == "verified")
        bench.transport.answer(CacheBench.address, with: .json(rotated.keySet))
        bench.clock.advance(by: .seconds(8 * 3600))
        #expect(await bench.verdict(bench.issuer.token()) == "key-not-found")
        #expect(await bench.verdict(rotated.token()) == "verified")
        #expect(kinds.withLock { $0.contains(.servingStale) } == false)
    }

    @Test(.rule("T-166")) func `keys that cannot be renewed are used up to the stale limit`() async throws {
        let bench = try CacheBench()
        let token = bench.issuer.token()
        #expect(await bench.verdict(token) == "verified")
        bench.transport.answer(CacheBench.address, with: .failure(.connection))
        // One hour of lifetime, and 24 hours of the stale limit.
        for _ in 1...24 {
            bench.clock.advance(by: .seconds(3600))
            #expect(await bench.verdict(token) == "verified")
        }
        bench.clock.advance(by: .seconds(3600))
        #expect(await bench.verdict(token) == "keys-unavailable")
        bench.transport.answer(CacheBench.address, with: .json(bench.issuer.keySet))
        bench.clock.advance(by: .seconds(300))
        #expect(await bench.verdict(token) == "verified")
    }

    @Test(.rule("T-163"))
    func `calls fail at once while the provider is down, and cause no request before the next attempt`()
        async throws
    {
        let bench = try CacheBench()
        let token = bench.issuer.token()
        bench.transport.answer(CacheBench.address, with: .failure(.connection))
        // The clock stands still, so none of these waits for a time.
        for _ in 0..<100 { #expect(await bench.verdict(token) == "keys-unavailable") }
        #expect(bench.transport.requests.count == 1)
        bench.clock.advance(by: .milliseconds(499))
        #expect(await bench.verdict(token) == "keys-unavailable")
        #expect(bench.transport.requests.count == 1)
        bench.clock.advance(by: .milliseconds(501))
        #expect(await bench.verdict(token) == "keys-unavailable")
        #expect(bench.transport.requests.count == 2)
        bench.transport.answer(CacheBench.address, with: .json(bench.issuer.keySet))
        bench.clock.advance(by: .seconds(2))
        #expect(await bench.verdict(token) == "verified")
        #expect(bench.transport.requests.count == 3)
    }

    @Test(.rule("T-172")) func `a hanging transport is abandoned at the deadline, and used again by a later call`()
        async throws
    {
        let bench = try CacheBench()
        let late = TestIssuer(provider: bench.issuer.provider, clock: bench.issuer.clock, key: .another)
        bench.transport.shut(againstCancellation: true)
        async let verdict = bench.verdict(bench.issuer.token())
        await bench.transport.requests(atLeast: 1)
        // The waiting call and the background task.
        try await bench.clock.waitForSleepers(2)
        bench.clock.advance(by: .seconds(6))
        #expect(await verdict == "keys-unavailable")
        bench.clock.advance(by: .seconds(1))
        async let next = bench.verdict(late.token())
        await bench.transport.requests(atLeast: 2)
        bench.transport.answer(CacheBench.address, with: .json(late.keySet))
        bench.transport.open()
        #expect(await next == "verified")
    }

    @Test func `a deallocated cache releases its transport after the deadline of its fetch`() async throws {
        let clock = ManualContinuousClock()
        weak var transport: StubTransport?
        weak var cache: KeyCache?
        do {
            let held = StubTransport()
            held.shut()
            let provider = Provider(name: "example", issuers: ["https://issuer.example"], keySetURL: CacheBench.address)
            let owned = try KeyCache(providers: [provider], transport: held, clock: clock)
            (transport, cache) = (held, owned)
            let call = Task { try? await owned.snapshot(for: "https://issuer.example") }
            await held.requests(atLeast: 1)
            call.cancel()
            #expect(await call.value == nil)
        }
        try await eventually("the cache is gone") { cache == nil }
        // The background task, which waits for the fetch to end.
        try await clock.waitForSleepers(1)
        #expect(transport != nil)
        clock.advance(by: .seconds(6))
        try await eventually("the fetch was cancelled, and its task has ended") { transport == nil }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `an operator can have keys fetched before the first call`() async throws {
        let bench = try CacheBench()
        #expect(bench.cache.refresh().map(\.outcome) == [.begun])
        await bench.transport.requests(atLeast: 1)
        #expect(await bench.verdict(bench.issuer.token()) == "verified")
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `changing the times causes no request`() async throws {
        let bench = try CacheBench()
        var times = KeyCacheConfiguration().times
        times.lifetime = .seconds(60) ... .seconds(120)
        try bench.cache.reconfigure(times)
        #expect(await bench.verdict(bench.issuer.token()) == "verified")
        #expect(bench.cache.statuses.first?.lifetime == .seconds(120))
        #expect(bench.transport.requests.count == 1)
    }
}
