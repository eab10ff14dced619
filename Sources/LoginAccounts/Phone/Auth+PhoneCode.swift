// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Auth {
    /// Sends a code to a phone number, with which its user signs in.
    ///
    /// ```swift
    /// let verification = try await auth.sendPhoneCode(to: "+1 415 555 0100", from: origin)
    /// let result = try await auth.signIn(with: .phone(verificationID: verification.id, code: code))
    /// ```
    ///
    /// The effect and the response are the same whether an account has the number or not. A code can be used once,
    /// within five minutes (``FactorPolicy/codeLifetime``), for the purpose and in the session for which it was
    /// requested. The next code for the same purpose voids it.
    ///
    /// - Parameters:
    ///   - number: The number, with `+` and the country code.
    ///   - purpose: The purpose. The default is to sign in.
    ///   - origin: The origin of the request.
    /// - Returns: The ID and the expiry of the code.
    /// - Throws: ``AuthError``: `invalid-phone-number`; `quota-exceeded`; `operation-not-allowed` if phone sign-in or
    ///   the sender of codes is not configured, or the number has none of ``FactorPolicy/allowedNumberPrefixes``;
    ///   `provider-unavailable` if the code could not be sent; `invalid-user-token` and others if the session is not
    ///   open.
    public func sendPhoneCode(
        to number: String,
        for purpose: AttemptPurpose = .signIn,
        from origin: RequestOrigin? = nil
    ) async throws(AuthError) -> PhoneVerification {
        try offersPhones()
        guard let number = PhoneNumber(number) else {
            throw AuthError(.invalidPhoneNumber, "this is not a number in E.164 format")
        }
        let started = try await transaction { transaction in
            try transaction.phoneCodes.start(number, for: purpose, from: origin)
        }
        do {
            try await send(started.message)
        } catch {
            // If the store is unavailable now, the code expires.
            try? await transaction { transaction in try transaction.phoneCodes.forget(started) }
            throw error
        }
        return started.verification
    }

    /// Compares a code with the one that was sent.
    ///
    /// The guess is counted before the comparison, whatever its result.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id`, `session-expired`, `invalid-verification-code`,
    ///   `too-many-requests`, `operation-not-allowed`.
    func provePhone(_ id: String, code: String, for purpose: AttemptPurpose, from origin: RequestOrigin?)
        async throws(AuthError) -> Proof.Evidence
    {
        try offersPhones()
        guard let hash = OneTimeToken.verification.hashIfPossible(id) else { throw AuthError.noChallenge }
        let number = try await commit { transaction in
            try transaction.phoneCodes.check(code, of: hash, for: purpose, from: origin)
        }
        return .phone(number, hash: hash)
    }

    /// Requires that phone sign-in is configured.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed`.
    private func offersPhones() throws(AuthError) {
        guard phoneCodes != nil else { throw AuthError.noPhoneCodes }
        guard allows(.phone) else {
            throw AuthError(.operationNotAllowed, "signing in by phone is not configured")
        }
    }
}

/// A code that was sent to a phone number to sign in or to link it; see ``AuthCredential/phone(verificationID:code:)``.
public struct PhoneVerification: Sendable, Encodable {
    /// The ID of the code: a secret for the client that requested it.
    public let id: String

    /// The time at which the code expires.
    public let expiresAt: Date

    /// The time from which another code can be requested.
    public let resendAt: Date
}

extension PhoneVerification: Redacted {
    /// A fixed text, without the ID.
    public var description: String { "code sent to a phone number" }
}
