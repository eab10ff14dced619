// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Synchronization
import Testing

@testable import LoginAccounts

@Suite struct RaceTests {
    @Test func `all contenders of a race run, and each result keeps its position`() async {
        let begun = Mutex(0)
        let results = await Race.run(
            (0..<8).map { number in
                { () async throws -> Int in
                    begun.withLock { $0 += 1 }
                    if number == 3 { throw AuthError(.conflictRetry, "lost") }
                    return number
                }
            }
        )
        #expect(begun.withLock { $0 } == 8)
        #expect(Race.winners(results) == [0, 1, 2, 4, 5, 6, 7])
        #expect(Race.refusals(results) == ["conflict-retry"])
    }
}
