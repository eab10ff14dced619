// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The second factors of a session's account.
///
/// ```swift
/// let enrollment = try await session.multiFactor.beginEnrollment(.totp(issuer: "Example", displayName: "My phone"))
/// show(enrollment.uri)  // once, mostly as a picture
/// let enrolled = try await enrollment.confirm(code)
/// let codes = try await enrolled.session.multiFactor.generateRecoveryCodes()
/// ```
///
/// Changes require a recent login, and a second factor if there is one. Otherwise the holder of a stolen session with
/// one factor could enroll a second factor of their own.
public struct MultiFactor: Sendable {
    let session: Session

    var auth: Auth { session.auth }
}

extension Session {
    /// The second factors of the session's account.
    public var multiFactor: MultiFactor { MultiFactor(session: self) }
}

extension MultiFactor {
    /// Returns the confirmed factors, in the order in which they were enrolled.
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

    /// Returns the number of unused recovery codes.
    ///
    /// - Returns: The number.
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`.
    public func remainingRecoveryCodes() async throws(AuthError) -> Int {
        let session = session
        return try await auth.read { transaction in
            try transaction.tables.recoveryCodes.remaining(of: transaction.sessions.current(session).accountID)
        }
    }

    /// Requires that ``generateRecoveryCodes()`` is allowed, before the user is asked.
    ///
    /// - Throws: ``AuthError``: `second-factor-required`, `requires-recent-login`, `invalid-user-token`.
    package func requireRecoveryCodesAllowed() async throws(AuthError) {
        let session = session
        try await auth.read { transaction in
            try transaction.enrollments.requireRecoveryCodesAllowed(transaction.held.look(at: session))
        }
    }

    /// Generates recovery codes for a user who loses all other factors.
    ///
    /// Earlier codes are voided.
    ///
    /// Show them once. They cannot be requested again. If a second factor was verified or enrolled in this session
    /// within ``LinkPolicy/recentLogin``, no recent login is required.
    ///
    /// - Returns: 10 codes.
    /// - Throws: ``AuthError``: `second-factor-required` without level 2, `requires-recent-login`,
    ///   `multi-factor-info-not-found` if the account has no other factor, `invalid-user-token`.
    public func generateRecoveryCodes() async throws(AuthError) -> [String] {
        let session = session
        return try await auth.transaction { transaction in
            try transaction.enrollments.replaceRecoveryCodes(in: session).map(\.text)
        }
    }

    /// Removes a factor.
    ///
    /// With the last one, the recovery codes are removed too.
    ///
    /// - Parameter uid: The ``MultiFactorInfo/uid`` of the factor.
    /// - Throws: ``AuthError``: `second-factor-required` without level 2, `requires-recent-login`,
    ///   `multi-factor-info-not-found`, `invalid-user-token`.
    public func unenroll(_ uid: String) async throws(AuthError) {
        let session = session
        try await auth.transaction { transaction in try transaction.enrollments.unenroll(uid, in: session) }
    }
}
