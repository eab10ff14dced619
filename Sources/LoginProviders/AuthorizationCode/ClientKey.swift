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

/// The private key with which a client signs its assertions (RFC 7523 §2.2).
struct ClientKey: Sendable {
    /// The value of `client_assertion_type` (RFC 7523 §2.2).
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The lifetime of an assertion, in seconds.
    ///
    /// The request that it is made for has a deadline of ten seconds; the rest is for clocks that differ.
    private static let lifetime = 60

    /// The minimum length of an RSA modulus: 2048 bits (RFC 7518 §3.3).
    private static let modulusBytes = 256

    private let key: PrivateKey
    private let keyID: String?
    /// The algorithms of the key, the preferred first.
    private let algorithms: [SignatureAlgorithm]

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - pem: The text, with one private key in PEM form.
    ///   - keyID: The key ID; nil for none.
    /// - Throws: `PolicyError` if there is no usable key, or the key ID has another length than 1 to 256 bytes.
    init(pem: some Collection<UInt8>, keyID: String?) throws(PolicyError) {
        let blocks = PEMBlock.blocks(in: pem).filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let block = blocks.first, blocks.count == 1 else {
            throw PolicyError("it must have one private key in PEM form, and has \(blocks.count)")
        }
        guard block.label != "ENCRYPTED PRIVATE KEY" else {
            throw PolicyError("the key is encrypted; decrypt it into a private file: openssl pkey -in FILE -out NEW")
        }
        guard let key = PrivateKey(der: block.bytes) else {
            throw PolicyError(
                "the key is malformed or encrypted, or neither RSA nor EC (P-256, P-384, P-521) nor Ed25519"
            )
        }
        if let keyID, !(1...Limits.keyIDBytes).contains(keyID.utf8.count) {
            throw PolicyError("a key ID must have 1 to \(Limits.keyIDBytes) bytes")
        }
        switch key.numbers {
        case .rsa(let modulus, _):
            guard modulus.count >= Self.modulusBytes else {
                throw PolicyError("an RSA key must have at least \(8 * Self.modulusBytes) bits")
            }
            algorithms = [.rs256, .ps256, .rs384, .ps384, .rs512, .ps512]
        case .ec(.p256, _, _): algorithms = [.es256]
        case .ec(.p384, _, _): algorithms = [.es384]
        case .ec(.p521, _, _): algorithms = [.es512]
        case .ed25519: algorithms = [.edDSA, .ed25519]
        }
        self.key = key
        self.keyID = keyID
    }

    /// Returns the algorithm of assertions for a provider.
    ///
    /// - Parameter metadata: The provider's metadata.
    /// - Returns: The first algorithm of the key that the provider lists; the preferred one if it lists none.
    /// - Throws: ``LoginManagerError`` with the code `provider` if it lists only others.
    func algorithm(by metadata: ProviderMetadata) throws(LoginManagerError) -> SignatureAlgorithm {
        guard let listed = metadata.tokenEndpointSigningAlgorithms, !listed.isEmpty else { return algorithms[0] }
        let first = algorithms.first { algorithm in listed.contains { isEqual($0, algorithm.rawValue) } }
        guard let first else {
            let own = algorithms.map(\.rawValue).joined(separator: ", ")
            throw LoginManagerError(
                .provider,
                "the token endpoint supports assertions signed with \(quoted(listed)), and the client's key signs with \(own)"
            )
        }
        return first
    }

    /// Returns a new assertion of the client (RFC 7523 §3).
    ///
    /// Its audience is the URL that it is sent to, so that no other server can use it.
    ///
    /// - Parameters:
    ///   - clientID: The client ID.
    ///   - metadata: The provider's metadata.
    ///   - endpoint: The endpoint that receives it.
    ///   - now: The time.
    /// - Returns: The assertion, in its compact serialization.
    /// - Throws: ``LoginManagerError`` with the code `provider`, as ``algorithm(by:)`` does.
    func assertion(
        of clientID: String,
        to metadata: ProviderMetadata,
        at endpoint: EndpointURL,
        _ now: Date
    ) throws(LoginManagerError) -> String {
        let algorithm = try algorithm(by: metadata)
        let header = JSONWriter.object { json in
            json.add("alg", algorithm.rawValue)
            json.add("typ", "JWT")
            if let keyID { json.add("kid", keyID) }
        }
        let issuedAt = Int(now.timeIntervalSince1970)
        let claims = JSONWriter.object { json in
            json.add("iss", clientID)
            json.add("sub", clientID)
            json.add("aud", endpoint.description)
            json.add("jti", Base64URL.encode(randomBytes(count: 16)))
            json.add("iat", json: "\(issuedAt)".utf8)
            json.add("exp", json: "\(issuedAt + Self.lifetime)".utf8)
        }
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
        let signature = key.signature(of: Array(input.utf8), scheme: algorithm.scheme)
        return "\(input).\(Base64URL.encode(signature))"
    }
}
