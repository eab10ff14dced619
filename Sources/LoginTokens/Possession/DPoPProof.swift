// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A verified DPoP proof: the sender of the request has the private key, and made the proof for this request.
///
/// Only ``DPoPVerifier`` creates one.
public struct DPoPProof: Sendable {
    /// The thumbprint of the key (RFC 7638, SHA-256) in base64url: the `cnf.jkt` of a token that is bound to it.
    public var keyThumbprint: String { key.thumbprint }

    /// The public key.
    public let key: JSONWebKey

    /// The signature algorithm.
    public let algorithm: SignatureAlgorithm

    /// The time at which the proof was made, by the clock of the client.
    public let issuedAt: Date

    /// The claims.
    public let claims: Claims

    /// Whether the proof was compared with a token that was sent with it (`ath`).
    public let isForToken: Bool
}

extension DPoPProof: Redacted {
    /// The algorithm and the thumbprint of the key.
    public var description: String { "DPoP proof, \(algorithm.rawValue), key \(keyThumbprint), verified" }
}
