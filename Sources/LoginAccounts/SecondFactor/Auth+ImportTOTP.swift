// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Imports an authenticator app's factor that a user has enrolled elsewhere, so that the app keeps working.
    ///
    /// The factor is confirmed at once. If it is the account's first factor, the account's sessions are closed, because
    /// they have only one factor.
    ///
    /// - Parameters:
    ///   - secret: The secret in Base32, of 16 to 128 bytes (RFC 4226 §4, R6).
    ///   - account: The account.
    ///   - algorithm: The algorithm of the codes.
    ///   - digits: The number of digits of a code, 6 or 8.
    ///   - displayName: The user's name for it. It is truncated to 100 characters.
    /// - Returns: The factor.
    /// - Throws: ``AuthError``: `invalid-credential` if the secret or the number of digits is invalid,
    ///   `unsupported-first-factor`, `unverified-email`, `maximum-second-factor-count-exceeded`, `user-not-found`,
    ///   `account-merged`.
    @discardableResult
    public func importTOTP(
        _ secret: String,
        for account: AccountID,
        algorithm: TOTPAlgorithm = .sha1,
        digits: Int = 6,
        displayName: String? = nil
    ) async throws(AuthError) -> MultiFactorInfo {
        guard let bytes = Base32.decode(secret), (16...128).contains(bytes.count) else {
            throw AuthError(.invalidCredential, "the secret is not 16 to 128 bytes in Base32")
        }
        guard digits == 6 || digits == 8 else {
            throw AuthError(.invalidCredential, "codes have 6 or 8 digits, not \(digits)")
        }
        let totp = TOTP(secret: bytes, parameters: .init(algorithm: algorithm, digits: digits))
        return try await transaction { transaction in
            transaction.context.actor = .service
            return try transaction.enrollments.add(totp, to: account, displayName: displayName)
        }
    }
}
