// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A setting that overrides the configuration for all servers of a store.
///
/// A row stays after a reset, with a null value, so that its revision only grows. The row with an empty ID counts all
/// changes: every change locks it first, and a poll for changes reads only this row.
struct TweakRecord: StoredRecord {
    /// The ID of the setting; empty for the row that counts the changes.
    var id: String
    /// The value; nil if the setting was reset.
    var value: String? = nil
    /// The time of the last change.
    var changedAt: StoreTime
    /// The author of the last change.
    var changedBy: String
    /// The number of that change among all changes of the store.
    var revision: Int64

    enum Column {
        static let id = StoreColumn.text("id")
        static let value = StoreColumn.text("value").orNull
        static let changedAt = StoreColumn.integer("changed_at")
        static let changedBy = StoreColumn.text("changed_by")
        static let revision = StoreColumn.integer("revision")
    }

    static let schema = RecordSchema(
        "login_tweak",
        TweakRecord.init,
        (Column.id, \.id),
        (Column.value, \.value),
        (Column.changedAt, \.changedAt),
        (Column.changedBy, \.changedBy),
        (Column.revision, \.revision),
        primaryKey: [Column.id]
    )
}

/// The tweaks, and a row that counts their changes.
struct TweakTable {
    let rows: StoreRows

    private typealias Column = TweakRecord.Column

    /// The ID of the row that counts the changes.
    static let counter = ""

    /// Reads a tweak, or the row that counts the changes; nil if there is none.
    func find(_ id: String) throws(StoreError) -> TweakRecord? { try rows.first(where: Column.id.equals(id)) }

    /// Returns the tweaks that were ever set.
    func all() throws(StoreError) -> [TweakRecord] {
        let records: [TweakRecord] = try rows.all()
        return records.filter { $0.id != Self.counter }
    }

    /// Locks the tweaks, so that no other transaction changes them until this one has ended.
    ///
    /// - Returns: The number of changes.
    func lock(at now: StoreTime) throws(StoreError) -> Int64 {
        _ = try rows.insert(TweakRecord(id: Self.counter, changedAt: now, changedBy: "", revision: 0))
        return try count(0, at: now)
    }

    /// Adds to the number of changes, and returns it.
    func count(_ number: Int64, at now: StoreTime) throws(StoreError) -> Int64 {
        let counter: [TweakRecord] = try rows.update(
            set: Column.revision.grows(by: number),
            Column.changedAt.becomes(now),
            where: Column.id.equals(Self.counter)
        )
        guard let counter = counter.first else {
            throw StoreError(.damaged, "the row with the revision of the tweaks is missing")
        }
        return counter.revision
    }

    /// Adds a tweak.
    func add(_ tweak: TweakRecord) throws(StoreError) { try rows.add(tweak) }

    /// Replaces a tweak, unless it was changed meanwhile.
    ///
    /// - Returns: Whether it was replaced.
    func replace(_ current: TweakRecord, with tweak: TweakRecord) throws(StoreError) -> Bool {
        let written: [TweakRecord] = try rows.update(
            set: Column.value.becomes(tweak.value),
            Column.changedAt.becomes(tweak.changedAt),
            Column.changedBy.becomes(tweak.changedBy),
            Column.revision.becomes(tweak.revision),
            where: Column.id.equals(current.id),
            Column.revision.equals(current.revision)
        )
        return !written.isEmpty
    }
}
