// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginCrypto
internal import LoginText

/// A secret that an issuer shares with one client or API, and the one algorithm of the tokens signed with it.
///
/// ```swift
/// let secret = try SharedSecret(clientSecret, algorithm: .hs256)
/// let verifier = try TokenVerifier(policy: policy, secret: secret)
/// ```
///
/// Everybody who knows the secret can sign tokens, so an issuer should sign with a key if it can. A secret is only made
/// from your configuration: a key set, a header and discovery never supply one. What is public is no secret: keys and
/// certificates in PEM, DER, SSH, XML or JWK form are refused, and so are tokens, the secrets of examples, and a few octets
/// that repeat.
public struct SharedSecret: Sendable {
    /// A message authentication code of JSON Web Algorithms (RFC 7518 §3.2): HMAC with SHA-2.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// HMAC with SHA-256.
        case hs256 = "HS256"
        /// HMAC with SHA-384.
        case hs384 = "HS384"
        /// HMAC with SHA-512.
        case hs512 = "HS512"

        /// The minimum length of a secret, that of the hash: 32, 48 or 64 bytes (RFC 7518 §3.2).
        public var minimumByteCount: Int { digest.byteCount }

        /// The hash function.
        package var digest: Digest {
            switch self {
            case .hs256: .sha256
            case .hs384: .sha384
            case .hs512: .sha512
            }
        }
    }

    /// The relation between a text and the octets of the secret.
    public enum Encoding: String, Sendable, Hashable, CaseIterable {
        /// The octets are the UTF-8 of the text, as for a client secret (OpenID Connect Core §10.1).
        case text
        /// The text is base64 with padding (RFC 4648 §4).
        case base64
        /// The text is base64url without padding (RFC 4648 §5).
        case base64url
    }

    /// The algorithm.
    public let algorithm: Algorithm

    private let octets: [UInt8]

    /// Creates a secret from its octets.
    ///
    /// - Parameters:
    ///   - octets: The octets, exactly as the issuer uses them: ``Algorithm/minimumByteCount`` to
    ///     ``Limits/secretBytes``.
    ///   - algorithm: The algorithm that the issuer documents for this client or API.
    ///   - allowPublishedTestSecrets: Whether to accept a secret that is published, such as the examples in standards,
    ///     or repeats a few octets. For tests only: anybody who can read the example, or guess the secret, can sign.
    /// - Throws: ``PolicyError`` if the secret is too short or too long, is a key, a certificate, a JSON document or a
    ///   token, is published, or repeats a few octets.
    public init(
        octets: some Collection<UInt8>,
        algorithm: Algorithm,
        allowPublishedTestSecrets: Bool = false
    ) throws(PolicyError) {
        let octets = Array(octets)
        // First: a key that is too short for a secret is still a key.
        if let document = PublicDocument(octets) { throw PolicyError("secret: \(document.rawValue) is no secret") }
        guard octets.count >= algorithm.minimumByteCount else {
            let minimum = algorithm.minimumByteCount
            throw PolicyError("secret: \(algorithm.rawValue) requires at least \(minimum) bytes")
        }
        guard octets.count <= Limits.secretBytes else {
            throw PolicyError("secret: it has more than \(Limits.secretBytes) bytes")
        }
        self.octets = octets
        self.algorithm = algorithm
        guard !allowPublishedTestSecrets else { return }
        if let origin = PublishedKeys.origin(thumbprint: thumbprint) {
            throw PolicyError("secret: it is published (\(origin)), so anyone can sign with it")
        }
        if isPattern { throw PolicyError("secret: it repeats a few bytes, so anyone can guess it") }
    }

    /// Creates a secret from a text.
    ///
    /// - Parameters:
    ///   - text: The secret as the issuer shows it, without surrounding characters. Nothing is trimmed.
    ///   - encoding: The relation between the text and the octets. It is never guessed: most base64 is a valid text.
    ///   - algorithm: The algorithm that the issuer documents for this client or API.
    ///   - allowPublishedTestSecrets: Whether to accept a secret that is published. For tests only.
    /// - Throws: ``PolicyError`` if the text is not in this encoding, or for a reason of
    ///   ``init(octets:algorithm:allowPublishedTestSecrets:)``.
    public init(
        _ text: String,
        encoding: Encoding = .text,
        algorithm: Algorithm,
        allowPublishedTestSecrets: Bool = false
    ) throws(PolicyError) {
        let octets: [UInt8]? =
            switch encoding {
            case .text: Array(text.utf8)
            case .base64: Base64.decode(text.utf8)
            case .base64url: Base64URL.decode(text.utf8)
            }
        guard let octets else {
            let padding = encoding == .base64 ? "with" : "without"
            throw PolicyError("secret: it is not canonical \(encoding.rawValue) \(padding) padding")
        }
        try self.init(octets: octets, algorithm: algorithm, allowPublishedTestSecrets: allowPublishedTestSecrets)
    }

    /// Whether the secret has fewer than four distinct octets, or repeats at most eight.
    private var isPattern: Bool {
        Set(octets).count < 4 || (1...8).contains { octets.dropFirst($0).elementsEqual(octets.dropLast($0)) }
    }

    /// Refuses a secret that is one of the names in a policy, which others know, whatever the case of its letters.
    ///
    /// - Parameter names: The audiences, issuers and clients.
    /// - Throws: ``PolicyError``
    func refuse(_ names: [String]) throws(PolicyError) {
        let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z"))
        let folded = { (byte: UInt8) in letters.contains(byte) ? byte | 0x20 : byte }
        let own = octets.map(folded)
        guard !names.contains(where: { $0.utf8.map(folded).elementsEqual(own) }) else {
            throw PolicyError("secret: the issuer, an audience and a client ID are no secrets")
        }
    }

    /// Returns whether `code` is the authentication code of `message` (RFC 7518 §3.2), compared in constant time.
    func isValid(_ code: [UInt8], of message: [UInt8]) -> Bool {
        constantTimeEquals(algorithm.digest.authenticationCode(of: message, key: octets), code)
    }

    /// The thumbprint of the secret as a JWK (RFC 7638 §3.2), by which published secrets are recognized.
    private var thumbprint: String {
        let json = JSONWriter.object { json in
            json.add("k", Base64URL.encode(octets))
            json.add("kty", "oct")
        }
        return Base64URL.encode(Digest.sha256.hash(json))
    }
}

extension SharedSecret: Redacted {
    /// The algorithm, without the secret.
    public var description: String { "shared secret for \(algorithm.rawValue)" }
}
