// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// The context of the application's part of a merge, valid until that part returns.
public struct MergeContext {
    /// The transaction of the merge: its writes are committed with the merge, or not at all.
    public let transaction: any StoreTransaction

    /// The account that is merged into the other.
    public let source: AccountID

    /// The account that stays.
    public let target: AccountID

    /// Returns the transaction as the type of the configured store, for the application's rows in the same database.
    ///
    /// Throw its error: a merge that continues without the application's rows leaves them with an account that no longer exists.
    ///
    /// - Parameter type: The type, for example `(any SQLStoreTransaction).self`.
    /// - Returns: The transaction.
    /// - Throws: ``AuthError`` with `internal-error` if the store's transactions have another type; the merge is then rolled back.
    public func transaction<Transaction>(as type: Transaction.Type) throws(AuthError) -> Transaction {
        guard let typed = transaction as? Transaction else {
            throw AuthError(
                .internalError,
                "the merge hook expects \(type), but the store has \(Swift.type(of: transaction)); nothing was merged"
            )
        }
        return typed
    }
}

extension Auth {
    /// Merges an account into another: `target` gets everything that belonged to `source`, and the ID of the source leads to the target.
    ///
    /// ```swift
    /// let previous = session
    /// let result = try await auth.signIn(with: .pending(pending))
    /// try await auth.merge(from: previous, into: result.session) { merge in
    ///     let database = try merge.transaction(as: (any SQLStoreTransaction).self)
    ///     try notes.move(from: merge.source, to: merge.target, in: database)
    /// }
    /// ```
    ///
    /// Both sessions prove that the user has both accounts. Everything, the application's part included, happens in one transaction:
    /// identities and second factors move, the source's sessions are closed, and the source remains as a tombstone that leads to the
    /// target. If anything fails, nothing has changed. A merge that was done can be asked for again: it succeeds, and changes nothing.
    ///
    /// The application's part runs on a thread of the store, while other transactions wait for both accounts: it only reads and writes
    /// rows. If it takes more than five seconds, the merge is rolled back. It may run again after a conflict.
    ///
    /// - Parameters:
    ///   - source: A session of the account that is merged into the other, with a recent login unless the account is anonymous.
    ///   - target: A session of the account that stays, with a recent login unless the source is anonymous.
    ///   - conflicts: The resolution if both have an identity of the same provider.
    ///   - idempotencyKey: The client's key of this request.
    ///   - body: The application's part. Its error is thrown unchanged, except a ``StoreError`` with `busy`, after which everything runs
    ///     again.
    /// - Returns: The account that stays, and its session with new tokens. The previous tokens are accepted until the new ones are shown,
    ///   unless the account was anonymous and no longer is.
    /// - Throws: The error of `body`; or ``AuthError``: `merge-conflict` with the providers, `account-merged` if one was merged into
    ///   another meanwhile, `requires-recent-login`, `second-factor-required`, `unsupported-first-factor`, `user-disabled`,
    ///   `idempotency-mismatch`, and others if a session is not open.
    @discardableResult
    public func merge(
        from source: Session,
        into target: Session,
        conflicts: MergeConflicts = .refuse,
        idempotencyKey: String? = nil,
        _ body: @escaping @Sendable (MergeContext) throws -> Void = { _ in }
    ) async throws -> AuthDataResult {
        let words = ["merge", source.accountID.rawValue, conflicts.rawValue]
        let request = idempotencyKey.map { RepeatableRequest(key: $0, parts: words) }
        // A transaction throws two types of errors. The application's own goes around it.
        let thrown = ThrownByApplication()
        do throws(AuthError) {
            return try await settle { transaction in
                thrown.forget()
                return try transaction.merge(source, target, conflicts, request) { context in
                    do {
                        try body(context)
                    } catch let error as StoreError where error.code == .busy {
                        // A conflict: everything runs again.
                        throw error
                    } catch {
                        thrown.keep(error)
                        throw AuthError(.internalError, "the application's part of a merge threw \(type(of: error))")
                    }
                }
            }
        } catch {
            if let error = thrown.error { throw error }
            throw error
        }
    }

    /// Previews ``merge(from:into:conflicts:idempotencyKey:_:)`` as it would be at this moment, and writes nothing.
    ///
    /// - Parameters:
    ///   - source: A session of the account that would be merged into the other.
    ///   - target: A session of the account that would stay.
    ///   - conflicts: The resolution if both have an identity of the same provider.
    /// - Returns: The identities that would move, and the obstacles, those of the sessions included.
    /// - Throws: ``AuthError`` if a session is not open, or an account is disabled.
    public func previewMerge(from source: Session, into target: Session, conflicts: MergeConflicts = .refuse)
        async throws(AuthError) -> MergePreview
    {
        try await read { transaction in try transaction.previewMerge(source, target, conflicts) }
    }
}

/// The error of an application, for which a transaction was rolled back.
private final class ThrownByApplication: Sendable {
    private let kept = Mutex<(any Error)?>(nil)

    var error: (any Error)? { kept.withLock { $0 } }

    func keep(_ error: any Error) { kept.withLock { $0 = error } }

    func forget() { kept.withLock { $0 = nil } }
}
