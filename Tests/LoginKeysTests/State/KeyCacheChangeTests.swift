// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// The changes that an operator makes to a running cache: pure, without a clock and without waiting.
@Suite struct KeyCacheChangeTests {
    private static let first: [Move] = [.fetches(0), .brings(0, "a", lifetime: 3600)]

    private static func times(
        lifetime: ClosedRange<Double> = 300...86_400,
        stale: Double = 86_400,
        cooldown: Double = 30
    ) -> KeyCacheTimes {
        KeyCacheTimes(
            lifetime: .seconds(lifetime.lowerBound) ... .seconds(lifetime.upperBound),
            staleLimit: .seconds(stale),
            cooldown: .seconds(cooldown)
        )
    }

    private static func status(_ story: CacheStory, at now: Double) -> KeyCacheStatus {
        KeyCacheStatus(story.state, provider: "example", at: .seconds(now))
    }

    @Test(.rule("T-165")) func `a shorter lifetime applies to the current keys, and a longer one to the next response`()
        throws
    {
        var story = CacheStory()
        try story.tell(Self.first + [.sleeps(100, until: 160)])
        story.state.reconfigure(Self.times(lifetime: 60...600), at: .seconds(100))
        #expect(Self.status(story, at: 100).lifetime == .seconds(600))
        #expect(Self.status(story, at: 599).isStale == false)
        #expect(Self.status(story, at: 600).isStale)
        story.state.reconfigure(Self.times(lifetime: 60...86_400), at: .seconds(100))
        #expect(Self.status(story, at: 100).lifetime == .seconds(3600))
        story.state.reconfigure(Self.times(lifetime: 7200...86_400), at: .seconds(100))
        #expect(Self.status(story, at: 100).lifetime == .seconds(7200))
    }

    @Test(.rule("T-165"))
    func `keys that are too old for a new lifetime are fetched at once, and remain in use meanwhile`()
        throws
    {
        var story = CacheStory()
        try story.tell(Self.first + [.sleeps(700, until: 760)])
        story.state.reconfigure(Self.times(lifetime: 60...600), at: .seconds(700))
        try story.tell([.has(700, "a"), .fetches(700), .has(700, "a"), .brings(701, "ab", lifetime: 3600)])
        // From then on the refresh comes before the new end of the lifetime.
        try story.tell([.has(701, "ab"), .sleeps(1180, until: 1181), .fetches(1181)])
    }

