// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts

/// Rows that tests write directly, without the operations on accounts.
enum StoreRows {
    /// Returns a row of a table with these values, and valid defaults for all other required columns.
    static func row(of table: String, _ values: [String: StoreValue]) -> StoreRow {
        var row = StoreRow()
        for column in StoreSchema.table(table).columns where !column.isNullable {
            row[column] =
                switch column.kind {
                case .integer: .integer(0)
                case .text: .text("")
                case .bytes: .bytes([])
                }
        }
        for (name, value) in readable[table] ?? [:] { row[StoreSchema.table(table)[name]] = value }
        for (name, value) in values { row[StoreSchema.table(table)[name]] = value }
        return row
    }

    /// Valid values for columns with structured text.
    private static let readable: [String: [String: StoreValue]] = [
        "login_session": ["state": .text("open"), "methods": .text("[]")],
        "login_password": ["hash": .text("$scrypt$ln=4,r=8,p=1$AAAA$" + String(repeating: "A", count: 43))],
    ]

    static func budget(_ key: String, _ count: Int64 = 1) -> StoreRow {
        row(of: "login_budget", ["key": .text(key), "count": .integer(count)])
    }

    static func account(_ id: String, _ values: [String: StoreValue] = [:]) -> StoreRow {
        row(of: "login_account", ["id": .text(id), "state": .text("active")].merging(values) { $1 })
    }

    static func identity(_ id: String, of account: String, _ values: [String: StoreValue] = [:]) -> StoreRow {
        row(
            of: "login_identity",
            [
                "id": .text(id), "account_id": .text(account), "account_state": .text("active"),
                "status": .text("active"),
                "provider_id": .text("google"), "subject": .text("s-\(id)"),
            ].merging(values) { $1 }
        )
    }

    static func key(of identity: String) -> StoreRow {
        row(
            of: "login_identity_key",
            ["identity_id": .text(identity), "provider_id": .text("google"), "subject": .text("s-\(identity)")]
        )
    }

    /// Returns a session and its device.
    static func session(_ id: String, of account: String, _ values: [String: StoreValue] = [:]) -> [(
        table: String, row: StoreRow
    )] {
        let family = row(of: "login_session_family", ["id": .text("f-\(id)"), "account_id": .text(account)])
        let session = row(
            of: "login_session",
            [
                "id": .text(id), "account_id": .text(account), "family_id": .text("f-\(id)"), "level": .integer(1),
                "token_hash": .bytes(Array(id.utf8)),
            ].merging(values) { $1 }
        )
        return [("login_session_family", family), ("login_session", session)]
    }
}

extension AccountStore {
    /// Writes rows as they are.
    func fill(_ rows: [(table: String, row: StoreRow)]) async throws {
        try await transaction { transaction in
            for (table, row) in rows {
                guard try transaction.insert(row, into: StoreSchema.table(table)) else {
                    throw StoreError(.constraint, "a key is there already")
                }
            }
        }
    }
}
