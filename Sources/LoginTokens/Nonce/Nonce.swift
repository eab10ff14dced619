// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// Values that tie a token to one sign-in attempt.
public enum Nonce {
    /// A nonce that nobody guesses: 128 bits from the system's generator, in 22 characters of base64url.
    ///
    /// Make it on the server when an attempt begins, keep it with the attempt, and expect it once.
    public static func random() -> String {
        Base64URL.encode(randomBytes(count: 16))
    }
}
