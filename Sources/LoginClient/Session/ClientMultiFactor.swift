// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The operations on the second factors of the signed-in user.
///
/// ```swift
/// let enrollment = try await session.multiFactor.enrollTOTP(issuer: "Example")
/// showQRCode(enrollment.uri)
/// _ = try await session.multiFactor.confirm(.totp(uid: enrollment.uid, code: code))
/// ```
///
/// The errors are those of ``ClientUser``. A sign-in that waits for its second factor is completed by
/// ``ClientSession/complete(_:with:)`` instead.
public struct ClientMultiFactor: Sendable {
    let session: ClientSession

    private var calls: SessionCalls { SessionCalls(session: session) }

    /// Begins to enrol an authenticator app.
    ///
    /// It requires a recent login.
    ///
    /// - Parameters:
    ///   - issuer: The name of the service, for the authenticator app: at most 64 characters.
    ///   - displayName: A name for the factor: at most 64 characters.
    ///   - accountName: The name of the account, for the authenticator app: at most 64 characters.
    /// - Returns: The secret for the authenticator app.
    /// - Throws: ``LoginClientError``: `unverified-email` and other refusals of the service.
    public func enrollTOTP(
        issuer: String,
        displayName: String? = nil,
        accountName: String? = nil
    ) async throws -> ClientTOTPEnrollment {
        struct Body: Encodable {
            let issuer: String
            let displayName, accountName: String?
        }
        let body = Body(issuer: issuer, displayName: displayName, accountName: accountName)
        return try await calls.content("POST", "/v1/second-factors/totp", body)
    }

    /// Begins to enrol a phone, and sends a code to it.
    ///
    /// It requires a recent login.
    ///
    /// - Parameters:
    ///   - number: The phone number with the country code: at most 32 characters.
    ///   - displayName: A name for the factor: at most 64 characters.
    /// - Returns: The challenge, for ``ClientSecondFactor/phone(challengeID:code:)``.
    /// - Throws: ``LoginClientError``: `invalid-phone-number`, `second-factor-already-enrolled` and other refusals of the
    ///   service.
    public func enrollPhone(_ number: String, displayName: String? = nil) async throws -> ClientChallenge {
        struct Body: Encodable {
            let number: String
            let displayName: String?
        }
        return try await calls.content(
            "POST",
            "/v1/second-factors/phone",
            Body(number: number, displayName: displayName)
        )
    }

    /// Enrols a factor by its first code.
    ///
    /// After the first factor of an account all other sessions end.
    ///
    /// - Parameter factor: The code of the new factor.
    /// - Returns: The factor, and the session, whose level is 2.
    /// - Throws: ``LoginClientError``: `invalid-verification-code` and other refusals of the service.
    public func confirm(_ factor: ClientSecondFactor) async throws -> ClientEnrolledFactor {
        try await calls.content("POST", "/v1/second-factors/confirm", ["assertion": factor])
    }

    /// Removes a factor.
    ///
    /// It requires a recent login, and level 2.
    ///
    /// - Parameter uid: The ID of the factor.
    /// - Throws: ``LoginClientError``: `multi-factor-info-not-found` and other refusals of the service.
    public func unenroll(_ uid: String) async throws {
        try await calls.perform("DELETE", "/v1/second-factors/\(PercentEncoding.encode(uid))")
    }

    /// Generates recovery codes, which the service shows only once.
    ///
    /// Earlier codes become invalid.
    ///
    /// - Returns: The codes.
    /// - Throws: ``LoginClientError``
    public func generateRecoveryCodes() async throws -> [String] {
        struct Answer: Decodable {
            let codes: [String]
        }
        let answer: Answer = try await calls.content("POST", "/v1/second-factors/recovery-codes")
        return answer.codes
    }

    /// Sends a code to the phone of a factor, for ``stepUp(with:)``.
    ///
    /// - Parameter uid: The ID of the factor.
    /// - Returns: The challenge, for ``ClientSecondFactor/phone(challengeID:code:)``.
    /// - Throws: ``LoginClientError``: `multi-factor-info-not-found`, `quota-exceeded` and other refusals of the service.
    public func sendCode(to uid: String) async throws -> ClientChallenge {
        try await calls.content("POST", "/v1/step-up/challenge", ["uid": uid])
    }

    /// Raises the session to level 2 with a second factor.
    ///
    /// - Parameter factor: The second factor.
    /// - Returns: The result, whose outcome is `reauthenticated`.
    /// - Throws: ``LoginClientError``: `invalid-verification-code` and other refusals of the service.
    public func stepUp(with factor: ClientSecondFactor) async throws -> ClientAuthResult {
        try await calls.content("POST", "/v1/step-up", ["assertion": factor])
    }
}
