// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Access tokens in the form of any issuer.
///
/// ```swift
/// let auth0 = try AccessTokenIssuer.auth0(domain: "example.eu.auth0.com")
/// let issuer = TestIssuer(accessTokensOf: auth0, audience: "https://orders.example")
/// let good = issuer.accessToken(auth0, scopes: ["orders:read"])
/// let expired = issuer.accessToken(auth0) { $0.claims["exp"] = 1 }
/// ```
extension TestIssuer {
    /// Creates an issuer of access tokens.
    ///
    /// - Parameters:
    ///   - issuer: The issuer to emulate.
    ///   - audience: The identifier of the API for which tokens are issued.
    ///   - clock: The clock used for the times in tokens.
    ///   - key: The signing key.
    public init(
        accessTokensOf issuer: AccessTokenIssuer,
        audience: String,
        clock: ManualClock = ManualClock(),
        key: TestKey = .shared
    ) {
        self.init(provider: issuer.provider, audience: audience, clock: clock, key: key)
    }

    /// Returns a valid access token: issued a minute ago, valid for an hour in total, for a made-up user and client.
    ///
    /// - Parameters:
    ///   - form: The form of the token; nil for that of RFC 9068.
    ///   - scopes: The scopes of the token.
    ///   - client: The client ID, if tokens of this form name a client.
    /// - Returns: The token in its compact serialization.
    public func accessToken(
        _ form: AccessTokenIssuer? = nil,
        scopes: [String] = [],
        client: String = "client-app"
    ) -> String {
        accessToken(form, scopes: scopes, client: client) { _ in }
    }

    /// Returns a modified access token.
    ///
    /// - Parameters:
    ///   - form: The form of the token; nil for that of RFC 9068.
    ///   - scopes: The scopes of the token.
    ///   - client: The client ID, if tokens of this form name a client.
    ///   - change: A closure that modifies the token before it is signed.
    /// - Returns: The token in its compact serialization.
    /// - Throws: Rethrows errors of `change`.
    public func accessToken<Failure: Error>(
        _ form: AccessTokenIssuer? = nil,
        scopes: [String] = [],
        client: String = "client-app",
        _ change: (inout TestToken) throws(Failure) -> Void
    ) throws(Failure) -> String {
        let form = form ?? AccessTokenIssuer(provider)
        return try token { (token) throws(Failure) in
            token.header["typ"] = form.requiresType ? form.types.first.map { .string($0) } : nil
            for claim in form.requiredClaims where token.claims[claim] == nil {
                token.claims[claim] = claim == "auth_time" ? token.claims["iat"] : .string("made-up-\(claim)")
            }
            for (claim, values) in form.marks.merging(form.requiredValues, uniquingKeysWith: { $1 }) {
                token.claims[claim] = values.first.map { .string($0) }
            }
            if let claim = form.clientClaims.first { token.claims[claim] = .string(client) }
            token.claims["aud"] = nil
            if let claim = form.audienceClaims.last { token.claims[claim] = .string(audience) }
            switch form.scopes {
            case .spaceSeparated(let claim)?: token.claims[claim] = .string(scopes.joined(separator: " "))
            case .array(let claim)?, .stringOrArray(let claim)?:
                token.claims[claim] = .array(scopes.map { .string($0) })
            case nil: break
            }
            try change(&token)
        }
    }
}
