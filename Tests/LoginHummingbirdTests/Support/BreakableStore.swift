// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginAccounts
import Synchronization

/// A store that a test makes fail.
final class BreakableStore: AccountStore {
    private let base: any AccountStore
    private let fault = Mutex<StoreError.Code?>(nil)

    init(_ base: any AccountStore = InMemoryAccountStore()) { self.base = base }

    /// What it fails with; nil where it works.
    var failure: StoreError.Code? {
        get { fault.withLock(\.self) }
        set { fault.withLock { $0 = newValue } }
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        if let failure { throw StoreError(failure, "the disk is gone") }
        return try await base.transaction(body)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        if let failure { throw StoreError(failure, "the disk is gone") }
        return try await base.read(body)
    }

    func migrate() async throws(StoreError) -> [String] { try await base.migrate() }
}
#endif
