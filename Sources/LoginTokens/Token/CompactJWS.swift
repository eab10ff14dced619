// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// A well-formed token whose signature is not verified (RFC 7515 §7.1).
///
/// It exposes the header but not the payload, because nothing in the payload can be trusted before the signature is
/// verified.
public struct CompactJWS: Sendable {
    /// The header, with the key ID and the algorithm that the token claims.
    public let header: JOSEHeader

    let payload: [UInt8]
    let signature: [UInt8]

    /// The token exactly as received, and the positions of its segments.
    private let text: String
    private let segments: Segments

    /// Whether the header was found among the known headers.
    let hasKnownHeader: Bool

    /// Parses a token.
    ///
    /// - Parameter text: The compact serialization without surrounding characters; at most ``Limits/tokenBytes``.
    /// - Throws: ``TokenRefusal`` with the code `too-large`, `segments`, `encrypted-token`, `encoding`, `header` or
    ///   `critical-header`.
    public init(_ text: String) throws(TokenRefusal) {
        var log = CheckLog(observer: nil)
        try self.init(text, log: &log)
    }

    init(_ text: String, knownHeaders: KnownHeaders? = nil, log: inout CheckLog) throws(TokenRefusal) {
        let size = text.utf8.count
        guard size <= Limits.tokenBytes else {
            throw TokenRefusal(.tooLarge, "the token has more than \(Limits.tokenBytes) bytes")
        }
        log.pass(.size, "\(size) bytes")

        // The text is parsed in place; only its decoded parts are copied.
        let segments = try withUTF8(of: text, upTo: size) { bytes in
            Result { () throws(TokenRefusal) in try Segments(of: bytes) }
        }.get()
        log.pass(.segments, "three, with \(segments.counts) characters")
        let known = knownHeaders?.header(of: text, segment: segments.header)
        var headerBytes: [UInt8] = []
        if known == nil { headerBytes = try Self.decode("header", segments.header, of: text) }
        let payload = try Self.decode("payload", segments.payload, of: text)
        let signature = try Self.decode("signature", segments.signature, of: text)
        log.pass(.encoding, "canonical base64url")

        let header: JOSEHeader
        if let known { header = known } else { header = try JOSEHeader(headerBytes) }
        log.pass(.header, "a JSON object")

        if known == nil { try header.refuseExtensions() }
        log.pass(.criticalHeader, "no critical extensions")

        self.header = header
        self.hasKnownHeader = known != nil
        self.payload = payload
        self.signature = signature
        self.text = text
        self.segments = segments
    }

    private static func decode(_ name: String, _ segment: Range<Int>, of text: String) throws(TokenRefusal) -> [UInt8] {
        let bytes = withUTF8(of: text, upTo: segment.upperBound) { Base64URL.decode($0.extracting(segment)) }
        guard let bytes else {
            throw TokenRefusal(.encoding, "the \(name) \(Base64URL.fault(in: utf8Bytes(of: text, in: segment)))")
        }
        return bytes
    }

    /// The header segment as received.
    var headerSegment: [UInt8] { utf8Bytes(of: text, in: segments.header) }

    /// The JWS signing input as received.
    var signingInput: [UInt8] { utf8Bytes(of: text, in: 0..<segments.payload.upperBound) }

    /// The signature segment as received.
    var signatureSegment: [UInt8] { utf8Bytes(of: text, in: segments.signature) }

    /// Verifies the signature.
    ///
    /// - Parameters:
    ///   - keys: The keys of the expected signer.
    ///   - algorithms: The allowed algorithms.
    /// - Returns: The token with its verified signature.
    /// - Throws: ``TokenRefusal`` with the code `algorithm`, `key-id`, `key-not-found`, `key-unusable`, `key-ambiguous`
    ///   or `signature`.
    public func verified(
        with keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm> = [.rs256]
    ) throws(TokenRefusal) -> VerifiedJWS {
        let algorithm = try header.checkAlgorithm(allowed: algorithms)
        try header.checkKeyID(required: false)
        let key = try keys.key(for: header, algorithm: algorithm)
        return try verified(with: key, algorithm: algorithm)
    }

