// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Synchronization
import Testing

@testable import LoginAccounts

@Suite struct TransactionRetryTests {
    @Test(arguments: StoreUnderTest.all)
    func `a transaction that conflicts is attempted five times before the conflict is reported`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let tries = Mutex(0)
        try await fixture.read { _ in
            let isLost = tries.withLock { count in
                count += 1
                return count < 5
            }
            if isLost { throw StoreError(.busy, "somebody was faster") }
        }
        #expect(tries.withLock { $0 } == 5)
        await expectError(.conflictRetry) {
            try await fixture.read { _ in throw StoreError(.busy, "somebody was faster") }
        }
    }
}
