// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// The decisions of a cache without a running service: pure, without a clock and without waiting.
///
/// Calls drive it: each asks whether it must start a background task, which does the due work and ends.
@Suite struct BackgroundTaskTests {
    private static let first: [Move] = [.starts(0, true), .fetches(0), .brings(0, "a"), .ends(0)]

    @Test(.rule("T-160"))
    func `the first call starts a task that loads stored keys and fetches, and others wait for it`()
        throws
    {
        var story = CacheStory(worker: .backgroundTask, isRestored: false)
        try story.tell([.waits(0), .starts(0, true), .waits(0), .starts(0, false), .restores(0), .sleeps(0, until: 5)])
        story.state.endRestoring()
        try story.tell([.waits(1), .starts(1, false), .fetches(1), .waits(2), .starts(2, false)])
        try story.tell([.sleeps(2, until: 7), .brings(3, "a"), .ends(3), .has(3, "a"), .starts(3, false)])
    }

    @Test(.rule("T-173")) func `a call starts a due renewal and does not wait for it`() throws {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell(Self.first + [.has(239.9, "a"), .starts(239.9, true), .ends(239.9), .starts(239.95, false)])
        try story.tell([.has(240, "a"), .starts(240, true), .fetches(240), .has(241, "a"), .starts(241, false)])
        try story.tell([.brings(242, "ab"), .ends(242), .has(242, "ab"), .starts(242, false)])
    }

    @Test func `the age of the keys is reported on use, at most once a minute`() throws {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell(Self.first + [.starts(59.9, false), .starts(60, true), .ends(60), .starts(119.9, false)])
        try story.tell([.starts(150, true), .ends(150), .starts(209.9, false), .starts(210, true)])
    }

    @Test(.rule("T-173", "T-166"))
    func `keys past their lifetime without a failed renewal are renewed first, and used if that fails`() throws {
        for (move, keys) in [(Move.brings(301, "b"), "b"), (.fails(301), "a")] {
            var story = CacheStory(worker: .backgroundTask)
            try story.tell(Self.first + [.has(299.9, "a"), .waits(300), .starts(300, true), .fetches(300)])
            try story.tell([.waits(300.5), .has(300.5, "a", after: .limit), move, .has(301, keys, after: .anyFetch)])
            try story.tell([.ends(301), .has(301.5, keys), .starts(301.5, false)])
        }
    }

    @Test(.rule("T-166")) func `a caller that waits for stale stored keys also waits for their renewal`() throws {
        var story = CacheStory(worker: .backgroundTask, isRestored: false)
        try story.tell([.waits(0), .starts(0, true), .restores(0)])
        let restored = story.state.restore(
            try Letters.fetched("a", lifetime: nil),
            age: .seconds(400),
            at: .seconds(1)
        )
        #expect(restored?.map(\.kind).contains(.servingStale) == false)
        try story.tell([.waits(1, after: .anyFetch), .fetches(1), .fails(2), .has(2, "a", after: .anyFetch)])
    }

    @Test(.rule("T-166")) func `keys are reported as stale or expired only after a failed renewal`() throws {
        for (time, event) in [(400.0, "serving-stale"), (90_000, "keys-expired")] {
            var story = CacheStory(worker: .backgroundTask)
            try story.tell(Self.first + [.told(["fetched", "key-appeared a"]), .waits(time), .starts(time, true)])
            try story.tell([.fetches(time), .brings(time, "a"), .ends(time), .told(["fetched"])])
            let later = 2 * time
            try story.tell([.waits(later), .starts(later, true), .fetches(later), .fails(later), .ends(later)])
            try story.tell([.told(["fetch-failed", event]), .starts(later + 1, true), .fetches(later + 1)])
            try story.tell([.brings(later + 1, "a"), .told(["fetched", "fresh-again"])])
        }
    }

    @Test(.rule("T-163"))
    func `a call after a failure fails at once, and starts no attempt before the next one is due`() throws {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell([.waits(0), .starts(0, true), .fetches(0), .fails(0), .lacks(0, after: .anyFetch), .ends(0)])
        var now = 0.0
        for delay in [1.0, 2, 4, 8, 16, 32] {
            let early = now + delay - 0.1
            try story.tell([.lacks(early), .starts(early, false)])
            now += delay
            try story.tell([.waits(now), .starts(now, true), .fetches(now), .fails(now), .ends(now)])
        }
    }

    @Test(.rule("T-161", "T-174")) func `any number of unknown keys cause one fetch per cooldown`() throws {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell(Self.first + [.looks(1, "k0", .look), .starts(1, true), .fetches(1), .brings(1, "a"), .ends(1)])
        try story.tell([.finds(1, "k0", among: "a", after: .look)])
        for number in 1...1000 {
            let now = 1 + Double(number) * 0.029
            try story.tell([.postpones(now, "k\(number)", until: 31), .starts(now, false)])
        }
        try story.tell([.looks(31, "last", .look), .starts(31, true), .fetches(31)])
    }

    @Test(.rule("T-163", "T-161")) func `a failed refresh leaves the token undecided, and calls start no other`() throws
    {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell(Self.first + [.looks(1, "b", .look), .starts(1, true), .fetches(1), .fails(1), .ends(1)])
        try story.tell([.wonders(1, "b", after: .look), .wonders(1.9, "c"), .has(1.9, "a"), .starts(1.9, false)])
        try story.tell([.has(2, "a"), .starts(2, true), .fetches(2), .brings(2, "ab"), .finds(2, "b", among: "ab")])
    }

    @Test(.rule("T-172"))
    func `a task abandons its fetch at the deadline, and none is started while two are abandoned`()
        throws
    {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell([.starts(0, true), .fetches(0), .waits(0), .sleeps(5.9, until: 6), .ends(6)])
        try story.tell([.told(["fetch-failed", "no-keys"]), .lacks(6, after: .anyFetch), .starts(6.9, false)])
        try story.tell([.starts(7, true), .fetches(7), .ends(13), .lacks(20), .starts(20, false)])
        try story.tell([.bringsLate(30, "b"), .waits(30), .starts(30, true), .fetches(30), .brings(30, "a")])
        try story.tell([.has(30, "a"), .ends(30)])
    }

    @Test func `a service that starts beside a task takes over when the task has ended`() throws {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell([.starts(0, true), .fetches(0), .begins, .sleeps(1, until: 61), .waits(1), .starts(1, false)])
        story.worker = .backgroundTask
        try story.tell([.sleeps(1, until: 6), .brings(2, "a"), .ends(2), .begins, .sleeps(2, until: 62)])
        try story.tell([.has(242, "a"), .starts(242, false), .fetches(242)])
    }

    @Test func `work that a task has begun continues after a service ends`() throws {
        var story = CacheStory(worker: .backgroundTask)
        try story.tell([.starts(0, true), .fetches(0), .begins, .stops, .starts(1, false), .waits(1), .brings(2, "a")])
        try story.tell([.ends(2), .has(2, "a")])
    }

    @Test(.rule("T-172")) func `calls start tasks again after a service has ended, and its fetch is ignored`()
        throws
    {
        var story = CacheStory()
        try story.tell([.fetches(0), .waits(0), .stops, .lacks(1, after: .anyFetch), .waits(1), .starts(1, true)])
        try story.tell([.fetches(1), .bringsLate(2, "b"), .waits(2), .brings(3, "a"), .ends(3), .has(3, "a")])
    }
}
