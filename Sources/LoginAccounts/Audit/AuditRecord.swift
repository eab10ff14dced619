// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What happened, for those who ask later.
struct AuditRecord: StoredRecord {
    /// What it is known by; later ones sort later.
    var id: String
    /// When.
    var at: StoreTime
    /// To whose account.
    var accountID: AccountID? = nil
    /// Who did it.
    var actor: String
    /// What, by a stable name.
    var action: String
    /// To what, as JSON, without anything personal.
    var subject: String? = nil
    /// In which session.
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

    static let table = StoreTable(
        "login_audit",
        columns: [
            Column.id,
            Column.at,
            Column.accountID,
            Column.actor,
            Column.action,
            Column.subject,
            Column.sessionID,
        ],
        primaryKey: [Column.id],
        indexes: [[Column.accountID, Column.id], [Column.at]]
    )
}

extension AuditRecord {
    init(_ row: StoreRow) throws(StoreError) {
        id = try row.text(Column.id)
        at = try row.time(Column.at)
        accountID = try row.textIfAny(Column.accountID).map { AccountID(rawValue: $0) }
        actor = try row.text(Column.actor)
        action = try row.text(Column.action)
        subject = try row.textIfAny(Column.subject)
        sessionID = try row.textIfAny(Column.sessionID).map { SessionID(rawValue: $0) }
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.id] = .text(id)
        row[Column.at] = at.value
        row[Column.accountID] = accountID.map { .text($0.rawValue) } ?? .null
        row[Column.actor] = .text(actor)
        row[Column.action] = .text(action)
        row[Column.subject] = subject.map { .text($0) } ?? .null
        row[Column.sessionID] = sessionID.map { .text($0.rawValue) } ?? .null
        return row
    }
}
