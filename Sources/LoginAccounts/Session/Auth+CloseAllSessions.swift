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
            let page = try await read { transaction in try transaction.devicesInUse(endingFrom: begin) }
            // Who has signed in again, or whose rows are damaged, is not closed again and again.
            let accounts = page.accounts.subtracting(last)
            guard !accounts.isEmpty else { return count }
            for account in accounts {
                let closed = try await transaction { transaction in
                    transaction.actor = .service
                    return try transaction.closeSessions(of: account, reason: reason)
                }
                count += closed
            }
            (last, start) = (page.accounts, page.end)
        }
    }
}

extension AccountTransaction {
    /// How many devices are looked at in one transaction.
    private static let devicesAtOnce = 100

    /// Devices that are in use, and with them all open sessions: some of those that end first.
    ///
    /// - Parameter begin: When the first may end, in milliseconds; nil for now.
    /// - Returns: Whose they are, and when the last of them ends.
    /// - Throws: ``StoreError``
    fileprivate func devicesInUse(endingFrom begin: Int64?) throws -> (accounts: Set<AccountID>, end: Int64?) {
        typealias Column = SessionFamilyRecord.Column
        let devices: [SessionFamilyRecord] = try all(
            where: Column.revokedAt.isNull,
            Column.expiresAt.isAtLeast(begin ?? now.milliseconds),
            order: .ascending(Column.expiresAt, then: Column.id),
            limit: Self.devicesAtOnce
        )
        return (Set(devices.map(\.accountID)), devices.last?.expiresAt.milliseconds)
    }
}
