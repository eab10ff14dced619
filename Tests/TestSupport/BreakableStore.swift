// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts
internal import Synchronization

/// A store that a test makes fail.
public final class BreakableStore: AccountStore {
    private let base: any AccountStore
    private let fault = Mutex<StoreError.Code?>(nil)

    /// A store that works until ``failure`` is set.
    ///
    /// - Parameter base: The store behind it.
    public init(_ base: any AccountStore = InMemoryAccountStore()) { self.base = base }

    /// What it fails with; nil where it works.
    public var failure: StoreError.Code? {
        get { fault.withLock(\.self) }
        set { fault.withLock { $0 = newValue } }
    }

    /// Runs a transaction, or fails.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        if let failure { throw StoreError(failure, "the disk is gone") }
        return try await base.transaction(body)
    }

    /// Reads, or fails.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        if let failure { throw StoreError(failure, "the disk is gone") }
        return try await base.read(body)
    }

    /// Migrates the store behind it.
    public func migrate() async throws(StoreError) -> [String] { try await base.migrate() }
}
