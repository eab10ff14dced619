// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The signatures that a verifier accepts: of the issuer's keys, or with a shared secret.
///
/// The two have no algorithm in common, so a token cannot choose between them (RFC 8725 §3.1).
enum AcceptedSignatures: Sendable {
    /// Signatures of the issuer's keys, by one of these algorithms.
    case keys([SignatureAlgorithm])
    /// Signatures of the issuer's keys, by one of the algorithms that its metadata lists.
    case listed(any AlgorithmListing)
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
        case .listed(let listing):
            return .key(try header.checkAlgorithm(allowed: listing.known ?? ProviderMetadata.defaultAlgorithms))
        case .secret(let secret):
            try header.checkAlgorithm(of: secret)
            return .secret(secret)
        }
    }

    /// Returns whether a token that was accepted before is signed in a way that is still accepted.
    ///
    /// Only a listing can change.
    func accepts(_ method: SignatureMethod) -> Bool {
        guard case .listed(let listing) = self, let algorithm = method.keyAlgorithm else { return true }
        return (listing.known ?? ProviderMetadata.defaultAlgorithms).contains(algorithm)
    }
}

/// The algorithms of ID tokens that a provider's metadata lists, which may not be known yet.
package protocol AlgorithmListing: Sendable {
    /// The listed algorithms that are supported, as ``ProviderMetadata/algorithms`` has them; nil while the metadata is
    /// unknown, in which time only RS256 is accepted.
    var known: [SignatureAlgorithm]? { get }

    /// Waits for the metadata, after which ``known`` has the algorithms.
    ///
    /// Tokens with any algorithm but RS256 can cause this call, so it must limit the requests that it sends.
    ///
    /// - Throws: ``VerificationUnavailable`` if the metadata is unavailable.
    func load() async throws(VerificationUnavailable)
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

/// The keys that may have signed a token: those of its issuer that it may mean, or the shared secret.
enum VerificationKeys: Sendable {
    case published(MatchingKeys, SignatureAlgorithm)
    case secret(SharedSecret)

    /// The way in which a token of these keys is signed.
    var method: SignatureMethod {
        switch self {
        case .published(_, let algorithm): .key(algorithm)
        case .secret(let secret): .secret(secret)
        }
    }

    /// The number of different keys.
    var count: Int {
        switch self {
        case .published(let keys, _): keys.count
        case .secret: 1
        }
    }

    /// The length of a signature; nil if several keys may differ in it.
    var signatureByteCount: Int? {
        switch self {
        case .published(let keys, _): keys.count == 1 ? keys.first.signatureByteCount : nil
        case .secret(let secret): secret.algorithm.digest.byteCount
        }
    }

    /// The thumbprint of the first key, by which a replaced one is recognized; empty for a secret, of which a verifier
    /// has one.
    var thumbprint: String {
        switch self {
        case .published(let keys, _): keys.first.thumbprint
        case .secret: ""
        }
    }

    /// Returns whether one of the keys has this thumbprint.
    func contains(thumbprint: String) -> Bool {
        switch self {
        case .published(let keys, _): keys.contains(thumbprint: thumbprint)
        case .secret: thumbprint.isEmpty
        }
    }

    /// Returns whether all keys of `other`, which the same token may mean, are among these.
    func contains(_ other: Self) -> Bool {
        guard case (.published(let keys, _), .published(let others, _)) = (self, other) else { return true }
        return keys.contains(others)
    }

    /// Returns the one key that has signed a token; nil if none has.
    func signer(of token: CompactJWS) -> Self? {
        switch self {
        case .published(let keys, let algorithm):
            keys.first { token.isSigned(by: $0, algorithm: algorithm) }.map { .published(MatchingKeys($0), algorithm) }
        case .secret(let secret): token.isSigned(with: secret) ? self : nil
        }
    }

    /// Returns a description for the report of a verification: of the signer, or else of the first key.
    func report(signer: Self?) -> String {
        switch signer ?? self {
        case .published(let keys, _):
            let others = count == 1 ? "" : ", one of \(count) with this ID"
            return "\(keys.first.keyID.map { quoted($0) } ?? "the only matching key"), \(keys.first)\(others)"
        case .secret(let secret): return secret.description
        }
    }
}
