// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The audiences that an ID token may name beside the client ID (OpenID Connect Core §3.1.3.7, step 3).
///
/// Some providers name all clients of a project in `aud`, and the project itself. The claim `azp` then names the client
/// that requested the token. It is required if `aud` has several values, and must be an accepted client ID: the token
/// of another client of the project is refused, although it also names this one.
///
/// ```swift
/// let policy = try TokenPolicy(provider: corp, audiences: ["web"], trustedAudiences: ["project-1", "app"])
/// ```
public enum TrustedAudiences: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// These audiences; none if the list is empty.
    case listed([String])
    /// Any other audience.
    ///
    /// `azp` must then be one of ``TokenPolicy/audiences``; ``TokenPolicy/authorizedParties`` do not suffice.
    case any

    /// Creates a list of trusted audiences.
    public init(arrayLiteral names: String...) { self = .listed(names) }

    /// The listed audiences; empty if any audience is trusted.
    var names: [String] {
        switch self {
        case .listed(let names): names
        case .any: []
        }
    }

    /// Returns whether an element of `aud` is trusted, compared byte for byte.
    func contain(_ audience: JSONValue) -> Bool {
        switch self {
        case .listed(let names): audience.isString(among: names)
        case .any: true
        }
    }
}
