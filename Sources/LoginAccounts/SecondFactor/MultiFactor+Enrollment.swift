// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

extension MultiFactor {
    /// Begins the enrollment of an authenticator app.
    ///
    /// It is a second factor once it is confirmed; otherwise the enrollment expires. An earlier unconfirmed enrollment
    /// of an app is voided.
    ///
    /// - Parameter factor: The app.
    /// - Returns: The enrollment with the secret, which is shown once.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required` if the account has a factor that was
    ///   not verified in the session, `unsupported-first-factor` for an anonymous account, `unverified-email`,
    ///   `maximum-second-factor-count-exceeded`, `user-disabled`, `invalid-user-token`.
    public func beginEnrollment(_ factor: NewTOTPFactor) async throws(AuthError) -> TOTPEnrollment {
        let session = session
        let totp = TOTP(secret: TOTP.makeSecret())
        let begun = try await auth.transaction { transaction in
            let account = try transaction.enrollments.lock(session).account
            let record = try transaction.enrollments.begin(
                .totp,
                of: account.id,
                secret: totp.secret,
                displayName: factor.displayName,
                parameters: totp.parameters
            )
            let name =
                try factor.accountName ?? transaction.emails.shown(of: account) ?? account.displayName ?? "account"
            return (uid: record.id, name: name, expiresAt: (record.expiresAt ?? transaction.now).date)
        }
        return TOTPEnrollment(
            uid: begun.uid,
            secret: Base32.encode(totp.secret),
            uri: totp.uri(issuer: factor.issuer, accountName: begun.name),
            expiresAt: begun.expiresAt,
            factors: self
        )
    }

    /// Begins the enrollment of a phone, and sends a code to it.
    ///
    /// - Parameters:
    ///   - factor: The phone.
    ///   - origin: The origin of the request.
    /// - Returns: The enrollment with the challenge.
    /// - Throws: ``AuthError``: `invalid-phone-number`, `second-factor-already-enrolled`, `unsupported-first-factor` if
    ///   the user signs in by phone, `quota-exceeded`, `operation-not-allowed`, `provider-unavailable`; and the errors
    ///   of ``beginEnrollment(_:)``.
    public func beginEnrollment(_ factor: NewPhoneFactor, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> PhoneEnrollment
    {
        guard let number = PhoneNumber(factor.number) else {
            throw AuthError(.invalidPhoneNumber, "this is not a number in E.164 format")
        }
        let session = session
        let challenge = try await auth.sendChallenge { transaction in
            let held = try transaction.enrollments.lock(session)
            let begun = try transaction.enrollments.begin(number, of: held.account, displayName: factor.displayName)
            let challenges = transaction.challenges
            return try challenges.start(begun, session: held.session.id, purpose: .enrollment, from: origin)
        }
        return PhoneEnrollment(uid: challenge.uid, challenge: challenge, factors: self)
    }

    /// Confirms an enrollment, which makes the factor a second factor of the account.
    ///
    /// With the first factor of an account, the session gets level 2 and new tokens, and every other session is closed,
    /// because it was opened with one factor.
    ///
    /// - Parameter assertion: The code of the app, or the code that was sent.
    /// - Returns: The factor, and the session as it is now.
    /// - Throws: ``AuthError``: `invalid-verification-code`, `multi-factor-info-not-found`, `invalid-verification-id`,
    ///   `session-expired`, `missing-multi-factor-info`; and the errors of ``beginEnrollment(_:)``, except
    ///   `requires-recent-login`.
    public func confirmEnrollment(_ assertion: MultiFactorAssertion) async throws(AuthError) -> EnrolledFactor {
        let session = session
        return try await auth.commit { transaction in try transaction.enrollments.confirm(assertion, in: session) }
    }
}
