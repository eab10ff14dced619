// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts

/// The contract tests for every account store, for use with your own stores.
///
/// ```swift
/// @Test func `the store keeps what it promises`() async throws {
///     let violations = await AccountStoreContract.violations(of: try MyStore.emptyAndMigrated())
///     #expect(violations == [])
/// }
/// ```
///
/// Run them often, and on a machine with several cores: some of the tests are races.
public enum AccountStoreContract {
    /// Tests the documented behaviour of `AccountStore` and `StoreTransaction`.
    ///
    /// - Parameter store: An empty, migrated store. The tests empty it repeatedly, and leave it empty.
    /// - Returns: The violations, one sentence each; empty if there are none.
    public static func violations(of store: any AccountStore) async -> [String] {
        do {
            guard try await ContractRun(store).isEmpty() else {
                return ["the contract needs an empty store"]
            }
        } catch {
            return ["the store cannot be read: \(describe(error))"]
        }
        var violations: [String] = []
        for (name, promises) in promises {
            let run = ContractRun(store)
            do {
                try await run.clear()
                try await promises(run)
            } catch {
                run.note("it threw \(describe(error))")
            }
            violations += run.faults.map { "\(name): \($0)" }
        }
        do {
            try await ContractRun(store).clear()
        } catch {
            violations.append("clearing: it threw \(describe(error))")
        }
        return violations
    }

    private static let promises: [(name: String, check: @Sendable (ContractRun) async throws -> Void)] = [
        ("all or nothing", checkAtomicity),
        ("errors that the body catches", checkSwallowedErrors),
        ("cancelling", checkCancellation),
        ("reading", checkReading),
        ("keys", checkKeys),
        ("keys with null", checkNullKeys),
        ("conditions", checkConditions),
        ("order and limit", checkOrder),
        ("joins", checkFollowing),
        ("changing", checkUpdates),
        ("removing", checkDeletes),
        ("texts", checkTexts),
        ("bytes", checkBytes),
        ("large values", checkLargeValues),
        ("numbers", checkIntegers),
        ("kinds of values", checkKinds),
        ("references", checkReferences),
        ("a second migration", checkMigration),
        ("concurrent updates", checkCounting),
        ("concurrent use", checkConsuming),
        ("a row as a lock", checkLock),
    ]

    static func describe(_ error: any Error) -> String {
        (error as? StoreError)?.description ?? "\(type(of: error))"
    }
}
