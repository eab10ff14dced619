// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginAccounts
internal import Synchronization

/// A run of one contract test against a store.
final class ContractRun: Sendable {
    let store: any AccountStore
    private let noted = Mutex<[String]>([])

    init(_ store: any AccountStore) {
        self.store = store
    }

    /// The violations found.
    var faults: [String] { noted.withLock { $0 } }

    func note(_ fault: String) {
        noted.withLock { $0.append(fault) }
    }

    func expect(_ holds: Bool, _ promise: String) {
        if !holds { note("violated: \(promise)") }
    }

    /// Runs a transaction, and retries it on conflicts, as the account operations do.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        var tries = 50
        while true {
            do {
                return try await store.transaction(body)
            } catch let error as StoreError where error.code == .busy && tries > 0 {
                tries -= 1
            }
        }
    }

    /// Checks that a transaction is refused with a code.
    func expectRefusal<Value: Sendable>(
        _ code: StoreError.Code,
        _ promise: String,
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async {
        do {
            _ = try await transaction(body)
            note("violated: \(promise)")
        } catch let error as StoreError where error.code == code {
            return
        } catch {
            note("violated: \(promise), as \(code); it threw \(AccountStoreContract.describe(error))")
        }
    }

    func all(_ table: StoreTable) async throws -> [StoreRow] {
        try await transaction { try $0.select(from: table, where: [], order: nil, limit: nil) }
    }

    func isEmpty() async throws -> Bool {
        for table in StoreSchema.tables where try await !all(table).isEmpty { return false }
        return true
    }

    func clear() async throws {
        try await transaction { rows in
            for table in StoreSchema.tables.reversed() { _ = try rows.delete(from: table, where: []) }
        }
    }

    /// Runs `body` the given number of times concurrently.
    func atOnce<Value: Sendable>(
        _ count: Int,
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for index in 0..<count { group.addTask { try await body(index) } }
            var values: [Value] = []
            for try await value in group { values.append(value) }
            return values
        }
    }

    /// Keeps a transaction open for a moment, so that other transactions can interleave.
    static func linger() {
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(1)
        while clock.now < end {}
    }
}

/// Rows for the contract tests.
enum ContractRows {
    static let budget = StoreSchema.table("login_budget")
    static let attempt = StoreSchema.table("login_attempt")
    static let account = StoreSchema.table("login_account")
    static let identity = StoreSchema.table("login_identity")

    static let key = budget["key"]
    static let count = budget["count"]
    static let hash = attempt["hash"]
    static let usedAt = attempt["used_at"]

    /// Returns a row with these values, and with defaults for the other columns that are not nullable.
    static func row(of table: StoreTable, _ values: [String: StoreValue]) -> StoreRow {
        var row = StoreRow()
        for column in table.columns where !column.isNullable {
            row[column] =
                switch column.kind {
                case .integer: .integer(0)
                case .text: .text("")
                case .bytes: .bytes([])
                }
        }
        for (name, value) in values { row[table[name]] = value }
        return row
    }

    static func budget(_ key: String, _ count: Int64 = 0) -> StoreRow {
        row(of: budget, ["key": .text(key), "count": .integer(count)])
    }

    static func attempt(_ hash: [UInt8], usedAt: Int64? = nil) -> StoreRow {
        row(of: attempt, ["hash": .bytes(hash), "used_at": usedAt.map { .integer($0) } ?? .null])
    }

    static func account(_ id: String) -> StoreRow {
        row(of: account, ["id": .text(id), "state": .text("active")])
    }

    static func identity(_ id: String, of account: String, singleKey: String? = nil) -> StoreRow {
        row(
            of: identity,
            [
                "id": .text(id), "account_id": .text(account), "account_state": .text("active"),
                "status": .text("active"),
                "single_key": singleKey.map { .text($0) } ?? .null,
            ]
        )
    }
}
