// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
public import GRDB
public import LoginAccounts

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A transaction of ``SQLiteAccountStore``.
///
/// ```swift
/// let hooks = AuthHooks<SQLiteTransaction>(onMerge: { merge, rows in
///     let notes = Note.filter { $0.owner == merge.source.rawValue }
///     try notes.updateAll(rows.database) { $0.owner.set(to: merge.target.rawValue) }
/// })
/// ```
public final class SQLiteTransaction: SQLStoreTransaction {
    /// The database, for your own tables in the same file.
    ///
    /// Its operations are part of the transaction.
    ///
    /// Use it only within the transaction, and neither begin nor end one.
    public let database: Database

    /// The first error of an operation.
    ///
    /// The transaction fails with it, even if its body has caught it.
    private var failure: StoreError?

    /// The number of statements that may still be run.
    private var left: Int

    private init(_ database: Database, isOnce: Bool = false) {
        self.database = database
        left = isOnce ? 1 : .max
    }

    /// Runs one statement.
    @discardableResult
    public func execute(_ statement: String, _ values: [StoreValue]) throws(StoreError) -> [StoreRow] {
        do {
            guard left > 0 else { throw StoreError(.constraint, "a second statement needs a transaction") }
            left -= 1
            let prepared = try database.cachedStatement(sql: Self.numbered(statement))
            try prepared.setArguments(StatementArguments(values.map(Self.value)))
            var rows: [StoreRow] = []
            let cursor = try Row.fetchCursor(prepared)
            let names = prepared.columnNames
            while let row = try cursor.next() { rows.append(try Self.row(row, names)) }
            return rows
        } catch {
            let error =
                database.configuration.readonly && (error as? DatabaseError)?.resultCode == .SQLITE_READONLY
                ? StoreError(.constraint, "a read-only transaction cannot write") : StoreError(sqlite: error)
            fail(error)
            throw error
        }
    }

    /// Marks the transaction as failed, so that it is rolled back.
    public func fail(_ error: StoreError) {
        failure = failure ?? error
    }

    static func run<Value>(_ body: (any StoreTransaction) throws -> Value, on database: Database) -> Result<
        Value, any Error
    > {
        var outcome: Result<Value, any Error>?
        do {
            try database.inTransaction(.immediate) {
                let transaction = SQLiteTransaction(database)
                let value = Result { try body(transaction) }
                let failure = transaction.failure
                switch (value, failure) {
                case (.success, nil):
                    outcome = value
                    return .commit
                case (.success, let failure?):
                    outcome = .failure(failure)
                    return .rollback
                case (.failure, _):
                    outcome = value
                    return .rollback
                }
            }
        } catch {
            return .failure(StoreError(sqlite: error))
        }
        return outcome ?? .failure(StoreError(.unavailable, "SQLite did not run the transaction"))
    }

    static func run<Value>(
        _ body: (any StoreTransaction) throws -> Value,
        reading database: Result<Database, any Error>,
        isOnce: Bool = false
    ) -> Result<Value, any Error> {
        let transaction: SQLiteTransaction
        do {
            transaction = SQLiteTransaction(try database.get(), isOnce: isOnce)
        } catch {
            return .failure(StoreError(sqlite: error))
        }
        return Result {
            let value = try body(transaction)
            if let failure = transaction.failure { throw failure }
            return value
        }
    }

    private static func value(_ value: StoreValue) throws(StoreError) -> DatabaseValue {
        switch value {
        case .null: return .null
        case .integer(let integer): return integer.databaseValue
        case .bytes(let bytes): return Data(bytes).databaseValue
        case .text(let text):
            // SQLite would truncate the text there.
            guard !text.utf8.contains(0) else { throw StoreError(.constraint, "a text holds a NUL") }
            return text.databaseValue
        }
    }

    private static func row(_ row: Row, _ names: [String]) throws(StoreError) -> StoreRow {
        var cells: [StoreValue] = []
        cells.reserveCapacity(names.count)
        for index in names.indices {
            let value: DatabaseValue = row[index]
            switch value.storage {
            case .null: cells.append(.null)
            case .int64(let integer): cells.append(.integer(integer))
            case .string(let text): cells.append(.text(text))
            case .blob(let data): cells.append(.bytes(Array(data)))
            case .double:
                throw StoreError(
                    .constraint,
                    "the column \(names[index]) is a floating-point value; read it with `database`"
                )
            }
        }
        return StoreRow(names: names, cells: cells)
    }

    /// Returns the statement with `?2` in place of `$2`, which SQLite would treat as a name, numbered by its first use.
    ///
    /// Quoted parts and comments are unchanged.
    static func numbered(_ statement: String) -> String {
        var bytes = Array(statement.utf8)
        var index = 0
        while index < bytes.count {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if bytes[index] == UInt8(ascii: "$"), (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(next) {
                bytes[index] = UInt8(ascii: "?")
            } else if let end = end(ofPartFrom: bytes[index], next) {
                index += end.count == 2 ? 2 : 1
                while index < bytes.count, !bytes[index...].starts(with: end) { index += 1 }
                index += end.count
                continue
            }
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the end of the quoted part or comment that begins with a byte and the next one; nil if none does.
    private static func end(ofPartFrom byte: UInt8, _ next: UInt8) -> [UInt8]? {
        switch (byte, next) {
        case (UInt8(ascii: "'"), _), (UInt8(ascii: "\""), _), (UInt8(ascii: "`"), _): [byte]
        case (UInt8(ascii: "["), _): [UInt8(ascii: "]")]
        case (UInt8(ascii: "-"), UInt8(ascii: "-")): [UInt8(ascii: "\n")]
        case (UInt8(ascii: "/"), UInt8(ascii: "*")): [UInt8(ascii: "*"), UInt8(ascii: "/")]
        default: nil
        }
    }
}

extension StoreError {
    /// Creates the error for an error of SQLite, without any value of a row.
    init(sqlite error: any Error) {
        guard let error = error as? DatabaseError else {
            self = error as? StoreError ?? StoreError(.unavailable, "SQLite: \(type(of: error))")
            return
        }
        let number = error.extendedResultCode.rawValue
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, "SQLite: another process is writing (\(number))")
        case .SQLITE_CONSTRAINT:
            // The message contains names of columns, or of the check.
            self.init(.constraint, "SQLite: \(error.message ?? "constraint") (\(number))")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(.damaged, "SQLite: the file is damaged, or no database (\(number))")
        case .SQLITE_MISUSE:
            // Only a closed store leads here, because statements and values are checked before.
            self.init(.unavailable, "SQLite: the store was shut down (\(number))")
        case .SQLITE_ERROR where (error.message ?? "").hasPrefix("no such "):
            self.init(.schema, "SQLite: a table or column is missing: has it been migrated?")
        case .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_RANGE, .SQLITE_TOOBIG:
            self.init(.constraint, "SQLite rejected the statement (\(number))")
        default: self.init(.unavailable, "SQLite: the file cannot be read or written (\(number))")
        }
    }
}
#endif
