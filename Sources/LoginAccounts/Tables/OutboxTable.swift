// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An event for delivery.
struct OutboxRecord: StoredRecord {
    /// The ID.
    ///
    /// Later IDs sort later.
    var id: String
    /// The event, as JSON.
    var event: String
    /// The time of the event.
    var createdAt: StoreTime
    /// The number of attempts to deliver it.
    var attempts: Int64 = 0
    /// The time of the next attempt.
    var nextAt: StoreTime
    /// The time at which it was delivered.
    var deliveredAt: StoreTime? = nil

    enum Column {
        static let id = StoreColumn.text("id")
        static let event = StoreColumn.text("event")
        static let createdAt = StoreColumn.integer("created_at")
        static let attempts = StoreColumn.integer("attempts")
        static let nextAt = StoreColumn.integer("next_at")
        static let deliveredAt = StoreColumn.integer("delivered_at").orNull
    }

    static let schema = RecordSchema(
        "login_outbox",
        OutboxRecord.init,
        (Column.id, \.id),
        (Column.event, \.event),
        (Column.createdAt, \.createdAt),
        (Column.attempts, \.attempts),
        (Column.nextAt, \.nextAt),
        (Column.deliveredAt, \.deliveredAt),
        primaryKey: [Column.id],
        indexes: [[Column.deliveredAt, Column.nextAt], [Column.createdAt]]
    )
}

/// The events for delivery.
struct OutboxTable {
    let rows: StoreRows

    private typealias Column = OutboxRecord.Column

    /// Adds an event.
    func add(_ event: OutboxRecord) throws(StoreError) { try rows.add(event) }

    /// Returns the events that are due for delivery, in the order in which they became due.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - latest: The latest time to which an event can be postponed now. A later time was written by a server whose
    ///     clock was ahead, and the event is due.
    ///   - maximumAttempts: The number of attempts after which an event is abandoned.
    ///   - limit: The maximum number of events.
    /// - Returns: The events.
    /// - Throws: ``StoreError``
    func due(at now: StoreTime, latest: StoreTime, maximumAttempts: Int64, limit: Int) throws(StoreError)
        -> [OutboxRecord]
    {
        func waiting(_ condition: StoreCondition, limit: Int) throws(StoreError) -> [OutboxRecord] {
            try rows.all(
                where: Column.deliveredAt.isNull,
                condition,
                Column.attempts.isLess(than: maximumAttempts),
                order: .ascending(Column.nextAt, then: Column.id),
                limit: limit
            )
        }
        let due = try waiting(Column.nextAt.isAtMost(now.milliseconds), limit: limit)
        guard due.count < limit else { return due }
        return due + (try waiting(Column.nextAt.isAfter(latest), limit: limit - due.count))
    }

    /// Claims an event until a time, unless another server has claimed it meanwhile.
    ///
    /// - Returns: The event as it is now; nil if it was claimed or delivered.
    func claim(_ event: OutboxRecord, until end: StoreTime) throws(StoreError) -> OutboxRecord? {
        try rows.change(
            set: Column.attempts.grows(by: 1),
            Column.nextAt.becomes(end),
            where: Column.id.equals(event.id),
            Column.attempts.equals(event.attempts),
            Column.deliveredAt.isNull
        )
    }

    /// Stores that an event was delivered.
    func setDelivered(_ event: OutboxRecord, at now: StoreTime) throws(StoreError) {
        try rows.update(OutboxRecord.self, set: Column.deliveredAt.becomes(now), where: Column.id.equals(event.id))
    }

    /// Postpones an event, unless another server has claimed it meanwhile.
    func postpone(_ event: OutboxRecord, until time: StoreTime) throws(StoreError) {
        try rows.update(
            OutboxRecord.self,
            set: Column.nextAt.becomes(time),
            where: Column.id.equals(event.id),
            Column.attempts.equals(event.attempts),
            Column.deliveredAt.isNull
        )
    }
}
