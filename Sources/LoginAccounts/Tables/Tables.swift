// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The tables of a transaction.
///
/// Each type of steps gets the tables that it may access in its initializer; see ``TransactionSteps``.
struct Tables {
    let rows: StoreRows

    var accounts: AccountTable { AccountTable(rows: rows) }
    var emails: EmailTable { EmailTable(rows: rows) }
    var identities: IdentityTable { IdentityTable(rows: rows) }
    var identityKeys: IdentityKeyTable { IdentityKeyTable(rows: rows) }
    var passwords: PasswordTable { PasswordTable(rows: rows) }
    var factors: FactorTable { FactorTable(rows: rows) }
    var recoveryCodes: RecoveryCodeTable { RecoveryCodeTable(rows: rows) }
    var challenges: ChallengeTable { ChallengeTable(rows: rows) }
    var pendingSignIns: PendingSignInTable { PendingSignInTable(rows: rows) }
    var pendingCredentials: PendingCredentialTable { PendingCredentialTable(rows: rows) }
    var proofs: ProofTable { ProofTable(rows: rows) }
    var sessions: SessionTable { SessionTable(rows: rows) }
    var families: SessionFamilyTable { SessionFamilyTable(rows: rows) }
    var budgets: BudgetTable { BudgetTable(rows: rows) }
    var idempotency: IdempotencyTable { IdempotencyTable(rows: rows) }
    var attempts: AttemptTable { AttemptTable(rows: rows) }
    var seenTokens: SeenTokenTable { SeenTokenTable(rows: rows) }
    var dpopProofs: DPoPProofTable { DPoPProofTable(rows: rows) }
    var audit: AuditTable { AuditTable(rows: rows) }
    var tweaks: TweakTable { TweakTable(rows: rows) }
    var outbox: OutboxTable { OutboxTable(rows: rows) }
}

/// The rows of a transaction as records.
///
/// Only the tables use it: each table has the queries that the operations of accounts may run.
final class StoreRows {
    /// The transaction of the store.
    let transaction: any StoreTransaction

    init(_ transaction: any StoreTransaction) {
        self.transaction = transaction
    }

    /// Inserts a record, unless a record with one of its keys exists.
    ///
    /// - Returns: Whether the record was inserted.
    func insert<Record: StoredRecord>(_ record: Record) throws(StoreError) -> Bool {
        try transaction.insert(record.row, into: Record.table)
    }

    /// Inserts a record whose keys are new.
    func add<Record: StoredRecord>(_ record: Record) throws(StoreError) {
        guard try insert(record) else {
            throw StoreError(.constraint, "a row of \(Record.table.name) already exists")
        }
    }

    /// Reads a record that meets the conditions, and is valid at a time if one is given; nil if there is none.
    func first<Record: StoredRecord>(
        _ type: Record.Type = Record.self,
        where conditions: StoreCondition...,
        validAt now: StoreTime? = nil
    ) throws(StoreError) -> Record? {
        let conditions = conditions + StoreCondition.valid(at: now)
        let rows = try transaction.select(from: Record.table, where: conditions, order: nil, limit: 1)
        return if let row = rows.first { try Record(row) } else { nil }
    }

    /// Reads the record that meets the conditions, and the record to which it refers; nil if there is none.
    func first<Record: StoredRecord, Referenced: StoredRecord>(
        _ type: Record.Type = Record.self,
        following reference: StoreReference,
        where conditions: StoreCondition...
    ) throws(StoreError) -> (Record, Referenced)? {
        let found = try transaction.select(from: Record.table, following: reference, where: conditions)
        guard let (row, referenced) = found.first else { return nil }
        return (try Record(row), try Referenced(referenced))
    }

    /// Reads the records that meet the conditions.
    func all<Record: StoredRecord>(
        _ type: Record.Type = Record.self,
        where conditions: StoreCondition...,
        order: StoreOrder? = nil,
        limit: Int? = nil
    ) throws(StoreError) -> [Record] {
        try records(transaction.select(from: Record.table, where: conditions, order: order, limit: limit))
    }

    /// Updates the records that meet the conditions, and are valid at a time if one is given, and returns them as they
    /// are now.
    @discardableResult
    func update<Record: StoredRecord>(
        _ type: Record.Type = Record.self,
        set changes: StoreChange...,
        where conditions: StoreCondition...,
        validAt now: StoreTime? = nil
    ) throws(StoreError) -> [Record] {
        let conditions = conditions + StoreCondition.valid(at: now)
        return try records(transaction.update(Record.table, set: changes, where: conditions))
    }

    /// Writes the columns in which a record differs from the record that was read, if the row still meets the
    /// conditions.
    ///
    /// - Parameters:
    ///   - changed: The record with its changes.
    ///   - read: The record without them. Columns that are equal in both are not written, even if the row has changed
    ///     since.
    ///   - conditions: The conditions, the key among them.
    /// - Returns: The record as it is now; nil if no row meets the conditions. Without a difference, nothing is written
    ///   and `changed` is returned.
    /// - Throws: ``StoreError``
    func save<Record: StoredRecord>(_ changed: Record, from read: Record, where conditions: StoreCondition...)
        throws(StoreError) -> Record?
    {
        let table = Record.table
        let values = zip(read.row.cells(of: table), changed.row.cells(of: table))
        let changes = zip(table.columns, values).filter { $1.0 != $1.1 }.map { $0.becomes($1.1) }
        guard !changes.isEmpty else { return changed }
        let rows = try transaction.update(table, set: changes, where: conditions)
        return if let row = rows.first { try Record(row) } else { nil }
    }

    /// Updates the record that meets the conditions, and is valid at a time if one is given, which only one transaction
    /// can: its change makes the conditions false.
    ///
    /// - Returns: The record as it is now; nil if none meets the conditions.
    func change<Record: StoredRecord>(
        set changes: StoreChange...,
        where conditions: StoreCondition...,
        validAt now: StoreTime? = nil
    ) throws(StoreError) -> Record? {
        let conditions = conditions + StoreCondition.valid(at: now)
        let rows = try transaction.update(Record.table, set: changes, where: conditions)
        return if let row = rows.first { try Record(row) } else { nil }
    }

    /// Deletes the record that meets the conditions, and is valid at a time if one is given, which only one transaction
    /// can.
    ///
    /// - Returns: The record; nil if none meets the conditions.
    func take<Record: StoredRecord>(where conditions: StoreCondition..., validAt now: StoreTime? = nil)
        throws(StoreError) -> Record?
    {
        let rows = try transaction.delete(from: Record.table, where: conditions + StoreCondition.valid(at: now))
        return if let row = rows.first { try Record(row) } else { nil }
    }

    /// Deletes the records that meet the conditions, and returns them.
    @discardableResult
    func delete<Record: StoredRecord>(_ type: Record.Type = Record.self, where conditions: StoreCondition...)
        throws(StoreError) -> [Record]
    {
        try records(transaction.delete(from: Record.table, where: conditions))
    }

    private func records<Record: StoredRecord>(_ rows: [StoreRow]) throws(StoreError) -> [Record] {
        var records: [Record] = []
        records.reserveCapacity(rows.count)
        for row in rows { records.append(try Record(row)) }
        return records
    }
}
