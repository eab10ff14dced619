// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCase
import Measuring

/// What two threads do together, ours beside the floor's.
struct ThreadRows: Sendable {
    private let login: LoginCase
    private let rounds: Int
    /// Times a thread does it in a turn: some twenty milliseconds.
    private let times = 800

    init(_ login: LoginCase, rounds: Int) {
        self.login = login
        self.rounds = rounds
    }

    /// Alone and with a second, in turn, each with the same work for every thread.
    func measure() throws -> [Row] {
        var ours = Samples()
        var floors = Samples()
        var ratios = Samples()
        for _ in 0..<rounds {
            let oneOurs = try verifySeconds(1)
            let twoOurs = try verifySeconds(2)
            let oneFloor = try floorSeconds(1)
            let twoFloors = try floorSeconds(2)
            // Two threads do twice the work.
            ours.add(2 * oneOurs / twoOurs)
            floors.add(2 * oneFloor / twoFloors)
            ratios.add((oneOurs / twoOurs) / (oneFloor / twoFloors))
        }
        return [
            Row("scaling of full validation ÷ scaling of the floor", ratios: ratios, goal: .atLeast(0.97)),
            Row("throughput of two threads ÷ one: full validation", ratios: ours),
            Row("throughput of two threads ÷ one: floor", ratios: floors),
        ]
    }

    /// Floors a second with two threads: the most that a machine with two processors can do.
    func floorsPerSecond(times: Int) throws -> Double {
        Double(2 * times) / (try floorSeconds(2, times: times))
    }

    private func verifySeconds(_ threads: Int) throws -> Double {
        try Threads.seconds(threads, prepare: { login }) { login in
            for _ in 0..<times {
                use(try login.limitedLogin.verify(login.token, nonce: .exactly(login.nonce), with: login.keys).profile)
            }
        }
    }

    private func floorSeconds(_ threads: Int, times: Int? = nil) throws -> Double {
        let times = times ?? self.times
        return try Threads.seconds(threads, prepare: { try login.floor() }) { floor in
            try floor.verify(times: times)
        }
    }
}
