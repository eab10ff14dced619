// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Removes all second factors of an account, for a user who has lost them and the recovery codes.
    ///
    /// Afterwards the first factor alone signs in. Verify the identity of the requester in a way that the holder of the
    /// first factor alone cannot pass. All sessions are closed, and pending operations are voided.
    ///
    /// - Parameter account: The account.
    /// - Returns: The number of confirmed factors. If there were none, nothing changes.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`; `store-unavailable`, `conflict-retry`.
    @discardableResult
    public func removeSecondFactors(of account: AccountID) async throws(AuthError) -> Int {
        try await transaction { transaction in
            transaction.context.actor = .service
            return try transaction.enrollments.removeAll(of: account)
        }
    }
}
