// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The signatures that a verifier accepts: of the issuer's keys, or with a shared secret.
///
/// The two have no algorithm in common, so a token cannot choose between them (RFC 8725 §3.1).
enum AcceptedSignatures: Sendable {
    /// Signatures of the issuer's keys, by one of these algorithms.
    case keys([SignatureAlgorithm])
    /// Signatures with this secret.
    case secret(SharedSecret)

    /// Accepts the signatures of keys, by one of these algorithms.
    ///
    /// A list is faster to search than a set.
    init(_ algorithms: Set<SignatureAlgorithm>) {
        self = .keys(algorithms.sorted { $0.rawValue < $1.rawValue })
    }

    /// Returns how a token with this header is signed.
    ///
    /// - Throws: ``TokenRefusal`` with the code `algorithm`.
    func method(of header: JOSEHeader) throws(TokenRefusal) -> SignatureMethod {
        switch self {
        case .keys(let algorithms): return .key(try header.checkAlgorithm(allowed: algorithms))
        case .secret(let secret):
            try header.checkAlgorithm(of: secret)
            return .secret(secret)
        }
    }
}

/// The way in which a token is signed: with a key and an accepted algorithm, or with a shared secret.
enum SignatureMethod: Sendable {
    case key(SignatureAlgorithm)
    case secret(SharedSecret)

    /// The name of the algorithm.
    var name: String {
        switch self {
        case .key(let algorithm): algorithm.rawValue
        case .secret(let secret): secret.algorithm.rawValue
        }
    }

    /// The algorithm of a key; nil for a secret.
    var keyAlgorithm: SignatureAlgorithm? {
        guard case .key(let algorithm) = self else { return nil }
        return algorithm
    }

    /// The hash function of `at_hash` and `c_hash` (OpenID Connect Core §3.1.3.6).
    var digest: Digest {
        switch self {
        case .key(let algorithm): algorithm.digest
        case .secret(let secret): secret.algorithm.digest
        }
    }
}

/// The means to verify one token: a key of its issuer, or the shared secret.
enum TokenKey: Sendable {
    case published(JSONWebKey, SignatureAlgorithm)
    case secret(SharedSecret)

    /// The thumbprint of a key, by which a replaced one is recognized; empty for a secret, of which a verifier has one.
    var thumbprint: String {
        switch self {
        case .published(let key, _): key.thumbprint
        case .secret: ""
        }
    }

    /// A description for the report of a verification.
    var report: String {
        switch self {
        case .published(let key, _): "\(key.keyID.map { quoted($0) } ?? "the only matching key"), \(key)"
        case .secret(let secret): secret.description
        }
    }
}

extension CompactJWS {
    /// Returns whether the signature is valid.
    func isSigned(by key: TokenKey) -> Bool {
        switch key {
        case .published(let key, let algorithm): isSigned(by: key, algorithm: algorithm)
        case .secret(let secret): isSigned(with: secret)
        }
    }

    /// Returns the refusal of a token without a valid signature.
    func invalidSignature(by key: TokenKey) -> TokenRefusal {
        switch key {
        case .published(let key, let algorithm): invalidSignature(by: key, algorithm: algorithm)
        case .secret(let secret): invalidSignature(with: secret)
        }
    }
}
