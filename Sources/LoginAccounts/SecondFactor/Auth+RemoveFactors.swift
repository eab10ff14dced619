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
            transaction.actor = .service
            return try transaction.removeSecondFactors(of: account)
        }
    }
}

extension AccountTransaction {
    fileprivate func removeSecondFactors(of id: AccountID) throws -> Int {
        typealias Column = AccountRecord.Column
        _ = try lockAccount(id)
        let factors = try confirmedFactors(of: id)
        guard !factors.isEmpty else { return 0 }
        // Before the factors go: no session may be of a level that rests on none.
        try closeSessions(of: id, reason: .factorsChanged)
        try voidPending(of: id)
        try removeFactors(of: id)
        // What was guessed wrong was guessed at factors that are gone.
        try update(
            AccountRecord.self,
            set: Column.factorFailures.becomes(0),
            Column.factorLocks.becomes(0),
            Column.factorLockedUntil.becomes(nil as StoreTime?),
            where: Column.id.equals(id.rawValue)
        )
        for factor in factors { try recordRemoved(factor) }
        return factors.count
    }
}
