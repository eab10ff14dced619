// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts
internal import Synchronization

/// A store that a test can make fail.
public final class BreakableStore: AccountStore {
    private let base: any AccountStore
    private let fault = Mutex<StoreError.Code?>(nil)
    private let refusal = Mutex<StoreError.Code?>(nil)

    /// Creates a store that works until ``failure`` is set.
    ///
    /// - Parameter base: The underlying store.
    public init(_ base: any AccountStore = InMemoryAccountStore()) { self.base = base }

    /// The code of the error that operations throw; nil while the store works.
    public var failure: StoreError.Code? {
        get { fault.withLock(\.self) }
        set { fault.withLock { $0 = newValue } }
    }

    /// The code of the error that transactions throw, while reads work; nil while the store works.
    public var writeFailure: StoreError.Code? {
        get { refusal.withLock(\.self) }
        set { refusal.withLock { $0 = newValue } }
    }

    /// Closes the store; further transactions throw `unavailable`.
    public func shutdown() async {
        failure = .unavailable
        await base.shutdown()
    }

    /// Runs a transaction, or throws the error.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        if let failure = failure ?? writeFailure { throw StoreError(failure, "the disk is gone") }
        return try await base.transaction(body)
    }

    /// Reads, or throws the error.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        if let failure { throw StoreError(failure, "the disk is gone") }
        return try await base.read(body)
    }

    /// Reads with one statement, or throws the error.
    public func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        if let failure { throw StoreError(failure, "the disk is gone") }
        return try await base.readOnce(body)
    }

    /// Migrates the underlying store.
    public func migrate() async throws(StoreError) -> [String] { try await base.migrate() }
}
