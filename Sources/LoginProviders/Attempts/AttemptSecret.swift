// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The secret of an attempt to sign in, which the app or the browser keeps while the user is at the provider.
///
/// State, nonce, code verifier and encryption key are derived from it, each with its own label (HKDF-Expand, RFC 5869
/// §2.3). The provider sees the nonce and the state, but cannot complete the attempt. The nonce of an app never equals
/// one of a browser.
package struct AttemptSecret: Sendable {
    /// The secret as the client keeps it: 47 characters, prefix `lla_`.
    package let text: String

    private let bytes: [UInt8]

    private static let prefix = "lla_"
    private static let byteCount = 32

    /// Creates a random secret of 256 bits.
    package init() {
        bytes = randomBytes(count: Self.byteCount)
        text = Self.prefix + Base64URL.encode(bytes)
    }

    /// Creates a secret from a text that a client sent back; nil for a malformed one, which saves a query of the store.
    package init?(_ text: String) {
        guard text.utf8.count <= 64, text.utf8.starts(with: Self.prefix.utf8),
            let bytes = Base64URL.decode(Array(text.utf8.dropFirst(Self.prefix.utf8.count))),
            bytes.count == Self.byteCount
        else { return nil }
        self.text = text
        self.bytes = bytes
    }

    /// The SHA-256 of the secret, under which stores find the attempt.
    package var hash: [UInt8] { Digest.sha256.hash(text.utf8) }

    /// The nonce of an attempt in an app: 43 characters of base64url.
    package var appNonce: String { derivedText("app nonce") }

    /// The nonce of an attempt in a browser: 43 characters of base64url.
    var browserNonce: String { derivedText("browser nonce") }

    /// The parameter `state` of an attempt in a browser: 43 characters of base64url.
    var state: String { derivedText("browser state") }

    /// The code verifier of an attempt in a browser (RFC 7636 §4.1).
    var codeVerifier: CodeVerifier {
        guard let verifier = CodeVerifier(derivedText("browser code verifier")) else {
            preconditionFailure("43 characters of base64url are a code verifier")
        }
        return verifier
    }

    /// Encrypts the content for the callback.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - context: The associated data. Decryption needs the same.
    /// - Returns: The encrypted content, for the store.
    /// - Throws: `EncodingError`, which does not occur in practice.
    func seal(_ content: AttemptContent, context: [UInt8]) throws -> [UInt8] {
        key.seal([UInt8](try JSONEncoder().encode(content)), context: context)
    }

    /// Decrypts stored content; nil if it or the context was changed.
    func open(_ sealed: [UInt8], context: [UInt8]) -> AttemptContent? {
        guard let bytes = key.open(sealed, context: context) else { return nil }
        return try? JSONDecoder().decode(AttemptContent.self, from: Data(bytes))
    }

    private var key: SealingKey { SealingKey(derived("browser encryption")) }

    private func derivedText(_ use: String) -> String { Base64URL.encode(derived(use)) }

    /// Returns one block of HKDF-Expand.
    ///
    /// The secret is uniformly random, so HKDF-Extract is not needed (RFC 5869 §3.3).
    private func derived(_ use: String) -> [UInt8] {
        Digest.sha256.authenticationCode(of: Array("limited-login attempt, version 1: \(use)".utf8) + [1], key: bytes)
    }
}

extension AttemptSecret: Redacted {
    /// A fixed text, without the secret.
    package var description: String { "secret of an attempt" }
}
