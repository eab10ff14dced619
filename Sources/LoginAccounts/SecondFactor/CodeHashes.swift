// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// Keyed hashes of stored codes.
///
/// A plain hash of six digits could be reversed by trying all codes.
struct CodeHashes {
    let secrets: AccountSecrets

    /// Returns the HMAC of a code under the newest key.
    ///
    /// - Parameters:
    ///   - code: The digits.
    ///   - token: The hash of the token that the code belongs to.
    /// - Returns: The HMAC.
    func newest(_ code: some Collection<UInt8>, for token: [UInt8]) -> [UInt8] { hashes(code, for: token)[0] }

    /// Whether a code has the stored hash under any key, compared in constant time.
    func matches(_ code: [UInt8], _ stored: [UInt8], for token: [UInt8]) -> Bool {
        var isRight = false
        for candidate in hashes(code, for: token) where constantTimeEquals(candidate, stored) { isRight = true }
        return isRight
    }

    private func hashes(_ code: some Collection<UInt8>, for token: [UInt8]) -> [[UInt8]] {
        secrets.authenticationCodes(of: token + Array(code), purpose: "phone code")
    }
}
