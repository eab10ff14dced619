// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One transaction, as the rules of accounts see it: rows with types, one time for all of them, and what is configured.
///
/// What accounts do is said in extensions of this type, each beside what it is about. They run on a thread of the store, so they call
/// nothing that takes long: tokens are verified and passwords hashed before, mail is sent after.
///
/// Whoever reads rows of an account in order to write calls ``lockAccount(_:)`` first; from there on nobody else changes what
/// belongs to it.
final class AccountTransaction {
    /// The rows.
    let rows: any StoreTransaction

    /// What is configured.
    let auth: Auth

    /// What time it is, from the beginning of the transaction to its end.
    let now: StoreTime

    /// From where the request came, where that is known: a session that is opened keeps it.
    var origin: RequestOrigin?

    /// Who does it, where that is your service and not the person.
    var actor: AuthEvent.Actor?

    /// What happened in it, for those in this process who listen once it is kept.
    var events: [AuthEvent] = []

    private var idsMade: UInt16 = 0

    init(_ rows: any StoreTransaction, auth: Auth, now: StoreTime) {
        self.rows = rows
        self.auth = auth
        self.now = now
    }

    /// A new ID: a UUID of version 7 (RFC 9562 §5.7).
    ///
    /// Those made later sort later, to the millisecond and within a transaction.
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

    /// Writes a record, unless its key is there already.
    func insert<Record: StoredRecord>(_ record: Record) throws(StoreError) -> Bool {
        try rows.insert(record.row, into: Record.table)
    }

    /// Writes a record whose key is new.
    func add<Record: StoredRecord>(_ record: Record) throws(StoreError) {
        guard try insert(record) else {
            throw StoreError(.constraint, "a row of \(Record.table.name) is there already")
        }
    }

    /// The record that the conditions name.
    func first<Record: StoredRecord>(_ type: Record.Type = Record.self, where conditions: StoreCondition...)
        throws(StoreError) -> Record?
    {
        guard let row = try rows.select(from: Record.table, where: conditions, order: nil, limit: 1).first else {
            return nil
        }
        return try Record(row)
    }

    /// The record that the conditions name, and the record that it refers to.
    func first<Record: StoredRecord, Referenced: StoredRecord>(
        _ type: Record.Type = Record.self,
        following reference: StoreReference,
        where conditions: StoreCondition...
    ) throws(StoreError) -> (Record, Referenced)? {
        let found = try rows.select(from: Record.table, following: reference, where: conditions)
        guard let (row, referenced) = found.first else { return nil }
        return (try Record(row), try Referenced(referenced))
    }

    /// All records for which the conditions hold.
    func all<Record: StoredRecord>(
        _ type: Record.Type = Record.self,
        where conditions: StoreCondition...,
        order: StoreOrder? = nil,
        limit: Int? = nil
    ) throws(StoreError) -> [Record] {
        try records(rows.select(from: Record.table, where: conditions, order: order, limit: limit))
    }

    /// Changes records, and returns them as they are now: none where no condition held, or held no longer.
    @discardableResult
    func update<Record: StoredRecord>(
        _ type: Record.Type = Record.self,
        set changes: StoreChange...,
        where conditions: StoreCondition...
    ) throws(StoreError) -> [Record] {
        try records(rows.update(Record.table, set: changes, where: conditions))
    }

    /// Removes records, and returns them: none where no condition held, or held no longer.
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

    /// Takes an account for this transaction: who else asks for it waits until this has ended, and then sees what it has left.
    ///
    /// The row is the lock (a change that asks for the state before it), so the same statement does for every database. Two
    /// accounts are taken in the order of their IDs, or two transactions could wait for each other.
    ///
    /// - Throws: ``AuthError``: `account-merged`, or `user-not-found` where it is none that is in use.
    func lockAccount(_ id: AccountID) throws -> AccountRecord {
        let locked: [AccountRecord] = try update(
            set: AccountRecord.Column.version.grows(by: 1),
            where: AccountRecord.Column.id.equals(id.rawValue),
            AccountRecord.Column.state.equals(AccountState.active.rawValue)
        )
        return try locked.first ?? accountInUse(id)
    }

    /// An account that is in use, without taking it.
    ///
    /// - Throws: ``AuthError``: `account-merged`, or `user-not-found` where it is none that is in use.
    func accountInUse(_ id: AccountID) throws -> AccountRecord {
        let found: AccountRecord? = try first(where: AccountRecord.Column.id.equals(id.rawValue))
        if let found, found.state == AccountState.active.rawValue { return found }
        if let target = found?.mergedInto {
            throw AuthError(.accountMerged, "the account has become part of another", mergedInto: target)
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
