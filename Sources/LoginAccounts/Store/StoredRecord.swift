// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A row as a value with typed properties.
protocol StoredRecord: Sendable {
    /// The table, and the property of each column.
    static var schema: RecordSchema<Self> { get }

    /// Checks the contents of columns that are read only when they are needed, for example JSON.
    ///
    /// - Throws: ``StoreError``: `damaged`.
    func checkContent() throws(StoreError)
}

extension StoredRecord {
    func checkContent() throws(StoreError) {}
}

/// The tables of a store.
public enum StoreSchema {
    /// All tables, each after those to which it refers, so that they can be filled in this order.
    public static let tables: [StoreTable] = records.map { $0.table }

    private static let records: [any StoredRecord.Type] = [
        AccountRecord.self, EmailRecord.self, IdentityRecord.self, IdentityKeyRecord.self, PasswordRecord.self,
        FactorRecord.self, RecoveryCodeRecord.self, SessionFamilyRecord.self, SessionRecord.self,
        AttemptRecord.self, SeenTokenRecord.self, PendingCredentialRecord.self, PendingSignInRecord.self,
        ChallengeRecord.self, ProofRecord.self, BudgetRecord.self, IdempotencyRecord.self,
        AuditRecord.self, OutboxRecord.self,
        TweakRecord.self,
    ]

    /// Returns the reason why a row cannot be read although each column has a value of the right kind; nil if it can be
    /// read.
    package static func fault(of row: StoreRow, in table: StoreTable) -> String? {
        guard let record = records.first(where: { isEqual($0.table.name, table.name) }) else { return nil }
        do throws(StoreError) {
            try record.init(row).checkContent()
            return nil
        } catch {
            return "a row of \(table.name) cannot be read: \(error.detail)"
        }
    }

    /// Returns the table with a name.
    package static func table(_ name: String) -> StoreTable {
        guard let table = tables.first(where: { isEqual($0.name, name) }) else {
            preconditionFailure("there is no table \(name)")
        }
        return table
    }
}
