// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// The kinds of secrets that a client presents once to complete an operation: 256 random bits, of which the store has
/// the hash.
enum OneTimeToken: String {
    /// The token of a pending sign-in.
    case signIn = "llm_"
    /// The ID of a challenge: a code that was sent to a second factor.
    case challenge = "llc_"
    /// The ID of a code that was sent to a phone number for a sign-in, a link, or a reauthentication.
    case verification = "llv_"
    /// The token in a message to an e-mail address.
    case message = "lle_"
    /// The token of a pending credential.
    case credential = "llp_"

    private static let byteCount = 32

    /// Makes a random token.
    func make() -> String { rawValue + Base64URL.encode(randomBytes(count: Self.byteCount)) }

    /// Returns the hash of a presented token; nil if it has an invalid form.
    func hashIfPossible(_ token: String) -> [UInt8]? {
        let bytes = token.utf8
        guard bytes.count <= 64, bytes.starts(with: rawValue.utf8),
            Base64URL.decode(Array(bytes.dropFirst(rawValue.utf8.count)))?.count == Self.byteCount
        else { return nil }
        return Self.hash(token)
    }

    /// Returns the hash of a token that was just made.
    static func hash(_ token: String) -> [UInt8] { Digest.sha256.hash(token.utf8) }
}
