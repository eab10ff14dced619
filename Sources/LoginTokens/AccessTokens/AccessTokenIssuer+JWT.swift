// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// Authorization servers whose access tokens are JWTs, but do not follow RFC 9068.
extension AccessTokenIssuer {
    /// A claim that separates the access tokens of an issuer from its other tokens, if `typ` does not.
    public enum Mark: Sendable, Hashable {
        /// A claim that every access token has, and no other token of the issuer; for example `scp`.
        ///
        /// One that is `null`, `false`, blank or empty counts as missing.
        case claim(String)
        /// A claim with one of these values in every access token, and in no other token of the issuer; for example
        /// `token_use` with `access`.
        case value(claim: String, [String])
    }

    /// Returns an authorization server whose access tokens are JWTs with `typ` `JWT`, or without `typ`.
    ///
    /// Its tokens are required to have the issuer, a subject, the audience, an expiry, the client if one is named, and the
    /// mark. These show another kind of token, which is refused with `token-type`:
    ///
    /// - `nonce`, `at_hash` or `c_hash`: an ID token (OpenID Connect Core §2, §3.3.2.11)
    /// - `events`: a logout token or another event (RFC 8417 §2.2)
    /// - the name of another kind in `typ`, `token_use` or `token_type`, for example `refresh_token`
    ///
    /// `token_use` is also required to be a string.
    ///
    /// A token whose client is also its audience, whether `clientClaim`, `client_id` or `azp` names it, is refused with
    /// `audience`, as an ID token has one (OpenID Connect Core §2): an API needs an identifier of its own.
    ///
    /// ```swift
    /// let issuer = try AccessTokenIssuer.jwt(issuers: ["https://login.example"], mark: .claim("scp"), scopeClaim: "scp")
    /// ```
    ///
    /// - Parameters:
    ///   - issuers: The spellings of the issuer in its tokens.
    ///   - mark: What separates its access tokens from its other tokens.
    ///   - clientClaim: The claim that names the client; nil if tokens name none.
    ///   - scopeClaim: The claim that contains the scopes: a string separated by spaces, or an array.
    /// - Returns: The issuer. Its keys are found by discovery.
    /// - Throws: ``PolicyError`` if the mark is empty, or a claim that OpenID Connect defines for ID tokens, such as `azp`
    ///   or `auth_time`.
    public static func jwt(
        issuers: [String],
        mark: Mark,
        clientClaim: String? = "client_id",
        scopeClaim: String = "scope"
    ) throws(PolicyError) -> AccessTokenIssuer {
        try PolicyError.check(
            required: ["scope claim": [scopeClaim]],
            optional: ["client claim": clientClaim.map { [$0] } ?? []]
        )
        var issuer = AccessTokenIssuer(.openID(issuers: issuers)).unmarked()
        issuer.requiresIssuedAt = false
        issuer.acceptsClientAsAudience = false
        issuer.clientClaims = clientClaim.map { [$0] } ?? []
        issuer.requiresClient = clientClaim != nil
        issuer.scopes = .stringOrArray(scopeClaim)
        issuer.requiredClaims = []
        switch mark {
        case .claim(let name): issuer.requiredClaims = [try separating(name)]
        case .value(let name, let values): issuer.marks = [try separating(name): values]
        }
        return issuer
    }

    /// Returns the name of a claim that can separate access tokens from ID tokens.
    private static func separating(_ name: String) throws(PolicyError) -> String {
        guard !name.isEmpty else { throw PolicyError("mark: the name of the claim is empty") }
        guard !claimsOfIDTokens.contains(where: { isEqual($0, name) }) else {
            throw PolicyError("mark: \(quoted(name)) is a claim of ID tokens too, and separates nothing")
        }
        return name
    }

    /// The claims that ID tokens and logout tokens may have: those of RFC 7519 §4.1, of OpenID Connect Core §2, §3.3.2.11,
    /// §5.1, §5.6.2 and §7.4, of Back-Channel Logout §2.4, and of RFC 7800.
    private static let claimsOfIDTokens = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash",
        "s_hash", "sub_jwk", "sid", "events", "cnf", "name", "given_name", "family_name", "middle_name", "nickname",
        "preferred_username", "profile", "picture", "website", "email", "email_verified", "gender", "birthdate",
        "zoneinfo", "locale", "phone_number", "phone_number_verified", "address", "updated_at", "_claim_names",
        "_claim_sources",
    ]
}

extension AccessTokenIssuer {
    /// Returns the issuer that a command or a configuration describes in texts.
    ///
    /// - Parameters:
    ///   - url: The issuer.
    ///   - mark: The mark, as ``Mark/init(_:)`` reads it.
    ///   - clientClaim: The claim that names the client; `none` if tokens name none, nil for the default.
    ///   - scopeClaim: The claim that contains the scopes; nil for the default.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if a text is invalid.
    package static func jwt(
        _ url: String,
        mark: String,
        clientClaim: String?,
        scopeClaim: String?
    ) throws(PolicyError) -> AccessTokenIssuer {
        let client = clientClaim ?? "client_id"
        return try jwt(
            issuers: [url],
            mark: Mark(mark),
            clientClaim: client == "none" ? nil : client,
            scopeClaim: scopeClaim ?? "scope"
        )
    }
}

extension AccessTokenIssuer.Mark {
    /// Reads a mark as a command or a configuration states it.
    ///
    /// - Parameter text: The name of a claim, or `claim=value`. The name ends at the first equals sign.
    /// - Throws: ``PolicyError`` if the name or the value is empty.
    package init(_ text: String) throws(PolicyError) {
        guard text.contains("=") else {
            self = .claim(text)
            return
        }
        guard let (name, values) = try AccessTokenPolicy.requiredValues([text]).first else {
            throw PolicyError("mark: \(quoted(text)) is empty")
        }
        self = .value(claim: name, values)
    }
}
