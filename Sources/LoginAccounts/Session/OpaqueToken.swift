// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A token of a session as a client presents it: opaque to the client, and verified by this service before any row is
/// read.
///
/// It consists of the ID of the session or device, its generation, a secret, and an HMAC over all of these. The secret
/// is derived from a key that the store does not have and a seed that only the store has. Neither a copy of the store
/// nor the key alone is enough to make a token. The token is not stored, since it can be derived again; the store has
/// its SHA-256.
struct OpaqueToken: Sendable {
    /// The purpose of a token.
    enum Kind: String, Sendable, CaseIterable {
        /// A session token, for each request.
        case session = "lls_"
        /// A refresh token.
        case refresh = "llr_"

        fileprivate var secretPurpose: String { "secret of \(rawValue)" }
        fileprivate var codePurpose: String { "code of \(rawValue)" }
    }

    /// The ID of the session; or of the device, for a refresh token.
    let id: String

    /// The number of tokens before it.
    let generation: Int64

    /// The SHA-256 of the token.
    let hash: [UInt8]

    /// Parses and verifies a token that a client presented; nil if it was not made with one of the keys.
    ///
    /// - Parameters:
    ///   - text: The text, of any length and content.
    ///   - kind: The expected purpose.
    ///   - secrets: The keys. Tokens of older keys are valid too.
    init?(_ text: String, _ kind: Kind, secrets: AccountSecrets) {
        // The text may be too long for a second copy in memory. Its UTF-8 length is known without reading it.
        guard text.utf8.count == Self.characterCount, text.utf8.starts(with: kind.rawValue.utf8),
            let bytes = Base64URL.decode(text.utf8.dropFirst(Self.prefixCount)), bytes.count == Self.byteCount
        else { return nil }
        let (message, code) = (bytes.dropLast(Self.codeByteCount), Array(bytes.suffix(Self.codeByteCount)))
        var isOurs = false
        for expected in secrets.authenticationCodes(of: message, purpose: kind.codePurpose) {
            // Every key is tried, so that the duration does not reveal which one matched.
            isOurs = constantTimeEquals(Array(expected.prefix(Self.codeByteCount)), code) || isOurs
        }
        guard isOurs else { return nil }
        id = Self.text(of: Array(bytes.prefix(Self.idByteCount)))
        generation = bytes.dropFirst(Self.idByteCount).prefix(Self.generationByteCount).reduce(0) {
            $0 << 8 | Int64($1)
        }
        hash = Digest.sha256.hash(text.utf8)
    }

    init(id: String, generation: Int64, hash: [UInt8]) {
        (self.id, self.generation, self.hash) = (id, generation, hash)
    }

    /// Makes a token with the newest key.
    ///
    /// - Returns: The token; nil if the ID is not a UUID, or the generation exceeds 32 bits.
    static func make(_ kind: Kind, id: String, generation: Int64, seed: [UInt8], secrets: AccountSecrets) -> String? {
        all(kind, id: id, generation: generation, seed: seed, secrets: secrets).first
    }

    /// Derives a token again.
    ///
    /// Its SHA-256 determines the key.
    ///
    /// - Returns: The token; nil if no key derives a token with this hash.
    static func remake(
        _ kind: Kind,
        id: String,
        generation: Int64,
        seed: [UInt8],
        hash: [UInt8],
        secrets: AccountSecrets
    ) -> String? {
        all(kind, id: id, generation: generation, seed: seed, secrets: secrets)
            .first { constantTimeEquals(Digest.sha256.hash($0.utf8), hash) }
    }

    /// Returns the token that each key makes, the newest first.
    private static func all(_ kind: Kind, id: String, generation: Int64, seed: [UInt8], secrets: AccountSecrets)
        -> [String]
    {
        guard let generation = UInt32(exactly: generation), let id = bytes(of: id) else { return [] }
        let name = id + (0..<generationByteCount).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * $0)) }
        let ofKeys = secrets.authenticationCodes(of: name + seed, purpose: kind.secretPurpose)
        return ofKeys.enumerated().map { index, secret in
            let message = name + secret
            let code = secrets.authenticationCodes(of: message, purpose: kind.codePurpose)[index]
            return kind.rawValue + Base64URL.encode(message + code.prefix(codeByteCount))
        }
    }

    // 72 bytes are 96 characters of Base64 without spare bits, so each token has one spelling.
    private static let prefixCount = 4
    private static let idByteCount = 16
    private static let generationByteCount = 4
    private static let secretByteCount = 32
    // RFC 2104 §5: at least half of the hash.
    private static let codeByteCount = 20
    private static let byteCount = idByteCount + generationByteCount + secretByteCount + codeByteCount
    static let characterCount = prefixCount + byteCount / 3 * 4

    private static func bytes(of id: String) -> [UInt8]? {
        guard let uuid = UUID(uuidString: id)?.uuid else { return nil }
        return [
            uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7,
            uuid.8, uuid.9, uuid.10, uuid.11, uuid.12, uuid.13, uuid.14, uuid.15,
        ]
    }

    private static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
