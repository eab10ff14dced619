// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token that is genuine, issued for this API, and valid at the time of verification: it met an
/// ``AccessTokenPolicy``.
///
/// Only ``AccessTokenVerifier`` creates one, so a function that takes a `VerifiedAccessToken` need not check it again. If
/// it has a ``confirmation``, that remains to be checked.
public struct VerifiedAccessToken: Sendable {
    /// The provider that issued the token.
    public var provider: Provider { content.provider }

    /// The issuer: one of the policy's, or that of the user's tenant if the provider has tenants.
    public var issuer: String { content.issuer.name }

    /// The user's tenant, if the provider has tenants: at Microsoft the claim `tid`, checked against the issuer.
    public var tenantID: String? { content.issuer.tenantID }

    /// The audience of the policy for which the token was issued.
    public var audience: String { content.audience }

    /// The subject: a user of the issuer, or the client itself if it acts without a user (RFC 9068 §2.2).
    public var subject: String { claims.subject ?? "" }

    /// The client that the token was issued to; nil if the issuer's tokens name none.
    public let clientID: String?

    /// The scopes that the token contains.
    ///
    /// The claim is read on every access.
    public var scopes: Set<String> { scopeList.all }

    /// The user's roles (RFC 9068 §2.2.3.1).
    public var roles: [String] { attributes(form.rolesClaim) }

    /// The user's groups (RFC 9068 §2.2.3.1).
    public var groups: [String] { attributes(form.groupsClaim) }

    /// The user's entitlements (RFC 9068 §2.2.3.1).
    public var entitlements: [String] { attributes(form.entitlementsClaim) }

    /// The time at which the token was issued.
    public var issuedAt: Date { claims.issuedAt ?? .distantPast }

    /// The expiry time of the token.
    public var expiresAt: Date { claims.expiresAt ?? .distantPast }

    /// The time at which the user was authenticated, `auth_time` (RFC 9068 §2.2.1).
    public var authenticatedAt: Date? { claims.authenticatedAt }

    /// The authentication context class, `acr` (RFC 9068 §2.2.1).
    public var authenticationContextClass: String? { claims.authenticationContextClass }

    /// The authentication methods, `amr` (RFC 9068 §2.2.1), for example `pwd` and `otp` (RFC 8176).
    public var authenticationMethods: [String] { claims[.amr]?.attributes ?? [] }

    /// The token ID, `jti`.
    public var tokenID: String? { claims.tokenID }

    /// The key or the certificate that the token is bound to, `cnf` (RFC 7800).
    ///
    /// The verifier does not check it, because it does not see the request. ``DPoPVerifier`` does. Refuse a bound token
    /// whose client proves no possession; otherwise a stolen token can be used.
    public var confirmation: TokenConfirmation { claims.confirmation }

    /// All claims.
    public var claims: Claims { content.claims }

    /// The header and the signed bytes.
    public var jws: VerifiedJWS {
        VerifiedJWS(header: content.header, payload: claims.bytes, algorithm: content.method.keyAlgorithm)
    }

    private let scopeList: ScopeList
    private let content: TokenContent
    private let form: AccessTokenIssuer

    /// Creates a verified token from content that a policy has accepted.
    init(_ content: TokenContent, issuer: AccessTokenIssuer, clientID: String?, scopes: ScopeList) {
        self.content = content
        self.form = issuer
        self.clientID = clientID
        scopeList = scopes
    }

    private func attributes(_ claim: String?) -> [String] {
        claim.flatMap { claims[$0]?.attributes } ?? []
    }

    /// Decodes the claims into a type of your own.
    ///
    /// Names are compared as Swift strings, which treats canonically equivalent Unicode names as equal; ``claims``
    /// compares bytes. Dates are decoded as seconds since 1970, as RFC 7519 specifies. Decoding errors may quote
    /// claims: do not log them.
    ///
    /// - Throws: `DecodingError` if the claims do not match the type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try claims.decode(type)
    }
}

extension VerifiedAccessToken: Redacted {
    /// The issuer and the audience, without personal data.
    public var description: String { "access token of \(quoted(issuer)) for \(quoted(audience)), verified" }
}
