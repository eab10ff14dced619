// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The SHA-256 of a nonce, by which a store identifies it.
///
/// An attacker who reads the store's memory or table finds no usable nonce. Only if the app hashes its nonce does the
/// token carry the digest; the binding then protects the nonce.
public struct NonceDigest: Sendable, Hashable {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// Creates the digest of a nonce.
    ///
    /// - Parameter nonce: The nonce, as the server issued it and as the token carries it.
    public init(of nonce: String) {
        bytes = Digest.sha256.hash(nonce.utf8)
    }

    /// Creates a digest from the `nonce` claim of a token whose app sends the provider a hash.
    ///
    /// - Parameter text: Exactly 64 lower-case hexadecimal digits; nil for anything else, so that a nonce has only one
    ///   spelling.
    public init?(hexadecimal text: String) {
        let digits = text.utf8.map(Self.value)
        guard digits.count == 2 * Digest.sha256.byteCount, digits.allSatisfy({ $0 < 16 }) else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The value of a lower-case hexadecimal digit; 255 for any other character.
    private static func value(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: 255
        }
    }
}

extension NonceDigest: Redacted {
    /// A fixed text without the digest: if the app hashes its nonce, the token carries the digest.
    public var description: String { "SHA-256 of a nonce" }
}
