// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A signature algorithm of JSON Web Algorithms (RFC 7518 §3).
///
/// There is no case for HMAC, so no public key can be mistaken for a shared secret, and none for `none`: what has no
/// case cannot be allowed.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"

    /// The algorithm with this name, compared by case (RFC 7515 §4.1.1).
    init?(_ name: JSONValue) {
        guard let algorithm = Self.allCases.first(where: { name.isString($0.rawValue) }) else { return nil }
        self = algorithm
    }
}
