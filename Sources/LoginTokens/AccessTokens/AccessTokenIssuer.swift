// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An issuer of access tokens, and the form of its tokens, as data.
///
/// A new value describes an authorization server that follows RFC 9068, the JWT profile for OAuth 2.0 access tokens. The
/// properties state how others differ, and the presets, such as ``auth0(domain:)``, set them.
///
/// ```swift
/// var issuer = AccessTokenIssuer(.openID(issuers: ["https://login.example"]))
/// issuer.types = ["at+jwt", "jwt"]
/// issuer.clientClaims = ["azp"]
/// ```
///
/// RFC 9068 separates access tokens from ID tokens by `typ`. Where ``types`` contains `jwt`, or a token without `typ` is
/// accepted, the required claims and the ``marks`` separate them. Without any of these, only a nonce, a hash of a token or
/// the audience shows an ID token: then an API must not have the client ID of an app as its audience.
/// ``jwt(issuers:mark:clientClaim:scopeClaim:)`` requires a mark, and is the form to begin with for such a server.
public struct AccessTokenIssuer: Sendable, Hashable {
    /// The issuers, the URL of the key set, and the tenants.
    ///
    /// A key cache fetches the keys of this provider. The claims that it requires are required in access tokens too.
    public var provider: Provider

    /// The accepted values of `typ`, in lower case and without `application/`: `at+jwt` (RFC 9068 §4).
    public var types = ["at+jwt"]

    /// Whether a token without `typ` is refused.
    public var requiresType = true

    /// The claims that its tokens always have, in addition to `iss`, `sub`, `exp`, `iat`, the audience and the client:
    /// `jti` (RFC 9068 §2.2).
    ///
    /// One that is `null`, `false`, blank or empty counts as missing.
    public var requiredClaims = ["jti"]

    /// Whether its tokens always have `iat` (RFC 9068 §2.2).
    ///
    /// A maximum age requires it in any case.
    public var requiresIssuedAt = true

    /// The values that mark a token as an access token, by claim; for example `token_use` is `access`.
    ///
    /// A token without the claim, or with another value, is another kind of token.
    public var marks: [String: [String]] = [:]

    /// Whether it copies the `nonce` of the sign-in to access tokens, so that a nonce shows no ID token.
    ///
    /// A nonce is accepted in any case in a token with the `typ` of RFC 9068.
    public var copiesNonce = false

    /// The accepted values of other claims, by claim; for example the owner of a repository.
    public var requiredValues: [String: [String]] = [:]

    /// The claims that name the audience; the first that the token contains counts, whatever its value.
    public var audienceClaims = ["aud"]

    /// Whether a token is accepted whose audience is its client, as that of an ID token is (OpenID Connect Core §2).
    public var acceptsClientAsAudience = true

    /// The claims that name the client; the first that the token contains counts, whatever its value.
    ///
    /// Empty if tokens name no client.
    public var clientClaims = ["client_id"]

    /// Whether its tokens always name a client (RFC 9068 §2.2).
    public var requiresClient = true

    /// The claim that contains the scopes; nil if tokens contain none.
    public var scopes: ScopeClaim? = .spaceSeparated("scope")

    /// The claim that contains the user's roles, an array (RFC 9068 §2.2.3.1); nil if it has another form.
    public var rolesClaim: String? = "roles"

    /// The claim that contains the user's groups, an array (RFC 9068 §2.2.3.1); nil if it has another form.
    public var groupsClaim: String? = "groups"

    /// The claim that contains the user's entitlements, an array (RFC 9068 §2.2.3.1); nil if it has another form.
    public var entitlementsClaim: String? = "entitlements"

    /// The algorithms that its tokens are signed with.
    public var algorithms: Set<SignatureAlgorithm> = [.rs256]

    /// The claim that contains the scopes, and its form.
    public enum ScopeClaim: Sendable, Hashable {
        /// A string of scopes, separated by spaces (RFC 6749 §3.3, RFC 8693 §4.2).
        case spaceSeparated(String)
        /// An array of strings, each of which is a scope.
        case array(String)
        /// Either of the two.
        case stringOrArray(String)
    }

    /// Creates an issuer whose tokens follow RFC 9068.
    ///
    /// - Parameter provider: The issuers, the URL of the key set, and the tenants.
    public init(_ provider: Provider) {
        self.provider = provider
    }

    /// Returns an authorization server that follows RFC 9068, named after its first issuer.
    ///
    /// - Parameter issuers: The spellings of the issuer in its tokens.
    /// - Returns: The issuer. Its keys are found by discovery.
    public static func rfc9068(issuers: [String]) -> AccessTokenIssuer {
        AccessTokenIssuer(.openID(issuers: issuers))
    }
}
