// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCase
import Measuring

/// The throughput of two threads, ours compared with the floor's.
struct ThreadRows: Sendable {
    private let login: LoginCase
    private let rounds: Int
    /// The repetitions per thread in a turn: about twenty milliseconds.
    private let times = 800

    init(_ login: LoginCase, rounds: Int) {
        self.login = login
        self.rounds = rounds
    }

    /// Measures one thread and two threads in turn, with the same work for every thread.
    func measure() throws -> [Row] {
        var ours = Samples()
        var floors = Samples()
        var ratios = Samples()
        var processor = Samples()
        for _ in 0..<rounds {
            let our = (one: try verify(threads: 1), two: try verify(threads: 2))
            let floor = (one: try verifyFloor(threads: 1, times: times), two: try verifyFloor(threads: 2, times: times))
            // Two threads do twice the work.
            ours.add(2 * our.one.wallSeconds / our.two.wallSeconds)
            floors.add(2 * floor.one.wallSeconds / floor.two.wallSeconds)
            ratios.add(
                (our.one.wallSeconds / our.two.wallSeconds) / (floor.one.wallSeconds / floor.two.wallSeconds)
            )
            processor.add(
                (our.one.processorSeconds / our.two.processorSeconds)
                    / (floor.one.processorSeconds / floor.two.processorSeconds)
            )
        }
        return [
            Row("scaling of full validation ÷ scaling of the floor", ratios: ratios, goal: .atLeast(0.97)),
            Row("scaling of full validation, by processor time", ratios: processor),
            Row("throughput of two threads ÷ one: full validation", ratios: ours),
            Row("throughput of two threads ÷ one: floor", ratios: floors),
        ]
    }

    private func verify(threads: Int) throws -> Threads.Cost {
        try Threads.cost(threads, prepare: { login }) { login in
            for _ in 0..<times {
                use(try login.limitedLogin.verify(login.token, nonce: .exactly(login.nonce), with: login.keys).profile)
            }
        }
    }

    /// Returns the cost of the floor, repeated on each thread.
    func verifyFloor(threads: Int, times: Int) throws -> Threads.Cost {
        try Threads.cost(threads, prepare: { try login.floor() }) { floor in try floor.verify(times: times) }
    }
}
