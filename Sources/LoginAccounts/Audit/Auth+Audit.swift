// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// What happened to an account, the latest first.
    ///
    /// What happened to an account that has become part of another stands under its own ID.
    ///
    /// - Parameters:
    ///   - account: Which one; it may be deleted.
    ///   - limit: How many at most, 1 … 1,000; others are taken for the nearest of these.
    ///   - event: The last one of the page before, by its ``AuthEvent/id``; nil to begin with the latest.
    /// - Returns: What happened before that; nothing where there is no such event.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    public func audit(of account: AccountID, limit: Int = 100, before event: String? = nil) async throws(AuthError)
        -> [AuthEvent]
    {
        let limit = min(max(limit, 1), 1000)
        return try await read { transaction in
            try transaction.tables.audit.of(account, limit: limit, before: event).map { record in try AuthEvent(record)
            }
        }
    }
}
