// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An event that waits to be delivered.
struct OutboxRecord: StoredRecord {
    /// What it is known by; later ones sort later.
    var id: String
    /// The event, as JSON.
    var event: String
    /// When it happened.
    var createdAt: StoreTime
    /// How many times its delivery was tried.
    var attempts: Int64 = 0
    /// When it is tried next.
    var nextAt: StoreTime
    /// When it was delivered.
    var deliveredAt: StoreTime? = nil

    enum Column {
        static let id = StoreColumn.text("id")
        static let event = StoreColumn.text("event")
        static let createdAt = StoreColumn.integer("created_at")
        static let attempts = StoreColumn.integer("attempts")
        static let nextAt = StoreColumn.integer("next_at")
        static let deliveredAt = StoreColumn.integer("delivered_at").orNull
    }

    static let table = StoreTable(
        "login_outbox",
        columns: [
            Column.id,
            Column.event,
            Column.createdAt,
            Column.attempts,
            Column.nextAt,
            Column.deliveredAt,
        ],
        primaryKey: [Column.id],
        indexes: [[Column.deliveredAt, Column.nextAt], [Column.createdAt]]
    )
}

extension OutboxRecord {
    init(_ row: StoreRow) throws(StoreError) {
        id = try row.text(Column.id)
        event = try row.text(Column.event)
        createdAt = try row.time(Column.createdAt)
        attempts = try row.integer(Column.attempts)
        nextAt = try row.time(Column.nextAt)
        deliveredAt = try row.timeIfAny(Column.deliveredAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.id] = .text(id)
        row[Column.event] = .text(event)
        row[Column.createdAt] = createdAt.value
        row[Column.attempts] = .integer(attempts)
        row[Column.nextAt] = nextAt.value
        row[Column.deliveredAt] = deliveredAt?.value ?? .null
        return row
    }
}
