// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension Auth {
    /// Sends a code to a phone number, by which its person signs in.
    ///
    /// ```swift
    /// let verification = try await auth.sendPhoneCode(to: "+1 415 555 0100", from: origin)
    /// let result = try await auth.signIn(with: .phone(verificationID: verification.id, code: code))
    /// ```
    ///
    /// It does and answers the same whoever has the number, and where nobody has it. A code is good once, for five minutes
    /// (``FactorPolicy/codeLifetime``), and for what it was asked for, in the session that asked; the next one for the same makes
    /// it void.
    ///
    /// - Parameters:
    ///   - number: The number, with `+` and its country.
    ///   - purpose: What for: to sign in unless said otherwise.
    ///   - origin: From where the request came.
    /// - Returns: What the code belongs to.
    /// - Throws: ``AuthError``: `invalid-phone-number`; `quota-exceeded`; `operation-not-allowed` where phone sign-in is not
    ///   configured, or nothing sends codes; `provider-unavailable` where it could not be sent; `invalid-user-token` and others
    ///   where the session is not open.
    public func sendPhoneCode(
        to number: String,
        for purpose: AttemptPurpose = .signIn,
        from origin: RequestOrigin? = nil
    ) async throws(AuthError) -> PhoneVerification {
        try offersPhones()
        guard let number = PhoneNumber(number) else {
            throw AuthError(.invalidPhoneNumber, "this is no number of E.164")
        }
        let started = try await transaction { transaction in
            try transaction.phoneCodes.start(number, for: purpose, from: origin)
        }
        do {
            try await send(started.message)
        } catch {
            // It expires if the store does not answer now.
            try? await transaction { transaction in try transaction.phoneCodes.forget(started) }
            throw error
        }
        return started.verification
    }

    /// Compares a code with the one that was sent, which counts before, and whatever comes of it.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id`, `session-expired`, `invalid-verification-code`, `too-many-requests`,
    ///   `operation-not-allowed`.
    func provePhone(_ id: String, code: String, for purpose: AttemptPurpose, from origin: RequestOrigin?)
        async throws(AuthError) -> Proof.Evidence
    {
        try offersPhones()
        guard let hash = FactorToken.verification.hashIfPossible(id) else { throw AuthError.noChallenge }
        let number = try await settle { transaction in
            try transaction.phoneCodes.check(code, of: hash, for: purpose, from: origin)
        }
        return .phone(number, hash: hash)
    }

    /// - Throws: ``AuthError``: `operation-not-allowed`.
    private func offersPhones() throws(AuthError) {
        guard phoneCodes != nil else { throw AuthError.noPhoneCodes }
        guard allows(.phone) else {
            throw AuthError(.operationNotAllowed, "signing in by phone is not configured")
        }
    }
}