    /// Verifies the signature with a shared secret.
    ///
    /// - Parameter secret: The secret, whose algorithm is the only accepted one.
    /// - Returns: The token with its verified signature.
    /// - Throws: ``TokenRefusal`` with the code `algorithm`, `key-id` or `signature`.
    public func verified(with secret: SharedSecret) throws(TokenRefusal) -> VerifiedJWS {
        try header.checkAlgorithm(of: secret)
        try header.checkKeyID(required: false)
        guard isSigned(with: secret) else { throw invalidSignature(with: secret) }
        return VerifiedJWS(header: header, payload: payload, algorithm: nil)
    }

    func verified(with key: JSONWebKey, algorithm: SignatureAlgorithm) throws(TokenRefusal) -> VerifiedJWS {
        guard isSigned(by: key, algorithm: algorithm) else { throw invalidSignature(by: key, algorithm: algorithm) }
        return VerifiedJWS(header: header, payload: payload, algorithm: algorithm)
    }

    /// Returns the refusal of a token that this key has not signed.
    func invalidSignature(by key: JSONWebKey, algorithm: SignatureAlgorithm) -> TokenRefusal {
        let which = header.keyID == nil ? "the only matching key" : "the key that the token names"
        return invalidSignature(algorithm.rawValue, with: which, byteCount: key.signatureByteCount)
    }

    /// Returns the refusal of a token that was not signed with this secret.
    func invalidSignature(with secret: SharedSecret) -> TokenRefusal {
        let algorithm = secret.algorithm
        return invalidSignature(algorithm.rawValue, with: "the secret", byteCount: algorithm.digest.byteCount)
    }

    private func invalidSignature(_ algorithm: String, with signer: String, byteCount expected: Int) -> TokenRefusal {
        let length = signature.count
        guard length != expected else {
            return TokenRefusal(.signature, "not a valid \(algorithm) signature by \(signer)")
        }
        let cause = length < expected ? ": the token was cut off, or signed with another key" : ""
        return TokenRefusal(
            .signature,
            "the signature has \(length) bytes, but \(algorithm) with \(signer) has \(expected)\(cause)"
        )
    }

    /// Returns whether the signature is valid with this secret.
    func isSigned(with secret: SharedSecret) -> Bool { secret.isValid(signature, of: signingInput) }

    /// Returns whether the signature is valid with this key.
    func isSigned(by key: JSONWebKey, algorithm: SignatureAlgorithm) -> Bool {
        let signature = signature
        return withUTF8(of: text, upTo: segments.payload.upperBound) { signingInput in
            key.isValidSignature(signature, of: signingInput, algorithm: algorithm)
        }
    }
}

/// The positions of a token's three segments in its bytes.
private struct Segments {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    /// Splits a token at its dots, of which there must be two.
    init(of bytes: Span<UInt8>) throws(TokenRefusal) {
        let dot = UInt8(ascii: ".")
        guard let first = firstOffset(of: dot, in: bytes) else { throw Self.wrongNumber("is one segment") }
        guard let second = firstOffset(of: dot, in: bytes, from: first + 1) else {
            throw Self.wrongNumber("are two segments")
        }
        if let third = firstOffset(of: dot, in: bytes, from: second + 1) {
            guard let fourth = firstOffset(of: dot, in: bytes, from: third + 1) else {
                throw Self.wrongNumber("are four segments")
            }
            guard firstOffset(of: dot, in: bytes, from: fourth + 1) == nil else {
                throw Self.wrongNumber("are more than five segments")
            }
            throw TokenRefusal(.encryptedToken, "there are five segments: the token is encrypted")
        }
        header = 0..<first
        payload = (first + 1)..<second
        signature = (second + 1)..<bytes.count
        guard !header.isEmpty else { throw TokenRefusal(.segments, "the header is empty") }
        guard !signature.isEmpty else {
            throw TokenRefusal(.segments, "the signature is empty: the token is unsigned")
        }
        try Self.check("header", header, limit: Limits.headerBytes)
        try Self.check("signature", signature, limit: Limits.signatureBytes)
    }

    /// The lengths of the segments, for a report.
    var counts: String { "\(header.count), \(payload.count), \(signature.count)" }

    private static func wrongNumber(_ found: String) -> TokenRefusal {
        TokenRefusal(.segments, "there \(found), not three")
    }

    private static func check(_ name: String, _ segment: Range<Int>, limit: Int) throws(TokenRefusal) {
        guard segment.count * 3 / 4 <= limit else {
            throw TokenRefusal(.tooLarge, "the \(name) has more than \(limit) bytes")
        }
    }
}

extension CompactJWS: Redacted {
    /// A fixed text without the content.
    public var description: String { "compact JWS, unverified" }
}
