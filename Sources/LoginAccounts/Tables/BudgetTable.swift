// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A counter of operations in a window.
struct BudgetRecord: StoredRecord {
    /// The purpose, and an HMAC of the subject.
    var key: String
    /// The number of operations in the window.
    var count: Int64
    /// The end of the window.
    var endsAt: StoreTime

    enum Column {
        static let key = StoreColumn.text("key")
        static let count = StoreColumn.integer("count")
        static let endsAt = StoreColumn.integer("ends_at")
    }

    static let schema = RecordSchema(
        "login_budget",
        BudgetRecord.init,
        (Column.key, \.key),
        (Column.count, \.count),
        (Column.endsAt, \.endsAt),
        primaryKey: [Column.key],
        indexes: [[Column.endsAt]]
    )
}

/// The counters of budgets.
struct BudgetTable {
    let rows: StoreRows

    private typealias Column = BudgetRecord.Column

    /// Counts one operation, in the current window or in a new one.
    ///
    /// The count is never reset because of a time in the future: a server whose clock is behind would otherwise admit any
    /// number of operations. A window that ends more than an hour later than one that begins now is shortened to that
    /// hour, so that it does not block operations for as long as a clock was ahead. The operation that shortens it is
    /// admitted, since a refused one writes nothing.
    ///
    /// - Parameters:
    ///   - key: The key of the budget.
    ///   - limit: The maximum count in a window; at least 1.
    ///   - window: The length of a window.
    ///   - now: The time of the transaction.
    /// - Returns: Nil if it was counted; the end of the window if the limit is reached.
    /// - Throws: ``StoreError``
    func count(_ key: String, limit: Int, window: Duration, at now: StoreTime) throws(StoreError) -> StoreTime? {
        let latest = StoreTime.latestCreation(now) + window
        // The second round handles a window that another transaction has begun in between.
        for _ in 1...2 {
            let counted: [BudgetRecord] = try rows.update(
                set: Column.count.grows(by: 1),
                where: Column.key.equals(key),
                Column.endsAt.isAfter(now),
                Column.endsAt.isAtMost(latest.milliseconds),
                Column.count.isLess(than: Int64(limit))
            )
            if !counted.isEmpty { return nil }
            let shortened: [BudgetRecord] = try rows.update(
                set: Column.count.grows(by: 1),
                Column.endsAt.becomes(latest),
                where: Column.key.equals(key),
                Column.endsAt.isAfter(latest)
            )
            if !shortened.isEmpty { return nil }
            let begun: [BudgetRecord] = try rows.update(
                set: Column.count.becomes(1),
                Column.endsAt.becomes(now + window),
                where: Column.key.equals(key),
                Column.endsAt.isAtMost(now.milliseconds)
            )
            if !begun.isEmpty { return nil }
            if try rows.insert(BudgetRecord(key: key, count: 1, endsAt: now + window)) { return nil }
        }
        let spent: BudgetRecord? = try rows.first(where: Column.key.equals(key))
        return spent?.endsAt ?? now + window
    }

    /// Takes one count back, if the window has not ended.
    func giveBack(_ key: String, at now: StoreTime) throws(StoreError) {
        try rows.update(
            BudgetRecord.self,
            set: Column.count.grows(by: -1),
            where: Column.key.equals(key),
            Column.endsAt.isAfter(now),
            Column.count.isGreater(than: 0)
        )
    }

    /// Removes a counter.
    func remove(_ key: String) throws(StoreError) { try rows.delete(BudgetRecord.self, where: Column.key.equals(key)) }
}
