// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import TestSupport
import Testing

@Suite struct InMemoryStoreTests {
    private static let budget = StoreSchema.table("login_budget")

    private static func insert(_ keys: String..., into store: InMemoryAccountStore) async throws {
        try await store.fill(keys.map { ("login_budget", StoreRows.budget($0)) })
    }

    @Test(.rule("STORE-12")) func `a full store refuses another row until one is deleted`() async throws {
        let store = InMemoryAccountStore(capacity: 2)
        try await Self.insert("a", "b", into: store)
        let error = await #expect(throws: StoreError.self) { try await Self.insert("c", into: store) }
        #expect(error?.code == .unavailable)
        _ = try await store.transaction { try $0.delete(from: Self.budget, where: [Self.budget["key"].equals("a")]) }
        try await Self.insert("c", into: store)
        let again = await #expect(throws: StoreError.self) { try await Self.insert("d", into: store) }
        #expect(again?.code == .unavailable)
    }

    @Test(.rule("STORE-12")) func `a transaction that was rolled back takes no capacity`() async throws {
        struct Refused: Error {}
        let store = InMemoryAccountStore(capacity: 2)
        try await Self.insert("a", into: store)
        for _ in 0..<5 {
            await #expect(throws: Refused.self) {
                try await store.transaction { rows in
                    _ = try rows.delete(from: Self.budget, where: [])
                    _ = try rows.insert(StoreRows.budget("b"), into: Self.budget)
                    _ = try rows.insert(StoreRows.budget("c"), into: Self.budget)
                    throw Refused()
                }
            }
        }
        try await Self.insert("b", into: store)
        await #expect(throws: StoreError.self) { try await Self.insert("c", into: store) }
    }

    @Test func `finding a row by its key takes as long among many rows as among few`() async throws {
        func seconds(among count: Int) async throws -> Duration {
            let store = InMemoryAccountStore()
            try await store.transaction { rows in
                for index in 0..<count { _ = try rows.insert(StoreRows.budget("\(index)"), into: Self.budget) }
            }
            return try await store.transaction { rows in
                try processorTime {
                    for index in 0..<200 {
                        _ = try rows.update(
                            Self.budget,
                            set: [Self.budget["count"].grows(by: 1)],
                            where: [Self.budget["key"].equals("\(index)")]
                        )
                    }
                }
            }
        }
        let few = try await seconds(among: 200)
        let many = try await seconds(among: 20_000)
        // A scan would take a hundred times as long.
        #expect(many < few * 20 + .milliseconds(20))
    }
}
