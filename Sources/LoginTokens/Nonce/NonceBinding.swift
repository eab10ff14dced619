// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// What ties a nonce to the client that began the attempt.
///
/// Without it, a nonce and a token that somebody else obtained can be sent from anywhere: an attacker signs in as himself
/// and has the victim's browser end the attempt. So the server gives the client a secret when the attempt begins, and the
/// client shows it again with the token:
///
/// - A browser gets a cookie of at least 128 random bits (`Nonce.random()`), named `__Host-…` so that no other host can
///   set it, `Secure` and `HttpOnly`. `SameSite=Lax` suffices, unless the provider answers with a POST from its own site.
/// - An app gets the secret in the answer that begins the attempt, keeps it in memory, and sends it with the token.
///
/// The secret must be neither the nonce, which the provider and every reader of the token know, nor something that others
/// can find out, such as an address. One client may use one secret for several attempts.
public struct NonceBinding: Sendable, Hashable {
    /// The SHA-256 of the secret: what a store keeps and compares.
    public let bytes: [UInt8]

    /// Whether there was no secret, as where a cookie is missing.
    let isOfNobody: Bool

    /// Remembers a digest of the secret, not the secret.
    ///
    /// An empty one, as where the cookie is missing, makes a binding that equals no other: else all clients without
    /// cookies would be one.
    ///
    /// - Parameter secret: The value of the cookie, or of the app's secret.
    public init(secret: String) {
        isOfNobody = secret.isEmpty
        bytes = secret.isEmpty ? randomBytes(count: Digest.sha256.byteCount) : Digest.sha256.hash(secret.utf8)
    }

    /// Whether both were made of one secret; in constant time.
    public static func == (first: Self, second: Self) -> Bool {
        constantTimeEquals(first.bytes, second.bytes)
    }

    /// Feeds the digest to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}

extension NonceBinding: Redacted {
    /// A fixed text, without the digest, from which a weak secret could be guessed.
    public var description: String { "binding of a nonce" }
}
