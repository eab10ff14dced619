// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The SHA-256 of a nonce, by which a store knows it.
///
/// Who reads the store's memory or its table finds no nonce that could still be used. Only where the app hashes its nonce
/// is the digest what the token carries; the binding protects it then.
public struct NonceDigest: Sendable, Hashable {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// The digest of a nonce.
    ///
    /// - Parameter nonce: The nonce, as the server issued it and as the token carries it.
    public init(of nonce: String) {
        bytes = Digest.sha256.hash(nonce.utf8)
    }

    /// A digest that somebody else has computed: the `nonce` of a token whose app sends the provider a hash.
    ///
    /// - Parameter text: Exactly 64 digits, letters in lower case; nil for anything else, so that one nonce has one spelling.
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
    /// A fixed text, without the digest: where the app hashes its nonce, the token carries the digest.
    public var description: String { "SHA-256 of a nonce" }
}
