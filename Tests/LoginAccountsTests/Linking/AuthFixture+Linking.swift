// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import LoginTokens

@testable import LoginAccounts

extension AuthFixture {
    /// Links a login to the account of a session, a millisecond later, so that earlier events have an earlier time.
    @discardableResult
    func link(
        _ subject: String,
        with provider: ProviderID,
        email: String? = nil,
        isVerified: Bool = true,
        in session: Session,
        idempotencyKey: String? = nil
    ) async throws -> AuthDataResult {
        clock.advance(by: .milliseconds(1))
        let credential = try await credential(
            as: subject,
            with: provider,
            email: email,
            isVerified: isVerified,
            for: .link(session)
        )
        return try await session.link(with: credential, idempotencyKey: idempotencyKey)
    }

    /// Reauthenticates a user in a session.
    @discardableResult
    func reauthenticate(_ subject: String, with provider: ProviderID = .google, in session: Session) async throws
        -> AuthDataResult
    {
        try await session.reauthenticate(with: credential(as: subject, with: provider, for: .reauthenticate(session)))
    }

    /// Adds a confirmed second factor to an account, without enrolment.
    func giveFactor(
        to account: AccountID,
        kind: MultiFactorKind = .totp,
        fingerprint: [UInt8]? = nil
    ) async throws {
        try await read { transaction in
            let id = transaction.context.makeID()
            let sealed = transaction.factors.secrets.seal([1, 2, 3], factor: id, account: account)
            try transaction.tables.rows.add(
                FactorRecord(
                    id: id,
                    accountID: account,
                    kind: kind.rawValue,
                    secret: sealed,
                    sealedWith: transaction.context.secrets.keyNumber(of: sealed),
                    fingerprint: fingerprint,
                    confirmedAt: transaction.now,
                    createdAt: transaction.now
                )
            )
        }
    }

    /// Raises a session to level 2, as a second factor does.
    func raise(_ session: Session) async throws {
        _ = try await read { transaction in
            try transaction.tables.rows.update(
                SessionRecord.self,
                set: SessionRecord.Column.level.becomes(2),
                SessionRecord.Column.levelAt.becomes(transaction.now),
                where: SessionRecord.Column.id.equals(session.id.rawValue)
            )
        }
    }

    /// Returns all rows of all tables, to check that nothing was written.
    func everything() async throws -> [String: Set<StoreRow>] {
        try await store.transaction { rows in
            var all: [String: Set<StoreRow>] = [:]
            for table in StoreSchema.tables {
                all[table.name] = Set(try rows.select(from: table, where: [], order: nil, limit: nil))
            }
            return all
        }
    }

    /// Returns all texts of all rows.
    func texts() async throws -> [String] {
        try await everything().values.flatMap { rows in
            rows.flatMap(\.values.values).compactMap { if case .text(let text) = $0 { text } else { nil } }
        }
    }

    /// Whether a session is open, as its next request would find.
    func isOpen(_ session: Session) async throws -> Bool {
        try await read { transaction in (try? transaction.sessions.current(session)) != nil }
    }

    /// Returns the row of an account.
    func row(_ id: AccountID) async throws -> AccountRecord? {
        try await read { transaction in
            try transaction.tables.rows.first(where: AccountRecord.Column.id.equals(id.rawValue))
        }
    }
}
