// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A token whose signature is valid, but whose claims are not yet checked.
///
/// Only ``CompactJWS/verified(with:algorithms:)`` and ``CompactJWS/verified(with:)`` create one.
public struct VerifiedJWS: Sendable {
    /// The header, signed by the owner of the key or the secret.
    public let header: JOSEHeader

    /// The signed bytes; for an ID token, its claims as JSON.
    public let payload: [UInt8]

    /// The algorithm by which the signature was verified; nil for a token signed with a ``SharedSecret``, which names its
    /// own.
    public let algorithm: SignatureAlgorithm?

    init(header: JOSEHeader, payload: [UInt8], algorithm: SignatureAlgorithm?) {
        self.header = header
        self.payload = payload
        self.algorithm = algorithm
    }
}

extension VerifiedJWS: Redacted {
    /// The algorithm, without the payload.
    public var description: String { "JWS with a valid \(header.algorithm ?? "") signature" }
}
