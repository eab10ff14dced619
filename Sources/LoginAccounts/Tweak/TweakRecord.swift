// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What is set otherwise than the configuration says, for all servers of one store.
///
/// A row stays where its value was taken back, with nothing as its value, so that a revision only grows. The row without a name counts
/// all changes: who makes one takes it first, and who wonders whether there was one reads it alone.
struct TweakRecord: StoredRecord {
    /// What is set; empty for the row that counts.
    var id: String
    /// To what; nil where it was taken back.
    var value: String? = nil
    /// When that was said last.
    var changedAt: StoreTime
    /// By whom.
    var changedBy: String
    /// The number of that change among all of the store.
    var revision: Int64

    enum Column {
        static let id = StoreColumn.text("id")
        static let value = StoreColumn.text("value").orNull
        static let changedAt = StoreColumn.integer("changed_at")
        static let changedBy = StoreColumn.text("changed_by")
        static let revision = StoreColumn.integer("revision")
    }

    static let table = StoreTable(
        "login_tweak",
        columns: [
            Column.id,
            Column.value,
            Column.changedAt,
            Column.changedBy,
            Column.revision,
        ],
        primaryKey: [Column.id]
    )
}

extension TweakRecord {
    init(_ row: StoreRow) throws(StoreError) {
        id = try row.text(Column.id)
        value = try row.textIfAny(Column.value)
        changedAt = try row.time(Column.changedAt)
        changedBy = try row.text(Column.changedBy)
        revision = try row.integer(Column.revision)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.id] = .text(id)
        row[Column.value] = value.map { .text($0) } ?? .null
        row[Column.changedAt] = changedAt.value
        row[Column.changedBy] = .text(changedBy)
        row[Column.revision] = .integer(revision)
        return row
    }
}
