// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A token whose signature is valid.
///
/// What it says is still to be judged.
///
/// Only ``CompactJWS/verified(with:algorithms:)`` makes one.
public struct VerifiedJWS: Sendable {
    /// The header, now known to be the signer's.
    public let header: JOSEHeader

    /// The signed bytes.
    ///
    /// Of an ID token, its claims as JSON.
    public let payload: [UInt8]

    /// The algorithm the signature was verified by.
    public let algorithm: SignatureAlgorithm

    init(header: JOSEHeader, payload: [UInt8], algorithm: SignatureAlgorithm) {
        self.header = header
        self.payload = payload
        self.algorithm = algorithm
    }
}

extension VerifiedJWS: Redacted {
    /// The algorithm, without the payload.
    public var description: String { "JWS with a valid \(algorithm.rawValue) signature" }
}
