// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What is particular about one OpenID provider, as data.
public struct Provider: Sendable, Hashable {
    /// A name that stays the same whichever of its issuers a token carries, for example `facebook`.
    ///
    /// Key accounts on it and the subject.
    public let name: String

    /// Each spelling of its issuer that its tokens may carry; compared byte for byte, never normalized.
    public let issuers: [String]

    /// Where it publishes its keys; nil where discovery tells.
    public let keySetURL: String?

    /// Whether its tokens always name their key.
    public let requiresKeyID: Bool

    /// The claims its tokens always have, beyond those of every ID token (`iss`, `sub`, `aud`, `exp`, `iat`).
    public let requiredClaims: [String]

    /// A provider with habits of its own.
    ///
    /// - Parameters:
    ///   - name: A name that stays the same when its issuer does not.
    ///   - issuers: Each spelling of its issuer that its tokens may carry.
    ///   - keySetURL: Where it publishes its keys; nil where discovery tells.
    ///   - requiresKeyID: Whether its tokens always name their key.
    ///   - requiredClaims: The claims its tokens always have, beyond those of every ID token.
    public init(
        name: String,
        issuers: [String],
        keySetURL: String? = nil,
        requiresKeyID: Bool = false,
        requiredClaims: [String] = []
    ) {
        self.name = name
        self.issuers = issuers
        self.keySetURL = keySetURL
        self.requiresKeyID = requiresKeyID
        self.requiredClaims = requiredClaims
    }

    /// Any provider that follows OpenID Connect Core, named after its first issuer.
    ///
    /// - Parameter issuers: Each spelling of its issuer, as in its tokens.
    /// - Returns: A provider without habits of its own.
    public static func openID(issuers: [String]) -> Provider {
        Provider(name: issuers.first ?? "", issuers: issuers)
    }
}

extension Provider {
    /// The same provider, its tokens carrying other issuers: for test vectors and stand-ins.
    package func with(issuers: [String]) -> Provider {
        Provider(
            name: name,
            issuers: issuers,
            keySetURL: keySetURL,
            requiresKeyID: requiresKeyID,
            requiredClaims: requiredClaims
        )
    }
}
