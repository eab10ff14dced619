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
            let account = try transaction.sessions.current(session).accountID
            return try transaction.factors.confirmed(of: account).compactMap { MultiFactorInfo($0) }
        }
    }

    /// How many recovery codes were not used.
    ///
    /// - Returns: How many.
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`.
    public func remainingRecoveryCodes() async throws(AuthError) -> Int {
        let session = session
        return try await auth.read { transaction in
            try transaction.tables.recoveryCodes.remaining(of: transaction.sessions.current(session).accountID)
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
            try transaction.enrollments.replaceRecoveryCodes(in: session).map(\.text)
        }
    }

    /// Removes a factor; with the last one the recovery codes go too.
    ///
    /// - Parameter uid: Which one, by its ``MultiFactorInfo/uid``.
    /// - Throws: ``AuthError``: `second-factor-required` without level 2, `requires-recent-login`,
    ///   `multi-factor-info-not-found`, `invalid-user-token`.
    public func unenroll(_ uid: String) async throws(AuthError) {
        let session = session
        try await auth.transaction { transaction in try transaction.enrollments.unenroll(uid, in: session) }
    }
}
