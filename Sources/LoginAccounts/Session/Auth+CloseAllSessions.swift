// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Closes all sessions of all accounts, and revokes all devices, also those that have no session now: for when the keys have leaked.
    ///
    /// Each account is a transaction of its own, so it may be stopped and begun again. Who signs in meanwhile may stay.
    ///
    /// - Parameter reason: Why, for the audit.
    /// - Returns: How many sessions were open.
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`. What was closed until then is.
    package func closeAllSessions(reason: SessionCloseReason = .closedByService) async throws(AuthError) -> Int {
        var count = 0
        var last: Set<AccountID> = []
        var start: Int64?
        while true {
            let begin = start
            let page = try await read { transaction in
                try transaction.tables.families.inUse(endingFrom: begin ?? transaction.now.milliseconds)
            }
            // Who has signed in again, or whose rows are damaged, is not closed again and again.
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
