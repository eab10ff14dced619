// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The result of a sweep.
public struct SweepReport: Sendable, Hashable {
    /// The number of deleted rows, by the names of their tables.
    public var removed: [String: Int] = [:]

    /// The number of expired sessions that were closed.
    public var closedSessions = 0

    /// The number of unused anonymous accounts that were deleted.
    public var deletedAccounts = 0

    /// Whether a limit was reached, and there is more to delete.
    public var isMore = false
}

extension Auth {
    /// Deletes expired rows (attempts, codes, DPoP proofs, pending credentials and sign-ins, budgets, sessions, delivered
    /// events) and anonymous accounts that were not used for ``LinkPolicy/anonymousLifetime``.
    ///
    /// It only bounds the size of the store: expired rows are not accepted in any case. Call it every few minutes, on
    /// any number of servers, and again at once while ``SweepReport/isMore`` is true;
    /// ``maintain(every:auditOlderThan:deliveringTo:)`` does so. Each kind of row has a short transaction of its own.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of rows of a kind; rows that expire in the same millisecond are deleted together.
    ///   - age: The maximum age of audit entries; nil to keep all.
    /// - Returns: The result.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`. Earlier deletions remain.
    @discardableResult
    public func sweep(limit: Int = 500, auditOlderThan age: Duration? = nil) async throws(AuthError) -> SweepReport {
        let limit = max(limit, 1)
        var report = SweepReport()
        try await sweepSessions(limit, &report)
        try await sweepAnonymous(limit, &report)
        for expiry in Expiry.all(auditOlderThan: age) {
            let removed = try await transaction { transaction in
                try expiry.remove(transaction.tables.rows, transaction.now, limit)
            }
            if removed > 0 { report.removed[expiry.table, default: 0] += removed }
            if removed >= limit { report.isMore = true }
        }
        return report
    }

    private func sweepSessions(_ limit: Int, _ report: inout SweepReport) async throws(AuthError) {
        let closed = try await transaction { transaction in
            transaction.context.actor = .service
            return try transaction.sessions.closeExpired(limit)
        }
        report.closedSessions = closed.count
        if closed.count >= limit { report.isMore = true }
        for (account, sessions) in Dictionary(grouping: closed, by: \.accountID) {
            guard try await read({ try $0.sessions.hasTooManyClosed(account) }) else { continue }
            try await transaction { transaction in
                _ = try transaction.tables.accounts.lockIfInUse(account)
                try transaction.sessions.removeOldest(of: account, closing: sessions.count)
            }
        }
    }

    private func sweepAnonymous(_ limit: Int, _ report: inout SweepReport) async throws(AuthError) {
        let lifetime = policy.linking.anonymousLifetime
        let candidates = try await read { transaction in
            try transaction.tables.accounts.unusedAnonymous(since: transaction.now - lifetime, limit: limit)
        }
        if candidates.count >= limit { report.isMore = true }
        for candidate in candidates {
            while true {
                let isDeleted = try await transaction { transaction in
                    transaction.context.actor = .service
                    return try transaction.removal.removePartIfUnused(candidate.id)
                }
                if isDeleted == true { report.deletedAccounts += 1 }
                guard isDeleted == false, !Task.isCancelled else { break }
            }
        }
    }
}
