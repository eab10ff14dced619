// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import LoginTesting
import TestSupport
import Testing

@Suite struct StoreContractTests {
    @Test(.rule("STORE-1", "STORE-2", "STORE-3", "STORE-4", "STORE-5", "STORE-6"), arguments: StoreUnderTest.all)
    func `every store keeps what stores promise`(kind: StoreUnderTest) async throws {
        let store = try await kind.make()
        let violations = await AccountStoreContract.violations(of: store)
        #expect(violations == [])
    }

    @Test(.rule("STORE-1", "STORE-2", "STORE-3"), arguments: StoreFault.allCases)
    func `a store that does not is found out`(fault: StoreFault) async throws {
        let store = FaultyStore(InMemoryAccountStore(), fault)
        let violations = await AccountStoreContract.violations(of: store)
        #expect(!violations.isEmpty)
    }

    @Test(.rule("STORE-4", "STORE-5"))
    func `a store that lets others in between is found out`() async throws {
        let violations = await AccountStoreContract.violations(of: CopyingStore())
        // Which of them one sees is a matter of luck, and of how many cores there are.
        let races: Set<Substring> = ["counting at once", "using one thing at once", "a row as lock"]
        let found = Set(violations.map { $0.prefix { $0 != ":" } })
        #expect(!found.isDisjoint(with: races))
        #expect(found.isSubset(of: races))
    }

    @Test func `the contract is not tried on a store that holds something`() async throws {
        let store = InMemoryAccountStore()
        _ = try await store.transaction { rows in
            try rows.insert(
                StoreRow(["provider_id": .text("a"), "hash": .bytes([]), "expires_at": .integer(0)]),
                into: StoreSchema.table("login_seen_token")
            )
        }
        #expect(await AccountStoreContract.violations(of: store) == ["the contract is tried on a store that is empty"])
        let left = try await store.transaction { rows in
            try rows.select(from: StoreSchema.table("login_seen_token"), where: [], order: nil, limit: nil).count
        }
        #expect(left == 1)
    }
}
