// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// Random values that tie a token to one sign-in attempt.
public enum Nonce {
    /// Returns an unguessable nonce: 128 bits from the system's random number generator, in 22 characters of base64url.
    ///
    /// Generate the nonce on the server when an attempt begins, store it with the attempt, and accept it once.
    public static func random() -> String {
        Base64URL.encode(randomBytes(count: 16))
    }
}
