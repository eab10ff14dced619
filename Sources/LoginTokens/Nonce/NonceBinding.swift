// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The binding of a nonce to the client that began the attempt.
///
/// Without it, anybody who obtains a nonce and a token can send them from anywhere: an attacker could sign in to the
/// attacker's own account and make the victim's browser complete the attempt. The server therefore gives the client a
/// secret when the attempt begins, and the client presents it again with the token:
///
/// - A browser gets a cookie of at least 128 random bits (`Nonce.random()`), named `__Host-…` so that no other host can
///   set it, `Secure` and `HttpOnly`. `SameSite=Lax` suffices, unless the provider answers with a POST from its own
///   site.
/// - An app gets the secret in the response that begins the attempt, keeps it in memory, and sends it with the token.
///
/// The secret must not be the nonce, which the provider and every reader of the token know, nor a value that others can
/// find out, such as an address. A client may use one secret for several attempts.
public struct NonceBinding: Sendable, Hashable {
    /// The SHA-256 of the secret, which the store keeps and compares.
    public let bytes: [UInt8]

    /// Whether the secret was empty, for example because the cookie is missing.
    let isOfNobody: Bool

    /// Creates a binding from a secret; only its digest is stored.
    ///
    /// An empty secret, for example of a missing cookie, makes a binding that equals no other. Otherwise all clients
    /// without cookies would share one binding.
    ///
    /// - Parameter secret: The value of the cookie, or the app's secret.
    public init(secret: String) {
        isOfNobody = secret.isEmpty
        bytes = secret.isEmpty ? randomBytes(count: Digest.sha256.byteCount) : Digest.sha256.hash(secret.utf8)
    }

    /// Returns whether both bindings were made from the same secret, in constant time.
    public static func == (first: Self, second: Self) -> Bool {
        constantTimeEquals(first.bytes, second.bytes)
    }

    /// Hashes the digest of the secret.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}

extension NonceBinding: Redacted {
    /// A fixed text without the digest, from which a weak secret could be guessed.
    public var description: String { "binding of a nonce" }
}
