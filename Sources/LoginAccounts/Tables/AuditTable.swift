// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An entry of the audit.
struct AuditRecord: StoredRecord {
    /// The ID.
    ///
    /// Later IDs sort later.
    var id: String
    /// The time.
    var at: StoreTime
    /// The account; nil if none is affected.
    var accountID: AccountID? = nil
    /// The actor.
    var actor: String
    /// The action, by a permanent name.
    var action: String
    /// The details as JSON, without personal data.
    var subject: String? = nil
    /// The session; nil if there was none.
    var sessionID: SessionID? = nil

    enum Column {
        static let id = StoreColumn.text("id")
        static let at = StoreColumn.integer("at")
        static let accountID = StoreColumn.text("account_id").orNull
        static let actor = StoreColumn.text("actor")
        static let action = StoreColumn.text("action")
        static let subject = StoreColumn.text("subject").orNull
        static let sessionID = StoreColumn.text("session_id").orNull
    }

    static let schema = RecordSchema(
        "login_audit",
        AuditRecord.init,
        (Column.id, \.id),
        (Column.at, \.at),
        (Column.accountID, \.accountID),
        (Column.actor, \.actor),
        (Column.action, \.action),
        (Column.subject, \.subject),
        (Column.sessionID, \.sessionID),
        primaryKey: [Column.id],
        indexes: [[Column.accountID, Column.id], [Column.at]]
    )
}

/// The audit.
///
/// Entries are added, and never changed.
struct AuditTable {
    let rows: StoreRows

    private typealias Column = AuditRecord.Column

    /// Adds an entry.
    func add(_ entry: AuditRecord) throws(StoreError) { try rows.add(entry) }

    /// Returns the entries of an account, the newest first.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - limit: The maximum number of entries.
    ///   - id: The ID of the entry before which to continue; nil to begin with the newest.
    /// - Returns: The entries.
    /// - Throws: ``StoreError``
    func of(_ account: AccountID, limit: Int, before id: String?) throws(StoreError) -> [AuditRecord] {
        let isOfAccount = Column.accountID.equals(account)
        guard let id else { return try rows.all(where: isOfAccount, order: .descending(Column.id), limit: limit) }
        let found: AuditRecord? = try rows.first(where: Column.id.equals(id), isOfAccount)
        guard let found else { return [] }
        // The time is the first part of an ID: the entries of the same millisecond come first, and then all earlier
        // ones.
        let sameTime: [AuditRecord] = try rows.all(
            where: isOfAccount,
            Column.at.equals(found.at.milliseconds),
            order: .descending(Column.id)
        )
        let earlier: [AuditRecord] = try rows.all(
            where: isOfAccount,
            Column.at.isBefore(found.at),
            order: .descending(Column.id),
            limit: limit
        )
        let page = sameTime.filter { $0.id.utf8.lexicographicallyPrecedes(id.utf8) } + earlier
        return Array(page.prefix(limit))
    }

    /// Returns the entries of an action that belong to no account, the newest first.
    func of(_ action: AuditAction, limit: Int) throws(StoreError) -> [AuditRecord] {
        try rows.all(
            where: Column.accountID.isNull,
            Column.action.equals(action.rawValue),
            order: .descending(Column.id),
            limit: limit
        )
    }
}
