// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The second factors of the account of a session.
///
/// ```swift
/// let enrollment = try await session.multiFactor.beginEnrollment(.totp(issuer: "Example", displayName: "My phone"))
/// show(enrollment.uri)  // once, mostly as a picture
/// let enrolled = try await enrollment.confirm(code)
/// let codes = try await enrolled.session.multiFactor.generateRecoveryCodes()
/// ```
///
/// Whoever changes factors was proven lately, and with a second factor if there is one: otherwise who steals a session of one
/// factor would make it one of two.
public struct MultiFactor: Sendable {
    let session: Session

    var auth: Auth { session.auth }
}

extension Session {
    /// The second factors of its account.
    public var multiFactor: MultiFactor { MultiFactor(session: self) }
}

extension MultiFactor {
    /// The factors that count, those enrolled earlier first.
    ///
    /// - Returns: The factors.
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`.
    public func enrolledFactors() async throws(AuthError) -> [MultiFactorInfo] {
        let session = session
        return try await auth.read { transaction in
            let account = try transaction.currentSession(session).accountID
            return try transaction.confirmedFactors(of: account).compactMap { MultiFactorInfo($0) }
        }
    }

    /// How many recovery codes were not used.
    ///
    /// - Returns: How many.
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`.
    public func remainingRecoveryCodes() async throws(AuthError) -> Int {
        let session = session
        return try await auth.read { transaction in
            try transaction.remainingRecoveryCodes(of: transaction.currentSession(session).accountID)
        }
    }

    /// Makes recovery codes, for who loses every other factor; those made before are void.
    ///
    /// Show them once: nobody can have them again. Who has shown or enrolled a second factor in this session lately need not have
    /// shown the first lately.
    ///
    /// - Returns: 10 codes.
    /// - Throws: ``AuthError``: `second-factor-required` without level 2, `requires-recent-login`, `multi-factor-info-not-found`
    ///   where the account has no factor that they could stand for, `invalid-user-token`.
    public func generateRecoveryCodes() async throws(AuthError) -> [String] {
        let session = session
        return try await auth.transaction { transaction in
            let held = try transaction.hold(session)
            try transaction.requireLevel(2, of: held.session)
            // Who has enrolled a factor, or shown one, gets codes for its loss right after, however long ago the first was shown.
            let hasJustShownFactor =
                held.session.levelAt + transaction.auth.policy.linking.recentLogin >= transaction.now
            if !hasJustShownFactor { try transaction.requireRecentLogin(held) }
            guard try !transaction.confirmedFactors(of: held.account.id).isEmpty else {
                throw AuthError(.multiFactorInfoNotFound, "the account has no factor")
            }
            return try transaction.replaceRecoveryCodes(of: held.account.id, session: held.session.id).map(\.text)
        }
    }

    /// Removes a factor; with the last one the recovery codes go too.
    ///
    /// - Parameter uid: Which one, by its ``MultiFactorInfo/uid``.
    /// - Throws: ``AuthError``: `second-factor-required` without level 2, `requires-recent-login`,
    ///   `multi-factor-info-not-found`, `invalid-user-token`.
    public func unenroll(_ uid: String) async throws(AuthError) {
        let session = session
        try await auth.transaction { transaction in try transaction.unenroll(uid, in: session) }
    }
}

extension AccountTransaction {
    /// Replaces the recovery codes of an account, which is locked: two who do so leave those of one.
    fileprivate func replaceRecoveryCodes(of account: AccountID, session: SessionID) throws -> [RecoveryCode] {
        try delete(RecoveryCodeRecord.self, where: RecoveryCodeRecord.Column.accountID.equals(account.rawValue))
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode() }
        let batch = makeID()
        for code in codes {
            try add(RecoveryCodeRecord(accountID: account, hash: code.hash, batch: batch, createdAt: now))
        }
        try record(.recoveryCodesMade, account: account, session: session)
        return codes
    }

    fileprivate func unenroll(_ uid: String, in session: Session) throws {
        let held = try holdRecent(session)
        let (account, record) = (held.account, held.session)
        try requireLevel(2, of: record)
        guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo, "no factor is named") }
        let factors = try confirmedFactors(of: account.id)
        guard let factor = factors.first(where: { isEqual($0.id, uid) }) else {
            throw AuthError(.multiFactorInfoNotFound, "the account has no such factor")
        }
        try removeFactor(factor)
        try voidProofs(of: account.id)
        try recordRemoved(factor, session: record.id)
        guard factors.count == 1 else { return }
        try delete(RecoveryCodeRecord.self, where: RecoveryCodeRecord.Column.accountID.equals(account.id.rawValue))
        // A level that rests on no factor would let whoever has the session enrol one of their own.
        try update(
            SessionRecord.self,
            set: SessionRecord.Column.level.becomes(1),
            where: SessionRecord.Column.accountID.equals(account.id.rawValue),
            SessionRecord.Column.closedAt.isNull
        )
    }
}
