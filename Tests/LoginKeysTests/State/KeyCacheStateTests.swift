// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// A table of transitions for each rule of the cache: pure, without a clock and without waiting.
///
/// The configuration is the default one: a lifetime of 300 s if the response states none, refreshed at 0.8 of it where
/// the jitter is 0; a cooldown of 30 s; retries after 1, 2, 4 … 300 s; a stale limit of 86,400 s; a deadline of 5 s.
@Suite struct KeyCacheStateTests {
    private static let first: [Move] = [.fetches(0), .brings(0, "a")]

    @Test(.rule("T-160")) func `any number of verifications with an empty cache wait for one fetch`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0)] + Array(repeating: .waits(0), count: 100))
        try story.tell([.sleeps(1, until: 6), .waits(1), .brings(2, "a"), .has(2, "a"), .sleeps(2, until: 62)])
    }

    @Test(.rule("T-161")) func `any number of unknown keys cause one fetch per cooldown`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.looks(1, "k0", .look), .fetches(1), .brings(1, "a")])
        try story.tell([.finds(1, "k0", among: "a", after: .look)])
        for number in 1...10_000 {
            try story.tell([.postpones(1 + Double(number) * 0.0029, "k\(number)", until: 31)])
        }
        try story.tell([.sleeps(30.9, until: 61), .looks(31, "last", .look), .fetches(31)])
    }

    @Test(.rule("T-162")) func `a new key is found by one fetch after the cooldown`() throws {
        var story = CacheStory()
        try story.tell(
            Self.first + [.looks(40, "b", .look), .fetches(40), .looks(40, "b", .anyFetch), .brings(41, "ab")]
        )
        try story.tell([.finds(41, "b", among: "ab", after: .look), .finds(41, "b", among: "ab", after: .anyFetch)])
        // Within the cooldown of that refresh, no refresh looks for the next new key; after it, one does.
        try story.tell([.postpones(69, "c", until: 70), .looks(70, "c", .look), .fetches(70), .brings(71, "abc")])
        try story.tell([.finds(71, "c", among: "abc", after: .look)])
    }

    @Test(.rule("T-163")) func `the delay after failures doubles up to the limit`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .fails(0), .lacks(0), .lacks(0.9)])
        var now = 0.0
        for delay in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] {
            let early = now + delay - 0.5
            try story.tell([.sleeps(early, until: min(now + delay, early + 60)), .lacks(early)])
            now += delay
            try story.tell([.waits(now), .fetches(now), .fails(now)])
        }
    }

    @Test(.rule("T-163")) func `jitter shortens the delay before the next attempt by up to a half`() {
        for (jitter, delay) in [(0.0, 1.0), (0.5, 0.75), (0.999, 0.5005)] {
            var state = KeyCacheState(provider: .facebook, configuration: KeyCacheConfiguration())
            state.beginService()
            state.endRestoring()
            guard case .fetch(let fetch) = state.nextStep(for: .service, at: .zero, jitter: 0).step else {
                Issue.record("it did not fetch")
                continue
            }
            let failure = KeyFetchFailure(TransportFailure(.name, ""), of: .keySet)
            #expect(state.end(fetch, with: .failure(failure), at: .zero, jitter: jitter) != nil)
            #expect(state.nextStep(for: .service, at: .zero, jitter: 0).step == .sleep(until: .seconds(delay)))
        }
    }

    @Test(.rule("T-163", "T-161")) func `a failed refresh starts the cooldown, and tokens cause no other`()
        throws
    {
        var story = CacheStory()
        try story.tell(Self.first + [.looks(100, "b", .look), .fetches(100), .fails(101)])
        try story.tell([.wonders(101, "b", after: .look), .wonders(101, "c"), .has(101, "a")])
        // The service retries by itself.
        try story.tell([.sleeps(101.5, until: 102), .fetches(102), .brings(103, "ab"), .finds(103, "b", among: "ab")])
        // The cooldown counts from the refresh, not from its success.
        try story.tell([.postpones(129, "c", until: 130), .looks(130, "c", .look)])
    }

    @Test(.rule("T-164")) func `a rotation right after a refresh is noticed, because one refresh is in reserve`() throws
    {
        var story = CacheStory()
        try story.tell(Self.first + [.looks(0.1, "b", .look), .fetches(0.1), .brings(0.2, "ab")])
        try story.tell([.finds(0.2, "b", among: "ab", after: .look), .postpones(0.3, "c", until: 30.1)])
    }

    @Test(.rule("T-164", "T-162")) func `a caller that joined an earlier fetch may still cause a refresh`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.fetches(240), .looks(240.5, "b", .anyFetch), .brings(241, "a")])
        try story.tell([.looks(241, "b", .look, after: .anyFetch), .fetches(241), .brings(242, "ab")])
        try story.tell([.finds(242, "b", among: "ab", after: .look)])
    }

    @Test(.rule("T-164", "T-162")) func `a caller that joined a fetch waits for the refresh of another caller`() throws
    {
        var story = CacheStory()
        try story.tell(Self.first + [.fetches(240), .looks(240.5, "b", .anyFetch), .brings(241, "a")])
        try story.tell([.looks(241, "c", .look), .fetches(241), .looks(241.1, "b", .look, after: .anyFetch)])
        try story.tell([.brings(242, "ab"), .finds(242, "b", among: "ab", after: .look)])
        try story.tell([.finds(242, "c", among: "ab", after: .look)])
    }

    @Test(
        .rule("T-165"),
        arguments: [
            (nil, 300.0), (0, 300), (299, 300), (300, 300), (301, 301), (3600, 3600), (86_400, 86_400),
            (86_401, 86_400), (9e12, 86_400),
        ]
    )
    func `the lifetime of a response is used within the limits`(stated: Double?, lifetime: Double) throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .brings(0, "a", lifetime: stated)])
        #expect(story.state.keys?.lifetime == .seconds(lifetime))
        // The refresh comes before the end of the lifetime: by a fifth, and by up to three tenths with jitter.
        try story.tell([.sleeps(lifetime * 0.8 - 0.01, until: lifetime * 0.8), .fetches(lifetime * 0.8)])
    }

    @Test(.rule("T-166")) func `stale keys are used up to the limit, and each change is reported once`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.told(["fetched", "key-appeared a"]), .fetches(240), .fails(245)])
        try story.tell([
            .has(299.9, "a"), .told(["fetch-failed"]), .fetches(300), .told(["serving-stale"]), .fails(300),
        ])
        try story.tell([.has(300, "a"), .has(86_699.9, "a"), .told(["fetch-failed"])])
        try story.tell([.fetches(86_699), .fails(86_699.9), .sleeps(86_700, until: 86_703.9)])
        try story.tell([
            .told(["fetch-failed", "keys-expired"]), .lacks(86_700), .wonders(86_700, "a"), .wonders(86_700, "b"),
        ])
        try story.tell([.waits(86_704), .fetches(86_704), .brings(86_705, "a"), .has(86_705, "a")])
        try story.tell([.told(["fetched", "fresh-again"])])
    }

    @Test(.rule("T-166")) func `a token with an unknown key is undecided while the keys are stale`() throws {
        var story = CacheStory()
        try story.tell(
            Self.first + [.fetches(240), .fails(240), .wonders(250, "b"), .wonders(400, "b"), .has(400, "a")]
        )
    }

    @Test(.rule("T-167")) func `a failed response replaces no keys`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.fetches(240), .fails(241), .has(241, "a"), .finds(241, "a", among: "a")])
        #expect(story.state.keys?.fetchedAt == .zero)
    }

    @Test(.rule("T-168")) func `a key that is missing in a valid response is removed`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .brings(0, "ab"), .told(["fetched", "key-appeared a", "key-appeared b"])])
        try story.tell([.fetches(240), .brings(240, "bc"), .has(240, "bc")])
        try story.tell([.told(["fetched", "key-appeared c", "key-vanished a"])])
        try story.tell([.looks(240, "a", .look), .fetches(240), .brings(240, "bc")])
        try story.tell([.finds(240, "a", among: "bc", after: .look), .told(["fetched"])])
    }

    @Test(.rule("T-169")) func `an unusable key is reported once and causes no refresh`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .brings(0, "a!"), .told(["fetched", "key-appeared a", "key-skipped !"])])
        try story.tell([.finds(1, "!", among: "a"), .fetches(240), .brings(240, "a!"), .told(["fetched"])])
    }

    @Test(.rule("T-172")) func `the result of an abandoned fetch is ignored`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .waits(0), .sleeps(5.9, until: 6), .sleeps(6, until: 7)])
        try story.tell([.told(["fetch-failed", "no-keys"]), .lacks(6, after: .anyFetch), .fetches(7), .brings(7, "b")])
        try story.tell([.bringsLate(8, "a"), .has(8, "b"), .told(["fetched", "key-appeared b", "fresh-again"])])
    }

    @Test(.rule("T-172")) func `no fetch is started while two abandoned ones have not ended`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .sleeps(6, until: 7), .fetches(7), .sleeps(13, until: 73), .lacks(100)])
        try story.tell([.bringsLate(100, "a"), .waits(100), .fetches(100), .brings(100, "b"), .has(100, "b")])
    }

    @Test(.rule("T-173")) func `no caller waits while there are keys, whatever the running fetch does`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.has(239, "a"), .fetches(240), .has(240, "a"), .finds(241, "a", among: "a")])
        try story.tell([.has(245, "a"), .sleeps(246, until: 247), .has(246, "a"), .fetches(247), .has(300, "a")])
    }

    @Test(.rule("T-174")) func `a key that was not found is looked up again after the cooldown`() throws {
        var story = CacheStory(Self.hours)
        try story.tell(Self.first + [.looks(10, "b", .look), .fetches(10), .brings(11, "a")])
        try story.tell([.finds(11, "b", among: "a", after: .look), .finds(39.9, "b", among: "a")])
        // The token was early: the provider has published its key meanwhile.
        try story.tell([.looks(40, "b", .look), .fetches(40), .brings(41, "ab")])
        try story.tell([.finds(41, "b", among: "ab", after: .look), .postpones(41, "c", until: 70)])
    }

    @Test(.rule("T-161", "T-174")) func `each lookup shows that all keys that were not found are still absent`() throws
    {
        var story = CacheStory(Self.hours)
        try story.tell(Self.first + [.looks(10, "x", .look), .fetches(10), .brings(10, "a")])
        try story.tell([.finds(10, "x", among: "a", after: .look)])
        for start in stride(from: 46.0, to: 346, by: 30) {
            let end = start + 1
            try story.tell([.looks(start, "y", .look), .looks(start, "x", .look), .fetches(start)])
            try story.tell([
                .looks(start, "x", .anyFetch), .brings(end, "a"), .finds(end, "y", among: "a", after: .look),
            ])
            try story.tell([.finds(end, "x", among: "a", after: .anyFetch), .finds(start + 29.9, "x", among: "a")])
        }
    }

    @Test(.rule("T-174")) func `a key is not known to be absent if the last lookup was not answered`() throws {
        var story = CacheStory(Self.hours)
        try story.tell(Self.first + [.looks(10, "x", .look), .fetches(10), .brings(10, "a")])
        try story.tell([.finds(10, "x", among: "a", after: .look), .looks(40, "y", .look), .fetches(40)])
        try story.tell([.stops, .begins, .postpones(41, "x", until: 70)])
    }

    /// A lifetime of at least an hour, so that no renewal is due.
    private static var hours: KeyCacheConfiguration {
        var configuration = KeyCacheConfiguration()
        configuration.lifetime = .seconds(3600) ... .seconds(86_400)
        return configuration
    }

    @Test(.rule("T-174")) func `changed keys clear the list of keys that were not found`() throws {
        for (brought, isForgotten) in [("a", false), ("ab", true), ("b", true)] {
            var story = CacheStory()
            try story.tell(Self.first + [.fetches(240), .brings(240, "a"), .looks(240, "x", .look), .fetches(240)])
            try story.tell([.brings(240, "a"), .finds(240, "x", among: "a", after: .look)])
            try story.tell([.looks(271, "y", .look), .fetches(271), .brings(271, brought)])
            // That refresh started the cooldown, so a key that is not remembered as unknown is looked for after it.
            try story.tell([
                isForgotten ? .postpones(299.9, "x", until: 301) : .finds(299.9, "x", among: brought)
            ])
            try story.tell([.finds(271, "y", among: brought, after: .look)])
            let later: Move = isForgotten ? .looks(301, "y2", .look) : .looks(301, "x", .look)
            try story.tell([later])
        }
    }

    @Test(.rule("T-174")) func `the last 128 keys that were not found are remembered`() throws {
        var configuration = Self.hours
        configuration.cooldown = .seconds(1)
        var story = CacheStory(configuration)
        try story.tell(Self.first)
        // All these waited for the same refresh.
        try story.tell([.looks(10, "x0", .look), .fetches(10), .brings(10, "a")])
        for number in 0...128 {
            try story.tell([.finds(10, "x\(number)", among: "a", after: .look)])
        }
        try story.tell([.finds(10.9, "x1", among: "a"), .finds(10.9, "x128", among: "a")])
        try story.tell([.postpones(10.9, "x0", until: 11), .looks(11, "x0", .look)])
    }

    @Test(.rule("T-161", "T-168"))
    func `a withdrawn key is known to be absent, and looked up again after the cooldown`() throws {
        var story = CacheStory()
        try story.tell([.fetches(0), .brings(0, "ab"), .looks(40, "c", .look), .fetches(40), .brings(40, "bc")])
        try story.tell([.finds(41, "a", among: "bc"), .postpones(41, "d", until: 70), .looks(70, "a", .look)])
    }

    @Test(.rule("T-161", "T-162")) func `tokens without a key ID cause one refresh per cooldown`() throws {
        var story = CacheStory()
        try story.tell(
            Self.first + [
                .looks(1, nil, .look), .fetches(1), .brings(1, "a"), .finds(1, nil, among: "a", after: .look),
            ]
        )
        // Without a key ID nothing can be remembered, so only the cooldown limits the refreshes.
        try story.tell([.finds(30.9, nil, among: "a"), .looks(31, nil, .look)])
    }

    @Test func `a caller whose time has run out is told so, and causes no request`() throws {
        var story = CacheStory()
        try story.tell([
            .fetches(0), .lacks(1, after: .limit), .brings(2, "a"), .wonders(3, "b", after: .limit),
        ])
        try story.tell([.has(3, "a"), .finds(3, "a", among: "a", after: .limit), .sleeps(3, until: 63)])
    }

    @Test(.rule("T-166")) func `a caller whose refresh never ended has an undecided token`() throws {
        var story = CacheStory()
        try story.tell(Self.first + [.looks(10, "b", .look), .fetches(10), .stops, .begins])
        try story.tell([.wonders(11, "b", after: .look), .looks(40, "b", .look)])
    }

    @Test func `a store that does not respond delays no caller for longer than a fetch`() throws {
        var story = CacheStory(isRestored: false)
        try story.tell([.restores(0), .sleeps(0, until: 5), .waits(0), .sleeps(4.9, until: 5), .fetches(5)])
        try story.tell([.brings(6, "a")])
        // The restored keys are older, and are ignored.
        let late = story.state.restore(try Letters.fetched("b", lifetime: nil), age: .zero, at: .seconds(7))
        #expect(late == [])
        try story.tell([.has(7, "a")])
    }

    @Test func `at most ten thousand callers wait, and a released place is reused`() {
        var state = CacheStory().state
        for _ in 0..<10_000 where !state.beginWaiting() { Issue.record("there was no place") }
        var answers: [Bool] = []
        answers.append(state.beginWaiting())
        state.endWaiting()
        answers.append(state.beginWaiting())
        answers.append(state.beginWaiting())
        #expect(answers == [false, true, false])
    }
}
