// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Synchronization
import Testing

@testable import LoginClient

@Suite struct TokenUpdatesTests {
    private struct Failed: Error {}

    @Test func `updates run one after the other, and a failed one fails no other`() async throws {
        let order = Mutex<[Int]>([])
        let gate = AsyncStream<Void>.makeStream()
        var updates = TokenUpdates()
        let first = updates.add {
            for await _ in gate.stream {}
            order.withLock { $0.append(1) }
            throw Failed()
        }
        let second = updates.addRefresh(with: "llr_1") { order.withLock { $0.append(2) } }
        gate.continuation.finish()
        await #expect(throws: Failed.self) { try await first.value }
        try await second.value
        #expect(order.withLock { $0 } == [1, 2])
    }

    @Test func `callers share a refresh and its failure until it has ended`() async throws {
        let count = Mutex(0)
        var updates = TokenUpdates()
        var refreshes: [Task<Void, any Error>] = []
        for refreshToken in ["llr_1", "llr_1", "llr_2"] {
            let refresh = updates.addRefresh(with: refreshToken) {
                count.withLock { $0 += 1 }
                throw Failed()
            }
            refreshes.append(refresh)
        }
        for refresh in refreshes { await #expect(throws: Failed.self) { try await refresh.value } }
        #expect(count.withLock { $0 } == 2)
        updates.endRefresh(with: "llr_1")
        try await updates.addRefresh(with: "llr_1") {}.value
    }
}
