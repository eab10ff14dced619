// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Gives an account a factor that its person has had elsewhere: the app goes on with the codes that it computes.
    ///
    /// It counts at once. Where it is the first factor, the sessions of the account are closed, which have one factor.
    ///
    /// - Parameters:
    ///   - secret: The secret in Base32, of 16 to 128 bytes (RFC 4226 §4, R6).
    ///   - account: Whose.
    ///   - algorithm: How codes are computed.
    ///   - digits: How many digits a code has, 6 or 8.
    ///   - displayName: What the person calls it; 100 characters are kept.
    /// - Returns: The factor.
    /// - Throws: ``AuthError``: `invalid-credential` where there cannot be such codes, `unsupported-first-factor`,
    ///   `unverified-email`, `maximum-second-factor-count-exceeded`, `user-not-found`, `account-merged`.
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
