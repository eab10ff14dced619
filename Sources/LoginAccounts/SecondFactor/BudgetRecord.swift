// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// How often something was done within a while.
struct BudgetRecord: StoredRecord {
    /// What, and by whom.
    var key: String
    /// How often.
    var count: Int64
    /// When the while ends.
    var endsAt: StoreTime

    enum Column {
        static let key = StoreColumn.text("key")
        static let count = StoreColumn.integer("count")
        static let endsAt = StoreColumn.integer("ends_at")
    }

    static let table = StoreTable(
        "login_budget",
        columns: [
            Column.key,
            Column.count,
            Column.endsAt,
        ],
        primaryKey: [Column.key],
        indexes: [[Column.endsAt]]
    )
}

extension BudgetRecord {
    init(_ row: StoreRow) throws(StoreError) {
        key = try row.text(Column.key)
        count = try row.integer(Column.count)
        endsAt = try row.time(Column.endsAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.key] = .text(key)
        row[Column.count] = .integer(count)
        row[Column.endsAt] = endsAt.value
        return row
    }
}
