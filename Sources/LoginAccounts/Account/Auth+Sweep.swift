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
    /// Deletes expired rows (attempts, codes, pending credentials and sign-ins, budgets, sessions, delivered events) and anonymous accounts
    /// that were not used for ``LinkPolicy/anonymousLifetime``.
    ///
    /// It only bounds the size of the store: expired rows are not accepted in any case. Call it every few minutes, on any number of
    /// servers, and again at once while ``SweepReport/isMore`` is true; ``maintain(every:auditOlderThan:deliveringTo:)`` does so. Each kind
    /// of row has a short transaction of its own.
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
        for sweep in Sweep.all(auditOlderThan: age) {
            let removed = try await transaction { transaction in try sweep.run(transaction, limit) }
            if removed > 0 { report.removed[sweep.table, default: 0] += removed }
            if removed >= limit { report.isMore = true }
        }
        return report
    }

    private func sweepSessions(_ limit: Int, _ report: inout SweepReport) async throws(AuthError) {
        let closed = try await transaction { transaction in
            transaction.actor = .service
            return try transaction.closeExpiredSessions(limit)
        }
        report.closedSessions = closed
        if closed >= limit { report.isMore = true }
    }

    private func sweepAnonymous(_ limit: Int, _ report: inout SweepReport) async throws(AuthError) {
        let candidates = try await read { transaction in try transaction.unusedAnonymousAccounts(limit) }
        if candidates.count >= limit { report.isMore = true }
        for candidate in candidates {
            let isDeleted = try await transaction { transaction in
                transaction.actor = .service
                return try transaction.removeIfUnused(candidate)
            }
            if isDeleted { report.deletedAccounts += 1 }
        }
    }
}

/// A kind of row that expires.
private struct Sweep: Sendable {
    let table: String
    let run: @Sendable (AccountTransaction, Int) throws -> Int

    /// The time for which closed sessions and undelivered events are kept, for the questions of users and operators.
    private static let retention = Duration.seconds(30 * 86400)

    /// The time for which delivered events are kept.
    private static let deliveredRetention = Duration.seconds(86400)

    private init<Record: StoredRecord>(
        _ type: Record.Type,
        endsAt column: StoreColumn,
        longerThan retention: Duration = .zero,
        where conditions: [StoreCondition] = []
    ) {
        table = Record.table.name
        run = { transaction, limit in
            try transaction.removeEnded(type, column, before: transaction.now - retention, conditions, limit).count
        }
    }

    static func all(auditOlderThan age: Duration?) -> [Self] {
        var all = [
            Self(
                AttemptRecord.self,
                endsAt: AttemptRecord.Column.expiresAt,
                longerThan: AccountAttemptStore.retention
            ),
            Self(SeenTokenRecord.self, endsAt: SeenTokenRecord.Column.expiresAt),
            Self(PendingCredentialRecord.self, endsAt: PendingCredentialRecord.Column.expiresAt),
            Self(PendingSignInRecord.self, endsAt: PendingSignInRecord.Column.expiresAt),
            Self(ChallengeRecord.self, endsAt: ChallengeRecord.Column.expiresAt),
            Self(ProofRecord.self, endsAt: ProofRecord.Column.expiresAt),
            Self(BudgetRecord.self, endsAt: BudgetRecord.Column.endsAt),
            Self(IdempotencyRecord.self, endsAt: IdempotencyRecord.Column.expiresAt),
            Self(factors: ()),
            Self(
                SessionRecord.self,
                endsAt: SessionRecord.Column.expiresAt,
                longerThan: retention,
                where: [SessionRecord.Column.closedAt.isNotNull]
            ),
            Self(families: retention),
            Self(OutboxRecord.self, endsAt: OutboxRecord.Column.deliveredAt, longerThan: deliveredRetention),
            Self(OutboxRecord.self, endsAt: OutboxRecord.Column.createdAt, longerThan: retention),
        ]
        if let age { all.append(Self(AuditRecord.self, endsAt: AuditRecord.Column.at, longerThan: age)) }
        return all
    }

    /// Unconfirmed factors that have expired, and the codes that were sent for them.
    private init(factors: Void) {
        table = FactorRecord.table.name
        run = { transaction, limit in
            let ended: [FactorRecord] = try transaction.all(
                where: FactorRecord.Column.confirmedAt.isNull,
                FactorRecord.Column.expiresAt.isAtMost(transaction.now.milliseconds),
                limit: limit
            )
            for factor in ended {
                try transaction.delete(
                    ChallengeRecord.self,
                    where: ChallengeRecord.Column.factorID.equals(factor.id)
                )
                try transaction.delete(
                    FactorRecord.self,
                    where: FactorRecord.Column.id.equals(factor.id),
                    FactorRecord.Column.confirmedAt.isNull
                )
            }
            return ended.count
        }
    }

