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

    /// Checks that a key decrypts what is encrypted in the row.
    ///
    /// - Throws: ``StoreError``: `damaged`.
    func checkSealed(by secrets: AccountSecrets) throws(StoreError)
}

extension StoredRecord {
    func checkContent() throws(StoreError) {}
    func checkSealed(by secrets: AccountSecrets) throws(StoreError) {}
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
        TweakRecord.self, DPoPProofRecord.self,
    ]

    /// Returns the reason why a row cannot be read although each column has a value of the right kind; nil if it can be
    /// read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - table: Its table.
    ///   - secrets: The keys that must decrypt what is encrypted in the row; nil to skip that.
    /// - Returns: The reason, without values of the row.
    package static func fault(of row: StoreRow, in table: StoreTable, secrets: AccountSecrets? = nil) -> String? {
        guard let record = records.first(where: { isEqual($0.table.name, table.name) }) else { return nil }
        do throws(StoreError) {
            let content = try record.init(row)
            try content.checkContent()
            if let secrets { try content.checkSealed(by: secrets) }
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

/// The description of a record: its table, and the property of each column.
struct RecordSchema<Record>: Sendable {
    /// The table.
    let table: StoreTable

    /// Reads a record from a row.
    let read: @Sendable (StoreRow) throws(StoreError) -> Record

    /// Writes a record into a row.
    let write: @Sendable (Record) -> StoreRow

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - make: The memberwise initializer of the record.
    ///   - fields: The columns with the properties, in the order of the initializer.
    ///   - primaryKey: The columns that identify a row.
    ///   - uniques: Further groups of columns that identify a row, if none of them is null.
    ///   - indexes: Groups of columns by which rows are found.
    ///   - references: The rows of other tables that a row needs.
    init<each Value: ColumnValue>(
        _ name: String,
        _ make: @escaping @Sendable (repeat each Value) -> Record,
        _ fields: repeat (StoreColumn, any KeyPath<Record, each Value> & Sendable),
        primaryKey: [StoreColumn],
        uniques: [[StoreColumn]] = [],
        indexes: [[StoreColumn]] = [],
        references: [StoreReference] = []
    ) {
        var columns: [StoreColumn] = []
        for (column, type) in repeat ((each fields).0, (each Value).self) {
            precondition(
                column.kind == type.kind && column.isNullable == type.isNullable,
                "\(column.name) of \(name) has another type than its property"
            )
            columns.append(column)
        }
        let table = StoreTable(
            name,
            columns: columns,
            primaryKey: primaryKey,
            uniques: uniques,
            indexes: indexes,
            references: references
        )
        self.table = table
        read = { row throws(StoreError) in
            var index = -1
            func next() -> Int {
                index += 1
                return index
            }
            return make(repeat try row.value((each fields).0, at: next(), of: (each Value).self))
        }
        write = { record in
            var cells: [StoreValue] = []
            cells.reserveCapacity(table.columns.count)
            for (_, path) in repeat each fields { cells.append(record[keyPath: path].stored) }
            return StoreRow(names: table.columnNames, cells: cells)
        }
    }
}

extension StoredRecord {
    /// The table of the records.
    static var table: StoreTable { schema.table }

    /// Reads a row.
    ///
    /// - Throws: ``StoreError``: `damaged`.
    init(_ row: StoreRow) throws(StoreError) { self = try Self.schema.read(row) }

    /// The record as a row.
    var row: StoreRow { Self.schema.write(self) }
}

extension IdentityRecord {
    func checkContent() throws(StoreError) {
        _ = try granted()
        guard profile.map({ AccountSecrets.keyNumber(of: $0) }) == profileSealedWith else {
            throw StoreError(.damaged, "its key ID is not that of the encryption key of its profile")
        }
    }

    func checkSealed(by secrets: AccountSecrets) throws(StoreError) {
        guard profile == nil || StoredIdentity.identity(of: self, by: secrets) != nil else {
            throw StoreError(.damaged, "no key decrypts its stored profile")
        }
    }
}

extension PasswordRecord {
    func checkContent() throws(StoreError) {
        guard PasswordHash(text: hash) != nil else { throw StoreError(.damaged, "it has no valid password hash") }
    }
}

extension FactorRecord {
    func checkContent() throws(StoreError) {
        if let parameters {
            let parameters: TOTP.Parameters = try JSONText.decode(parameters)
            guard parameters.hasCodes else { throw StoreError(.damaged, "the parameters of its codes are unsupported") }
        }
        guard AccountSecrets.keyNumber(of: secret) == sealedWith else {
            throw StoreError(.damaged, "its key ID is not that of the encryption key")
        }
    }

    func checkSealed(by secrets: AccountSecrets) throws(StoreError) {
        guard (try? FactorSecrets(secrets: secrets).open(self)) != nil else {
            throw StoreError(.damaged, "no key decrypts its secret")
        }
    }
}

extension SessionRecord {
    func checkContent() throws(StoreError) {
        guard SessionState(rawValue: state) != nil else { throw StoreError(.damaged, "its session state is unknown") }
    }
}

extension AuditRecord {
    func checkContent() throws(StoreError) {
        guard let subject else { return }
        let _: [String: String] = try JSONText.decode(subject)
    }
}
