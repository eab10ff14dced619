// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct FairQueueTests {
    /// A queue of names, in which each job is `network.number`.
    private struct Bench {
        var queue: FairQueue<String>

        init(slots: Int = 1, capacity: Int = 33) {
            queue = FairQueue(slots: slots, capacity: capacity)
        }

        /// Requests places, and returns the number of those granted.
        mutating func admitted(_ count: Int, _ network: String?) -> Int {
            (0..<count).count { _ in queue.admit(network) }
        }

        /// Adds jobs of a network, each in a place of its own.
        mutating func add(_ jobs: String..., of network: String) {
            for job in jobs {
                #expect(admitted(1, network) == 1)
                queue.add(job, for: network)
            }
        }

        /// Runs the queued jobs one after the other.
        mutating func runAll() -> [String] {
            var jobs: [String] = []
            while let job = jobs.isEmpty ? queue.start() : queue.finishAndStart() { jobs.append(job) }
            return jobs
        }
    }

    @Test(.rule("LIMIT-9")) func `networks are served in turn, whatever the order of arrival`() {
        var bench = Bench()
        bench.add("a1", "a2", "a3", "a4", of: "a")
        bench.add("b1", "b2", of: "b")
        bench.add("c1", of: "c")
        #expect(bench.runAll() == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
        #expect(bench.queue.startedJobs == 7)
    }

    @Test(.rule("LIMIT-9")) func `new networks do not starve a waiting job`() {
        var bench = Bench(capacity: 100)
        bench.add("a1", "a2", "a3", of: "a")
        var jobs = [bench.queue.start()]
        for number in 1...5 {
            bench.add("x\(number)", of: "network \(number)")
            jobs.append(bench.queue.finishAndStart())
        }
        #expect(jobs == ["a1", "a2", "x1", "a3", "x2", "x3"])
    }

    @Test(.rule("LIMIT-9")) func `a network that returns has neither saved turns nor missed turns to make up`() {
        var bench = Bench()
        bench.add("a1", "a2", "a3", of: "a")
        #expect(bench.runAll() == ["a1", "a2", "a3"])
        for _ in 1...3 { bench.queue.leave("a") }
        bench.add("b1", "b2", of: "b")
        bench.add("a4", "a5", of: "a")
        #expect(bench.queue.start() == "b1")
        #expect([0, 1, 2].map { _ in bench.queue.finishAndStart() } == ["a4", "b2", "a5"])
    }

    @Test(.rule("LIMIT-9")) func `a network has at most eight places, and leaving frees one`() {
        var bench = Bench()
        let home = "home"
        #expect(bench.admitted(20, home) == 8)
        #expect(bench.admitted(20, "elsewhere") == 8)
        #expect(bench.admitted(1, home) == 0)
        bench.queue.leave(home)
        #expect(bench.admitted(20, home) == 1)
    }

    @Test(.rule("LIMIT-9")) func `the second half of the queue is reserved for networks without a place`() {
        var bench = Bench()
        let busy = (1...4).map { bench.admitted(20, "busy \($0)") }
        #expect(busy == [8, 8, 1, 1])
        let others = (1...20).map { bench.admitted(2, "other \($0)") }
        #expect(others == Array(repeating: 1, count: 15) + Array(repeating: 0, count: 5))
    }

    @Test(.rule("LIMIT-9")) func `requests of unknown origin share the first half of the queue`() {
        var bench = Bench()
        #expect(bench.admitted(100, nil) == 16)
        #expect(bench.admitted(1, "home") == 1)
    }

    @Test func `as many jobs run concurrently as there are slots`() {
        var bench = Bench(slots: 2, capacity: 10)
        bench.add("a1", "a2", "a3", of: "a")
        #expect([0, 1, 2].map { _ in bench.queue.start() } == ["a1", "a2", nil])
        #expect(bench.queue.finishAndStart() == "a3")
        #expect(bench.queue.finishAndStart() == nil)
        #expect(bench.queue.finishAndStart() == nil)
        bench.add("a4", "a5", of: "b")
        #expect([bench.queue.start(), bench.queue.start()] == ["a4", "a5"])
    }
}