    @Test(.rule("T-163")) func `another lifetime does not shorten the delay after a failure`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .brings(0, "a", lifetime: 400), .fetches(320), .fails(320)])
        story.state.reconfigure(Self.times(lifetime: 1...10), at: .seconds(320))
        try story.tell([.sleeps(320.5, until: 321), .fetches(321)])
    }

    @Test(.rule("T-166")) func `a changed stale limit can end the use of keys and permit it again`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .brings(0, "a"), .fetches(240), .fails(240), .has(1000, "a")])
        story.state.reconfigure(Self.times(stale: 60), at: .seconds(1000))
        try story.tell([.lacks(1000, after: .limit)])
        story.state.reconfigure(Self.times(stale: 3600), at: .seconds(1000))
        try story.tell([.has(1000, "a")])
    }

    @Test(.rule("T-161")) func `a shorter cooldown applies at once, and a longer one from the next refresh`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.looks(40, "k0", .look), .fetches(40), .brings(40, "a", lifetime: 3600)])
        try story.tell([.postpones(44, "k1", until: 70)])
        story.state.reconfigure(Self.times(cooldown: 5), at: .seconds(44))
        try story.tell([.postpones(48.9, "k1", until: 49), .looks(49, "k1", .look), .fetches(49)])
        try story.tell([.brings(49, "a", lifetime: 3600)])
        story.state.reconfigure(Self.times(cooldown: 600), at: .seconds(50))
        try story.tell([.postpones(53.9, "k2", until: 54), .looks(54, "k2", .look), .fetches(54)])
        try story.tell([
            .brings(54, "a", lifetime: 3600), .postpones(653.9, "k3", until: 654), .looks(654, "k3", .look),
        ])
    }

    @Test(.rule("T-186")) func `an operator can have keys fetched once per cooldown, however often they ask`()
        throws
    {
        var story = CacheStory()
        #expect(story.state.refresh(at: .zero) == .begun)
        #expect(story.state.refresh(at: .zero) == .underWay)
        try story.tell([.fetches(0)])
        #expect(story.state.refresh(at: .seconds(0.5)) == .underWay)
        try story.tell([.brings(1, "a", lifetime: 3600)])
        for tenth in 10..<300 {
            let now = Double(tenth) / 10
            #expect(story.state.refresh(at: .seconds(now)) == .tooSoon(wait: .seconds(30) - .seconds(now)))
        }
        try story.tell([.sleeps(29.9, until: 89.9)])
        #expect(story.state.refresh(at: .seconds(30)) == .begun)
        try story.tell([.has(30, "a"), .fetches(30), .brings(31, "b", lifetime: 3600), .has(31, "b")])
        #expect(story.state.refresh(at: .seconds(59)) == .tooSoon(wait: .seconds(1)))
        #expect(story.state.refresh(at: .seconds(60)) == .begun)
    }

    @Test(.rule("T-186")) func `refreshes for unknown keys and by operators share one cooldown`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.looks(40, "k0", .look), .fetches(40), .brings(40, "a", lifetime: 3600)])
        #expect(story.state.refresh(at: .seconds(50)) == .tooSoon(wait: .seconds(20)))
        #expect(story.state.refresh(at: .seconds(70)) == .begun)
        try story.tell([.fetches(70), .brings(71, "a", lifetime: 3600), .postpones(99, "k1", until: 100)])
        try story.tell([.looks(100, "k1", .look)])
    }

    @Test(.rule("T-163", "T-186"))
    func `an operator need not wait for the delay after a failure, but for the cooldown`() throws {
        var story = CacheStory()
        var now = 0.0
        for delay in [1.0, 2, 4, 8, 16, 32, 64] {
            try story.tell([.fetches(now), .fails(now)])
            now += delay
        }
        // The last attempt failed at 63, and the next one would be at 127.
        #expect(story.state.refresh(at: .seconds(90)) == .tooSoon(wait: .seconds(3)))
        #expect(story.state.refresh(at: .seconds(93)) == .begun)
        try story.tell([.fetches(93), .brings(94, "a"), .has(94, "a")])
    }

    @Test(.rule("T-186")) func `an operator's request starts a background task if no service runs`() throws {
        var story = CacheStory(worker: .backgroundTask, isRestored: false)
        #expect(story.state.refresh(at: .zero) == .begun)
        try story.tell([.starts(0, true), .restores(0)])
        story.state.endRestoring()
        try story.tell([.fetches(0), .brings(0, "a", lifetime: 3600), .ends(0)])
        #expect(story.state.refresh(at: .seconds(29)) == .tooSoon(wait: .seconds(1)))
        try story.tell([.starts(29, false)])
        #expect(story.state.refresh(at: .seconds(30)) == .begun)
        try story.tell([.starts(30, true), .fetches(30)])
    }

    @Test(.rule("T-186")) func `an operator's request starts no fetch while two abandoned ones have not ended`() throws
    {
        var story = CacheStory()
        try story.tell([.fetches(0), .sleeps(6, until: 7), .fetches(7), .sleeps(13, until: 73)])
        #expect(story.state.refresh(at: .seconds(100)) == .unavailable)
        try story.tell([.bringsLate(100, "a")])
        #expect(story.state.refresh(at: .seconds(100)) == .begun)
    }

    @Test(.timeLimit(.minutes(10))) func `a running cache accepts new times and refuses values out of range`()
        async throws
    {
        let bench = try CacheBench()
        var times = KeyCacheConfiguration().times
        times.lifetime = .seconds(60) ... .seconds(120)
        try await bench.cache.running {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            #expect(bench.cache.statuses.first?.lifetime == .seconds(3600))
            try bench.cache.reconfigure(times)
            #expect(bench.cache.statuses.first?.lifetime == .seconds(120))
            let good = times
            times.cooldown = .milliseconds(999)
            #expect(throws: KeyCacheError.self) { try bench.cache.reconfigure(times) }
            times = good
            times.staleLimit = .seconds(-1)
            #expect(throws: KeyCacheError.self) { try bench.cache.reconfigure(times) }
            times = good
            times.lifetime = .milliseconds(999) ... .seconds(60)
            #expect(throws: KeyCacheError.self) { try bench.cache.reconfigure(times) }
            #expect(bench.cache.statuses.first?.lifetime == .seconds(120))
            #expect(bench.cache.refresh().map(\.provider) == ["example"])
        }
    }
}
