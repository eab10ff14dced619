// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Closes all sessions of all accounts, and revokes all devices, including those without an open session, for
    /// example after a key has leaked.
    ///
    /// Each account has a transaction of its own, so the operation can be interrupted and repeated. A user who signs in
    /// meanwhile may stay signed in.
    ///
    /// - Parameter reason: The reason, for the audit.
    /// - Returns: The number of sessions that were open.
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`. Sessions that were closed before the error stay
    ///   closed.
    package func closeAllSessions(reason: SessionCloseReason = .closedByService) async throws(AuthError) -> Int {
        var count = 0
        var last: Set<AccountID> = []
        var start: Int64?
        while true {
            let begin = start
            let page = try await read { transaction in
                try transaction.tables.families.inUse(endingFrom: begin ?? transaction.now.milliseconds)
            }
            // An account whose user signed in again, or whose rows are damaged, is not closed repeatedly.
            let accounts = page.accounts.subtracting(last)
            guard !accounts.isEmpty else { return count }
            for account in accounts {
                let closed = try await transaction { transaction in
                    transaction.context.actor = .service
                    return try transaction.sessions.close(of: account, reason: reason)
                }
                count += closed
            }
            (last, start) = (page.accounts, page.end)
        }
    }
}
