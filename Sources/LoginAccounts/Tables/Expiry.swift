// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A kind of row that expires.
struct Expiry: Sendable {
    /// The name of the table.
    let table: String

    /// Deletes expired rows, up to a number, and returns how many were deleted.
    let remove: @Sendable (StoreRows, StoreTime, Int) throws -> Int

    /// The time for which closed sessions and undelivered events are kept, for inquiries of users and operators.
    private static let retention = Duration.seconds(30 * 86400)

    /// The time for which delivered events are kept.
    private static let deliveredRetention = Duration.seconds(86400)

    /// Returns the kinds, in the order in which they are deleted.
    ///
    /// - Parameter age: The age at which audit entries are deleted; nil to keep them.
    /// - Returns: The kinds.
    static func all(auditOlderThan age: Duration?) -> [Self] {
        var all = [
            rows(AttemptRecord.self, AttemptRecord.Column.expiresAt, after: AccountAttemptStore.retention),
            rows(SeenTokenRecord.self, SeenTokenRecord.Column.expiresAt),
            rows(DPoPProofRecord.self, DPoPProofRecord.Column.expiresAt, after: StoredDPoPLedger.retention),
            rows(PendingCredentialRecord.self, PendingCredentialRecord.Column.expiresAt),
            rows(PendingSignInRecord.self, PendingSignInRecord.Column.expiresAt),
            rows(ChallengeRecord.self, ChallengeRecord.Column.expiresAt),
            rows(ProofRecord.self, ProofRecord.Column.expiresAt),
            rows(BudgetRecord.self, BudgetRecord.Column.endsAt),
            rows(IdempotencyRecord.self, IdempotencyRecord.Column.expiresAt),
            unconfirmedFactors,
            rows(
                SessionRecord.self,
                SessionRecord.Column.expiresAt,
                after: retention,
                where: [SessionRecord.Column.closedAt.isNotNull]
            ),
            devicesWithoutSessions,
            rows(OutboxRecord.self, OutboxRecord.Column.deliveredAt, after: deliveredRetention),
            rows(OutboxRecord.self, OutboxRecord.Column.createdAt, after: retention),
        ]
        if let age { all.append(rows(AuditRecord.self, AuditRecord.Column.at, after: age)) }
        return all
    }

    /// Creates the kind of a table's rows whose time in a column has passed.
    ///
    /// They are deleted with two statements, however many they are.
    private static func rows<Record: StoredRecord>(
        _ type: Record.Type,
        _ column: StoreColumn,
        after retention: Duration = .zero,
        where conditions: [StoreCondition] = []
    ) -> Self {
        Self(table: Record.table.name) { rows, now, limit in
            let (end, transaction) = (now - retention, rows.transaction)
            let isOver = conditions + [column.isAtMost(end.milliseconds)]
            let ended = try transaction.select(
                from: Record.table,
                where: isOver,
                order: .ascending(column),
                limit: limit
            )
            guard let last = ended.last else { return 0 }
            let latest = ended.count < limit ? end : try last.value(column, of: StoreTime.self)
            let isRemoved = conditions + [column.isAtMost(latest.milliseconds)]
            return try transaction.delete(from: Record.table, where: isRemoved).count
        }
    }

    /// The second factors that were not confirmed in time, with the codes that were sent for them.
    private static let unconfirmedFactors = Self(table: FactorRecord.table.name) { rows, now, limit in
        let ended: [FactorRecord] = try rows.all(
            where: FactorRecord.Column.confirmedAt.isNull,
            FactorRecord.Column.expiresAt.isAtMost(now.milliseconds),
            limit: limit
        )
        for factor in ended {
            try ChallengeTable(rows: rows).removeAll(of: factor)
            try rows.delete(
                FactorRecord.self,
                where: FactorRecord.Column.id.equals(factor.id),
                FactorRecord.Column.confirmedAt.isNull
            )
        }
        return ended.count
    }

    /// The devices that have expired and whose sessions were deleted.
    private static let devicesWithoutSessions = Self(table: SessionFamilyRecord.table.name) { rows, now, limit in
        typealias Column = SessionFamilyRecord.Column
        let ended: [SessionFamilyRecord] = try rows.all(
            where: Column.expiresAt.isAtMost((now - retention).milliseconds),
            order: .ascending(Column.expiresAt, then: Column.id),
            limit: limit
        )
        var count = 0
        for family in ended where try !SessionTable(rows: rows).hasAny(ofFamily: family.id) {
            try SessionFamilyTable(rows: rows).remove(family.id)
            count += 1
        }
        return count
    }
}
