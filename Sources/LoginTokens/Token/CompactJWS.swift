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
    /// - Parameters:
    ///   - text: The compact serialization without surrounding characters.
    ///   - limits: The maximum sizes.
    /// - Throws: ``TokenRefusal`` with the code `too-large`, `segments`, `encrypted-token`, `encoding`, `header` or
    ///   `critical-header`.
    public init(_ text: String, limits: TokenLimits = .standard) throws(TokenRefusal) {
        var log = CheckLog(observer: nil)
        try self.init(text, limits: limits, log: &log)
    }

    init(
        _ text: String,
        limits: TokenLimits,
        knownHeaders: KnownHeaders? = nil,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        let size = text.utf8.count
        try limits.checkToken(size)
        log.pass(.size, "\(size) bytes")

        // The text is parsed in place; only its decoded parts are copied.
        let segments = try withUTF8(of: text, upTo: size) { bytes in
            Result { () throws(TokenRefusal) in try Segments(of: bytes, limits: limits) }
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
        return try verified(with: .published(keys.keys(matching: header, algorithm: algorithm), algorithm))
    }

    /// Verifies the signature with a shared secret.
    ///
    /// - Parameter secret: The secret, whose algorithm is the only accepted one.
    /// - Returns: The token with its verified signature.
    /// - Throws: ``TokenRefusal`` with the code `algorithm`, `key-id` or `signature`.
    public func verified(with secret: SharedSecret) throws(TokenRefusal) -> VerifiedJWS {
        try header.checkAlgorithm(of: secret)
        try header.checkKeyID(required: false)
        return try verified(with: .secret(secret))
    }

    private func verified(with keys: VerificationKeys) throws(TokenRefusal) -> VerifiedJWS {
        guard keys.signer(of: self) != nil else { throw invalidSignature(by: keys) }
        return VerifiedJWS(header: header, payload: payload, algorithm: keys.method.keyAlgorithm)
    }

    /// Returns the refusal of a token that none of these keys has signed.
    func invalidSignature(by keys: VerificationKeys) -> TokenRefusal {
        let which =
            switch keys {
            case .secret: "the secret"
            case .published where header.keyID == nil: "the only matching key"
            case .published where keys.count == 1: "the key that the token names"
            case .published: "any of the \(keys.count) keys with the ID that the token names"
            }
        let (algorithm, length) = (keys.method.name, signature.count)
        guard let expected = keys.signatureByteCount, length != expected else {
            // Microsoft signs the tokens for its own APIs with the hash of this nonce in its place.
            let isForGraph = header["nonce"] != nil && keys.method.keyAlgorithm != nil
            let cause = isForGraph ? "; the header has a nonce: only Microsoft Graph can verify its tokens" : ""
            return TokenRefusal(.signature, "not a valid \(algorithm) signature by \(which)\(cause)")
        }
        let cause = length < expected ? ": the token was cut off, or signed with another key" : ""
        return TokenRefusal(
            .signature,
            "the signature has \(length) bytes, but \(algorithm) with \(which) has \(expected)\(cause)"
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
    init(of bytes: Span<UInt8>, limits: TokenLimits) throws(TokenRefusal) {
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
        // Their sizes when decoded.
        try limits.header.check(header.count * 3 / 4, of: "the header")
        try Self.signatureLimit.check(signature.count * 3 / 4, of: "the signature")
    }

    private static let signatureLimit = RaisableLimit(Limits.signatureBytes, upTo: Limits.signatureBytes, setting: nil)

    /// The lengths of the segments, for a report.
    var counts: String { "\(header.count), \(payload.count), \(signature.count)" }

    private static func wrongNumber(_ found: String) -> TokenRefusal {
        TokenRefusal(.segments, "there \(found), not three")
    }
}

extension CompactJWS: Redacted {
    /// A fixed text without the content.
    public var description: String { "compact JWS, unverified" }
}
