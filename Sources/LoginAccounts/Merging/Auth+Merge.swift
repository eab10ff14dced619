// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Merges an account into another: `target` gets the identities and second factors of `source`, and the ID of the
    /// source redirects to the target.
    ///
    /// ```swift
    /// let guest = session
    /// let owner = try await auth.signIn(with: .pending(pending)).get()
    /// try await auth.merge(from: guest, into: owner.session)
    /// ```
    ///
    /// Both sessions prove that the user has both accounts. Everything, including ``AuthHooks/onMerge``, happens in one
    /// transaction: identities and second factors move, the source's sessions are closed, and the source remains as a
    /// tombstone that redirects to the target. If anything fails, nothing has changed. Repeating a completed merge
    /// succeeds, and changes nothing.
    ///
    /// - Parameters:
    ///   - source: A session of the account that is merged into the other, with a recent login unless that account is
    ///     anonymous.
    ///   - target: A session of the account that stays, with a recent login unless that account is anonymous.
    ///   - conflicts: The resolution if both have an identity of the same provider.
    ///   - idempotencyKey: The client's key of this request.
    /// - Returns: The account that stays, and its session with new tokens. The previous tokens stay valid until the new
    ///   ones are used, unless the account was anonymous and no longer is: its session then has the login, the methods
    ///   and the time of authentication of the source's session.
    /// - Throws: ``AuthError``: `merge-conflict` with the providers, `account-merged` if one was merged into another
    ///   meanwhile, `requires-recent-login`, `second-factor-required`, `unsupported-first-factor`, `user-disabled`,
    ///   `idempotency-mismatch`, `too-many-requests` after a hundred merges into the account in a day, or if a
    ///   thousand accounts were merged into the two, `internal-error` if the hook threw an error, and others if a
    ///   session is not open.
    @discardableResult
    public func merge(
        from source: Session,
        into target: Session,
        conflicts: MergeConflicts = .refuse,
        idempotencyKey: String? = nil
    ) async throws(AuthError) -> AuthDataResult {
        let words = ["merge", source.accountID.rawValue, conflicts.rawValue]
        let request = idempotencyKey.map { RepeatableRequest(key: $0, parts: words) }
        return try await commit { transaction in try transaction.merges.merge(source, into: target, conflicts, request)
        }
    }

    /// Previews ``merge(from:into:conflicts:idempotencyKey:)`` with the current data, and writes nothing.
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
        try await read { transaction in try transaction.merges.preview(source, into: target, conflicts) }
    }

    /// Returns the session of the account that is to be merged into another.
    ///
    /// A merge closes it. So that the merge can be repeated after a lost response, it is returned nevertheless if its
    /// account was merged into the target then; the token is checked as for an open session.
    ///
    /// - Parameters:
    ///   - token: The session token.
    ///   - target: A session of the account that stays, which the caller has authenticated.
    /// - Returns: The session, which is open or was closed by the merge.
    /// - Throws: ``AuthError``: the errors of ``session(_:requiring:)``.
    package func mergeSource(_ token: String, into target: Session) async throws(AuthError) -> Session {
        do throws(AuthError) {
            return try await session(token)
        } catch  where error.code == .invalidUserToken {
            guard let presented = OpaqueToken(token, .session, secrets: secrets),
                let merged = try await readOnce({ try $0.refreshes.find(presented, mergedInto: target.accountID) })
            else { throw error }
            return Session(merged, auth: self)
        }
    }
}
