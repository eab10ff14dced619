// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A token that is well formed, of which nothing is proven (RFC 7515 §7.1).
///
/// It shows its header and hides its payload: what it says is worth nothing until the signature is verified.
public struct CompactJWS: Sendable {
    /// The header: which key and algorithm the token claims.
    public let header: JOSEHeader

    /// The bytes that were signed, exactly as received.
    let signingInput: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]

    /// Reads a token.
    ///
    /// - Parameter text: The compact serialization, and nothing around it; at most ``Limits/tokenBytes``.
    /// - Throws: ``TokenRefusal`` with the code `too-large`, `segments`, `encrypted-token`, `encoding`, `header` or
    ///   `critical-header`.
    public init(_ text: String) throws(TokenRefusal) {
        var log = CheckLog(observer: nil)
        try self.init(text, log: &log)
    }

    init(_ text: String, log: inout CheckLog) throws(TokenRefusal) {
        let size = text.utf8.count
        guard size <= Limits.tokenBytes else {
            throw TokenRefusal(.tooLarge, "the token has \(size) bytes, at most \(Limits.tokenBytes) are read")
        }
        log.pass(.size, "\(size) bytes")

        let bytes = Array(text.utf8)
        let segments = try Self.split(bytes)
        log.pass(.segments, "three, of \(segments.map { String($0.count) }.joined(separator: ", ")) characters")

        var decoded: [[UInt8]] = []
        for (name, segment) in zip(["header", "payload", "signature"], segments) {
            guard let bytes = Base64URL.decode(segment) else {
                throw TokenRefusal(.encoding, "the \(name) is not canonical base64url")
            }
            decoded.append(bytes)
        }
        log.pass(.encoding, "canonical base64url")

        self.header = try JOSEHeader(decoded[0])
        log.pass(.header, "a JSON object")
        try header.refuseExtensions()
        log.pass(.criticalHeader, "no extension is asked for")

        self.signingInput = Array(bytes[..<segments[1].endIndex])
        self.payload = decoded[1]
        self.signature = decoded[2]
    }

    /// Verifies the signature.
    ///
    /// - Parameters:
    ///   - keys: The keys of the one who should have signed.
    ///   - algorithms: Which algorithms are allowed.
    /// - Returns: The token, its signature proven.
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

    func verified(with key: JSONWebKey, algorithm: SignatureAlgorithm) throws(TokenRefusal) -> VerifiedJWS {
        guard key.isValidSignature(signature, of: signingInput, algorithm: algorithm) else {
            let which = header.keyID == nil ? "the only key that fits" : "the key the token names"
            throw TokenRefusal(.signature, "not valid by \(algorithm.rawValue) with \(which)")
        }
        return VerifiedJWS(header: header, payload: payload, algorithm: algorithm)
    }

    /// Cuts the token at its dots, of which there must be two.
    ///
    /// The scan ends at the fifth.
    private static func split(_ bytes: [UInt8]) throws(TokenRefusal) -> [ArraySlice<UInt8>] {
        let segments = bytes.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        guard segments.count != 5 else {
            throw TokenRefusal(.encryptedToken, "there are five segments: the token is encrypted")
        }
        guard segments.count == 3 else {
            let found = [1: "is one segment", 2: "are two segments", 4: "are four segments"][segments.count]
            throw TokenRefusal(.segments, "there \(found ?? "are more than five segments"), not three")
        }
        guard !segments[0].isEmpty else { throw TokenRefusal(.segments, "the header is empty") }
        guard !segments[2].isEmpty else {
            throw TokenRefusal(.segments, "the signature is empty: the token is unsigned")
        }
        for (name, segment, limit) in [
            ("header", segments[0], Limits.headerBytes), ("signature", segments[2], Limits.signatureBytes),
        ] where segment.count * 3 / 4 > limit {
            throw TokenRefusal(.tooLarge, "the \(name) has more than \(limit) bytes")
        }
        return segments
    }
}

extension CompactJWS: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, without what it says.
    public var description: String { "compact JWS, unverified" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
