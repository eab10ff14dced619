// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct MaintainTests {
    @Test(.rule("SWEEP-1", "EVENT-2"), arguments: StoreUnderTest.all)
    func `maintenance sweeps all expired rows, delivers events, and ends when its task is cancelled`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "ada")
        // More rows than one sweep deletes; the next sweep would run in an hour.
        try await fixture.read { transaction in
            for number in 0...500 {
                let end = transaction.now - .milliseconds(number)
                try transaction.tables.rows.add(BudgetRecord(key: "budget \(number)", count: 1, endsAt: end))
            }
        }
        let delivered = Mutex<Set<AuditAction>>([])
        let task = Task {
            await fixture.auth.maintain(every: .seconds(3600)) { event in
                _ = delivered.withLock { $0.insert(event.action) }
            }
        }
        try await eventually("events are delivered") { delivered.withLock { $0.contains(.sessionOpened) } }
        let end = ContinuousClock.now + .seconds(300)
        while try await fixture.count(BudgetRecord.self) > 0 {
            try #require(ContinuousClock.now < end, "all that is over goes")
            try await Task.sleep(for: .milliseconds(5))
        }
        task.cancel()
        await task.value
    }
}
