// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Testing

@testable import LoginAccounts

extension AuthFixture {
    /// Replaces the session policy.
    mutating func use(_ sessions: SessionPolicy) {
        auth = Auth(
            store: store,
            providers: auth.providers,
            secrets: Self.secrets,
            policy: AuthPolicy(sessions: sessions),
            mail: mail,
            clock: clock
        )
    }

    /// Returns a token authenticated with our keys whose ID is unknown.
    func unknownToken(_ kind: OpaqueToken.Kind) throws -> String {
        try #require(
            OpaqueToken.make(
                kind,
                id: "0199c3a1-7f00-7000-8000-0123456789ab",
                generation: 0,
                seed: [UInt8](repeating: 5, count: 16),
                secrets: Self.secrets
            )
        )
    }

    /// Sets the level of a session, as a second factor does, and returns its new tokens.
    func rotate(_ session: Session, level: Int64? = nil) async throws -> SessionTokens {
        try await read { transaction in
            _ = try transaction.accounts.lock(session.accountID)
            let current = try transaction.sessions.current(session)
            let proof = ProvenMethod("otp", at: transaction.now)
            return try transaction.sessions.extend(current, level: level, adding: [proof], authenticatedAt: proof.at)
                .tokens
        }
    }

    /// Returns the row of a session.
    func record(of session: Session) async throws -> SessionRecord {
        try await read { transaction in
            let found: SessionRecord? = try transaction.tables.rows.first(
                where: SessionRecord.Column.id.equals(session.id.rawValue)
            )
            return try #require(found)
        }
    }

    /// Returns the reasons why sessions were closed, in alphabetical order.
    func closeReasons() async throws -> [String] {
        try await read { transaction in
            let all: [SessionRecord] = try transaction.tables.rows.all()
            return all.compactMap(\.closeReason).sorted()
        }
    }

    /// Disables an account but leaves its sessions open, a state that exists for a moment.
    func disable(_ account: AccountID) async throws {
        try await read { transaction in
            _ = try transaction.tables.rows.update(
                AccountRecord.self,
                set: AccountRecord.Column.disabledAt.becomes(transaction.now),
                where: AccountRecord.Column.id.equals(account.rawValue)
            )
        }
    }
}
