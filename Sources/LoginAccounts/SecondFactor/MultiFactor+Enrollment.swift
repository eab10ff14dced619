// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

extension MultiFactor {
    /// Begins to enrol an app that computes codes.
    ///
    /// It counts once it is confirmed, and is forgotten otherwise. One that was begun before and not confirmed is void.
    ///
    /// - Parameter factor: The app.
    /// - Returns: The secret, to be shown once.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required` where the account has a factor and the session
    ///   has not shown it, `unsupported-first-factor` for an anonymous account, `unverified-email`,
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

    /// Begins to enrol a phone, and sends it a code.
    ///
    /// - Parameters:
    ///   - factor: The phone.
    ///   - origin: From where the request came.
    /// - Returns: What the code belongs to.
    /// - Throws: ``AuthError``: `invalid-phone-number`, `second-factor-already-enrolled`, `unsupported-first-factor` where the
    ///   person signs in by phone, `quota-exceeded`, `operation-not-allowed`, `provider-unavailable`; and what an app is refused for.
    public func beginEnrollment(_ factor: NewPhoneFactor, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> PhoneEnrollment
    {
        guard let number = PhoneNumber(factor.number) else {
            throw AuthError(.invalidPhoneNumber, "this is no number of E.164")
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

    /// Confirms a factor: from now on it counts.
    ///
    /// With the first factor the session gets level 2 and new secrets, and every other session is closed: whoever sat in one of
    /// them would have stayed there with one factor.
    ///
    /// - Parameter assertion: What an app has computed, or what was sent.
    /// - Returns: The factor, and the session as it is now.
    /// - Throws: ``AuthError``: `invalid-verification-code`, `multi-factor-info-not-found`, `invalid-verification-id`,
    ///   `session-expired`, `missing-multi-factor-info`; and what the beginning is refused for, except `requires-recent-login`.
    public func confirmEnrollment(_ assertion: MultiFactorAssertion) async throws(AuthError) -> EnrolledFactor {
        let session = session
        return try await auth.settle { transaction in try transaction.enrollments.confirm(assertion, in: session) }
    }
}
