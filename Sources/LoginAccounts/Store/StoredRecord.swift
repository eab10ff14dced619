// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// A row with a type of its own.
protocol StoredRecord: Sendable {
    /// The table that such rows stand in.
    static var table: StoreTable { get }

    /// Reads a row.
    init(_ row: StoreRow) throws(StoreError)

    /// The row.
    var row: StoreRow { get }
}

/// Every table, each after those that it refers to.
public enum StoreSchema {
    /// The tables, in an order in which they can be filled.
    public static let tables: [StoreTable] = [
        AccountRecord.table, EmailRecord.table, IdentityRecord.table, IdentityKeyRecord.table, PasswordRecord.table,
        FactorRecord.table, RecoveryCodeRecord.table, SessionFamilyRecord.table, SessionRecord.table,
        AttemptRecord.table, SeenTokenRecord.table, PendingCredentialRecord.table, PendingSignInRecord.table,
        ChallengeRecord.table, ProofRecord.table, BudgetRecord.table, IdempotencyRecord.table,
        AuditRecord.table, OutboxRecord.table,
    ]

    /// The table of this name.
    package static func table(_ name: String) -> StoreTable {
        guard let table = tables.first(where: { isEqual($0.name, name) }) else {
            preconditionFailure("there is no table \(name)")
        }
        return table
    }
}
