// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Removes all second factors of an account, for a person who has lost them and the recovery codes too.
    ///
    /// From then on the first factor alone signs in: make sure who asks, by a way that whoever has the first factor does not have. All
    /// sessions close, and what was begun and waits for a factor is void.
    ///
    /// - Parameter account: Whose.
    /// - Returns: How many factors counted; where there were none, nothing happens.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`; `store-unavailable`, `conflict-retry`.
    @discardableResult
    public func removeSecondFactors(of account: AccountID) async throws(AuthError) -> Int {
        try await transaction { transaction in
            transaction.context.actor = .service
            return try transaction.enrollments.removeAll(of: account)
        }
    }
}
