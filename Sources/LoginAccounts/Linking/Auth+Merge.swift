// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// What your own part of a merge works with.
///
/// It is good until that part returns.
public struct MergeContext {
    /// The transaction of the merge: what you write by it is kept with the merge, or not at all.
    public let transaction: any StoreTransaction

    /// The account that becomes part of the other.
    public let source: AccountID

    /// The account that stays.
    public let target: AccountID

    /// Returns the transaction as the type of the configured store, for what the application keeps in the same database.
    ///
    /// Throw its error: a merge that goes on without the application's rows leaves them with an account that is gone.
    ///
    /// - Parameter type: The type, for example `(any SQLStoreTransaction).self`.
    /// - Returns: The transaction.
    /// - Throws: ``AuthError`` with `internal-error` where the store's transactions have another type; the merge is undone then.
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
    /// Makes two accounts one: what belonged to `source` is `target`'s afterwards, and whoever asks for the source finds the target.
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
    /// Both sessions show that the person has both accounts. All of it happens in one transaction, your own part included: identities
    /// and second factors move, the source's sessions close, and the source stays as a sign that points to the target. Where
    /// anything fails, nothing has happened, and both sessions are as they were. Once done, it can be asked for again: it
    /// succeeds, and does nothing.
    ///
    /// Your own part runs on a thread of the store, while others wait for both accounts: it only reads and writes rows. Where it takes
    /// more than five seconds, the merge is undone. It may run again, where others were faster.
    ///
    /// - Parameters:
    ///   - source: A session of the account that becomes part of the other. Unless that is anonymous, its person was proven recently.
    ///   - target: A session of the account that stays. Unless the source is anonymous, its person was proven recently.
    ///   - conflicts: What happens where both have an identity of the same provider.
    ///   - idempotencyKey: What the client calls this request.
    ///   - body: Your own part. What it throws comes out of here unchanged, but for a ``StoreError`` that says `busy`: then all of it
    ///     runs again.
    /// - Returns: The account that stays, and its session with new tokens. The old ones are good until these are shown, unless the
    ///   account was anonymous and is no longer.
    /// - Throws: What `body` throws; or ``AuthError``: `merge-conflict` with the providers, `account-merged` where one has become
    ///   part of another meanwhile, `requires-recent-login`, `second-factor-required`, `unsupported-first-factor`, `user-disabled`,
    ///   `idempotency-mismatch`, and others where a session is not open.
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
        // The transaction knows two kinds of errors. A third one goes around it.
        let thrown = ThrownByApplication()
        do throws(AuthError) {
            return try await settle { transaction in
                thrown.forget()
                return try transaction.merge(source, target, conflicts, request) { context in
                    do {
                        try body(context)
                    } catch let error as StoreError where error.code == .busy {
                        // Others were faster: all of it is run again.
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

    /// Says what a merge would do, and writes nothing.
    ///
    /// It is what ``merge(from:into:conflicts:idempotencyKey:_:)`` would find at this moment.
    ///
    /// - Parameters:
    ///   - source: A session of the account that would become part of the other.
    ///   - target: A session of the account that would stay.
    ///   - conflicts: What would happen where both have an identity of the same provider.
    /// - Returns: What would move, and what stands in the way: of the sessions too.
    /// - Throws: ``AuthError``, where a session is not open, or an account disabled.
    public func previewMerge(from source: Session, into target: Session, conflicts: MergeConflicts = .refuse)
        async throws(AuthError) -> MergePreview
    {
        try await read { transaction in try transaction.previewMerge(source, target, conflicts) }
    }
}

/// Carries what an application threw around a transaction that was undone for it.
private final class ThrownByApplication: Sendable {
    private let kept = Mutex<(any Error)?>(nil)

    var error: (any Error)? { kept.withLock { $0 } }

    func keep(_ error: any Error) { kept.withLock { $0 = error } }

    func forget() { kept.withLock { $0 = nil } }
}
