// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A transaction on typed records, with one time and one configuration.
///
/// Extensions of this type, each beside its subject, implement the operations of accounts. They run on a thread of the store, so they
/// perform nothing that takes long: tokens are verified and passwords hashed before the transaction, mail is sent after it.
///
/// An operation that reads rows of an account in order to write calls ``lockAccount(_:)`` first. From then on no other transaction
/// changes them.
final class AccountTransaction {
    /// The rows.
    let rows: any StoreTransaction

    /// The configuration.
    let auth: Auth

    /// The time of the transaction, from its beginning to its end.
    let now: StoreTime

    /// The origin of the request, if it is known.
    ///
    /// A session that is opened stores it.
    var origin: RequestOrigin?

    /// The actor for the audit, if it is not the user; nil for the default of each action.
    var actor: AuthEvent.Actor?

    /// The events of the transaction, published to the listeners of this process after the commit.
    var events: [AuthEvent] = []

    private var idsMade: UInt16 = 0

    init(_ rows: any StoreTransaction, auth: Auth, now: StoreTime) {
        self.rows = rows
        self.auth = auth
        self.now = now
    }

    /// A new ID: a UUID of version 7 (RFC 9562 §5.7).
    ///
    /// Later IDs sort later, to the millisecond and within a transaction.
    func makeID() -> String {
        var bytes = randomBytes(count: 16)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: now.milliseconds >> (40 - 8 * Int64(index))) }
        bytes[6] = 0x70 | UInt8(truncatingIfNeeded: idsMade >> 8) & 0x0F
        bytes[7] = UInt8(truncatingIfNeeded: idsMade)
        bytes[8] = 0x80 | bytes[8] & 0x3F
        idsMade &+= 1
        return UUID(bytes).uuidString.lowercased()
    }

    // MARK: - Rows with types

    /// Inserts a record, unless its key exists.
    func insert<Record: StoredRecord>(_ record: Record) throws(StoreError) -> Bool {
        try rows.insert(record.row, into: Record.table)
    }

    /// Inserts a record whose key is new.
    func add<Record: StoredRecord>(_ record: Record) throws(StoreError) {
        guard try insert(record) else {
            throw StoreError(.constraint, "a row of \(Record.table.name) is there already")
        }
    }

    /// Reads the record that meets the conditions; nil if there is none.
    func first<Record: StoredRecord>(_ type: Record.Type = Record.self, where conditions: StoreCondition...)
        throws(StoreError) -> Record?
    {
        guard let row = try rows.select(from: Record.table, where: conditions, order: nil, limit: 1).first else {
            return nil
        }
        return try Record(row)
    }

    /// Reads the record that meets the conditions, and the record that it refers to; nil if there is none.
    func first<Record: StoredRecord, Referenced: StoredRecord>(
        _ type: Record.Type = Record.self,
        following reference: StoreReference,
        where conditions: StoreCondition...
    ) throws(StoreError) -> (Record, Referenced)? {
        let found = try rows.select(from: Record.table, following: reference, where: conditions)
        guard let (row, referenced) = found.first else { return nil }
        return (try Record(row), try Referenced(referenced))
    }

    /// Reads all records that meet the conditions.
    func all<Record: StoredRecord>(
        _ type: Record.Type = Record.self,
        where conditions: StoreCondition...,
        order: StoreOrder? = nil,
        limit: Int? = nil
    ) throws(StoreError) -> [Record] {
        try records(rows.select(from: Record.table, where: conditions, order: order, limit: limit))
    }

    /// Updates the records that meet the conditions, and returns them as they are now.
    @discardableResult
    func update<Record: StoredRecord>(
        _ type: Record.Type = Record.self,
        set changes: StoreChange...,
        where conditions: StoreCondition...
    ) throws(StoreError) -> [Record] {
        try records(rows.update(Record.table, set: changes, where: conditions))
    }

    /// Deletes the records that meet the conditions, and returns them.
    @discardableResult
    func delete<Record: StoredRecord>(_ type: Record.Type = Record.self, where conditions: StoreCondition...)
        throws(StoreError) -> [Record]
    {
        try records(rows.delete(from: Record.table, where: conditions))
    }

    private func records<Record: StoredRecord>(_ rows: [StoreRow]) throws(StoreError) -> [Record] {
        var records: [Record] = []
        records.reserveCapacity(rows.count)
        for row in rows { records.append(try Record(row)) }
        return records
    }

    // MARK: - The lock

    /// Locks an account for this transaction: others that lock it wait until this one has ended, and then see its writes.
    ///
    /// The lock is an update of the row, which every database understands. Two accounts are locked in the order of their IDs, or two
    /// transactions could wait for each other.
    ///
    /// - Throws: ``AuthError``: `account-merged`; `user-not-found` if the account does not exist or is not in use.
    func lockAccount(_ id: AccountID) throws -> AccountRecord {
        let locked: [AccountRecord] = try update(
            set: AccountRecord.Column.version.grows(by: 1),
            where: AccountRecord.Column.id.equals(id.rawValue),
            AccountRecord.Column.state.equals(AccountState.active.rawValue)
        )
        return try locked.first ?? accountInUse(id)
    }

    /// Reads an account that is in use, without locking it.
    ///
    /// - Throws: ``AuthError``: `account-merged`; `user-not-found` if the account does not exist or is not in use.
    func accountInUse(_ id: AccountID) throws -> AccountRecord {
        let found: AccountRecord? = try first(where: AccountRecord.Column.id.equals(id.rawValue))
        if let found, found.state == AccountState.active.rawValue { return found }
        if let target = found?.mergedInto {
            throw AuthError(.accountMerged(into: target), "the account has become part of another")
        }
        throw AuthError(.userNotFound, "there is no such account")
    }
}

extension UUID {
    fileprivate init(_ b: [UInt8]) {
        self.init(
            uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15])
        )
    }
}