    /// Expired devices without sessions.
    private init(families retention: Duration) {
        table = SessionFamilyRecord.table.name
        run = { transaction, limit in
            let ended: [SessionFamilyRecord] = try transaction.all(
                where: SessionFamilyRecord.Column.expiresAt.isAtMost((transaction.now - retention).milliseconds),
                order: .ascending(SessionFamilyRecord.Column.expiresAt, then: SessionFamilyRecord.Column.id),
                limit: limit
            )
            var count = 0
            for family in ended {
                let session: SessionRecord? = try transaction.first(
                    where: SessionRecord.Column.familyID.equals(family.id)
                )
                guard session == nil else { continue }
                try transaction.delete(
                    SessionFamilyRecord.self,
                    where: SessionFamilyRecord.Column.id.equals(family.id)
                )
                count += 1
            }
            return count
        }
    }
}

extension AccountTransaction {
    /// Deletes the rows that expired first, up to a limit.
    fileprivate func removeEnded<Record: StoredRecord>(
        _ type: Record.Type,
        _ column: StoreColumn,
        before end: StoreTime,
        _ conditions: [StoreCondition],
        _ limit: Int
    ) throws -> [StoreRow] {
        let isOver = conditions + [column.isAtMost(end.milliseconds)]
        let ended = try rows.select(from: Record.table, where: isOver, order: .ascending(column), limit: limit)
        guard let last = ended.last else { return [] }
        let latest = ended.count < limit ? end : try last.time(column)
        return try rows.delete(from: Record.table, where: conditions + [column.isAtMost(latest.milliseconds)])
    }

    /// Closes expired sessions, so that listeners are notified.
    fileprivate func closeExpiredSessions(_ limit: Int) throws -> Int {
        typealias Column = SessionRecord.Column
        var count = 0
        for column in [Column.idleExpiresAt, Column.expiresAt] {
            let over: [SessionRecord] = try all(
                where: Column.closedAt.isNull,
                column.isAtMost(now.milliseconds),
                order: .ascending(column, then: Column.id),
                limit: limit - count
            )
            for session in over {
                try closeIfOver(session)
                count += 1
            }
            if count >= limit { break }
        }
        return count
    }

    /// Closes a session if it is still expired: it may have been used since it was read.
    ///
    /// Its device is locked first, as in a refresh.
    private func closeIfOver(_ session: SessionRecord) throws {
        try update(
            SessionFamilyRecord.self,
            set: SessionFamilyRecord.Column.generation.grows(by: 0),
            where: SessionFamilyRecord.Column.id.equals(session.familyID)
        )
        let current: SessionRecord? = try first(where: SessionRecord.Column.id.equals(session.id.rawValue))
        if let current, current.closedAt == nil, current.isOver(at: now) { try close(current, reason: .expired) }
    }

    /// Finds anonymous accounts that seem unused, those first that were checked longest ago.
    fileprivate func unusedAnonymousAccounts(_ limit: Int) throws -> [AccountID] {
        typealias Column = AccountRecord.Column
        let unused: [AccountRecord] = try all(
            where: Column.isAnonymous.equals(true),
            Column.state.equals(AccountState.active.rawValue),
            Column.updatedAt.isBefore(now - auth.policy.linking.anonymousLifetime),
            order: .ascending(Column.updatedAt, then: Column.id),
            limit: limit
        )
        return unused.map(\.id)
    }

    /// Locks an account, and deletes it if it is still anonymous and unused.
    fileprivate func removeIfUnused(_ id: AccountID) throws -> Bool {
        let oldest = now - auth.policy.linking.anonymousLifetime
        let locked: [AccountRecord] = try update(
            set: AccountRecord.Column.version.grows(by: 1),
            where: AccountRecord.Column.id.equals(id.rawValue),
            AccountRecord.Column.state.equals(AccountState.active.rawValue),
            AccountRecord.Column.isAnonymous.equals(true),
            AccountRecord.Column.updatedAt.isBefore(oldest)
        )
        guard let account = locked.first else { return false }
        let sessions: [SessionRecord] = try all(where: SessionRecord.Column.accountID.equals(id.rawValue))
        if let lastSeen = sessions.map(\.lastSeenAt).max(), lastSeen >= oldest {
            // It is checked again when it has been unused for the lifetime since then.
            try update(
                AccountRecord.self,
                set: AccountRecord.Column.updatedAt.becomes(lastSeen),
                where: AccountRecord.Column.id.equals(id.rawValue)
            )
            return false
        }
        guard try identities(of: id).isEmpty else { return false }
        try removeAccount(account, reason: "unused")
        return true
    }
}
