// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Dispatch
import LoginAccounts
import LoginTesting
import TestSupport
import Testing

@Suite struct StoreContractTests {
    @Test(
        .rule("STORE-1", "STORE-2", "STORE-3", "STORE-4", "STORE-5", "STORE-6", "STORE-14"),
        arguments: StoreUnderTest.all
    )
    func `every store fulfils the store contract`(kind: StoreUnderTest) async throws {
        let store = try await kind.make()
        let violations = await AccountStoreContract.violations(of: store)
        #expect(violations == [])
    }

    @Test(.rule("STORE-14"), arguments: StoreUnderTest.all.filter { $0.name != "memory" })
    func `a read transaction does not block writers, and sees one snapshot`(kind: StoreUnderTest) async throws {
        let pair = try await kind.pair()
        let (begun, written) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let budget = StoreSchema.table("login_budget")
        async let counts = pair.one.read { rows in
            let before = try rows.select(from: budget, where: [], order: nil, limit: nil).count
            begun.signal()
            #expect(written.wait(timeout: .now() + 60) == .success)
            return (before, try rows.select(from: budget, where: [], order: nil, limit: nil).count)
        }
        await withCheckedContinuation { waiting in
            DispatchQueue.global().async {
                begun.wait()
                waiting.resume()
            }
        }
        for store in [pair.one, pair.other] {
            let isWritten = try await store.transaction { rows in
                let count = try rows.select(from: budget, where: [], order: nil, limit: nil).count
                let values: [String: StoreValue] = [
                    "key": .text("\(count)"), "count": .integer(1), "ends_at": .integer(0),
                ]
                return try rows.insert(StoreRow(values), into: budget)
            }
            #expect(isWritten)
        }
        written.signal()
        #expect(try await counts == (0, 0))
        #expect(try await pair.one.read { try $0.select(from: budget, where: [], order: nil, limit: nil).count } == 2)
    }

    @Test(.rule("STORE-1", "STORE-2", "STORE-3", "STORE-14"), arguments: StoreFault.allCases)
    func `each faulty store violates the contract`(fault: StoreFault) async throws {
        let store = FaultyStore(InMemoryAccountStore(), fault)
        let violations = await AccountStoreContract.violations(of: store)
        #expect(!violations.isEmpty)
    }

    @Test(.rule("STORE-4", "STORE-5"))
    func `a store without isolation violates the contract`() async throws {
        let violations = await AccountStoreContract.violations(of: CopyingStore())
        // It depends on timing, and on the number of cores, which of them are found.
        let races: Set<Substring> = ["concurrent updates", "concurrent use", "a row as a lock"]
        let found = Set(violations.map { $0.prefix { $0 != ":" } })
        #expect(!found.isDisjoint(with: races))
        #expect(found.isSubset(of: races))
    }

    @Test func `the contract is not checked on a store that is not empty`() async throws {
        let store = InMemoryAccountStore()
        _ = try await store.transaction { rows in
            try rows.insert(
                StoreRow(["provider_id": .text("a"), "hash": .bytes([]), "expires_at": .integer(0)]),
                into: StoreSchema.table("login_seen_token")
            )
        }
        #expect(await AccountStoreContract.violations(of: store) == ["the contract needs an empty store"])
        let left = try await store.transaction { rows in
            try rows.select(from: StoreSchema.table("login_seen_token"), where: [], order: nil, limit: nil).count
        }
        #expect(left == 1)
    }
}
