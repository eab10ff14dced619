// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Returns the audit entries of an account, the latest first.
    ///
    /// The entries of an account that was merged into another stay under its own ID.
    ///
    /// - Parameters:
    ///   - account: The account, which may be deleted.
    ///   - limit: The maximum number of entries. It is clamped to 1 … 1,000.
    ///   - event: The ``AuthEvent/id`` of the last entry of the previous page; nil for the first page.
    /// - Returns: The entries before that one; none if it does not exist.
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
