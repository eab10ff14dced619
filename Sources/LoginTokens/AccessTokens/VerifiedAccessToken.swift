// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token that is genuine, issued for this API, and valid at the time of verification: it met a policy.
///
/// ``AccessTokenVerifier`` creates one by the signature of a JWT. A ``TokenIntrospector`` creates one for a
/// ``BearerTokenVerifier``, by the answer of the issuer. A function that takes a `VerifiedAccessToken` need not check it
/// again. If it has a ``confirmation``, that remains to be checked.
public struct VerifiedAccessToken: Sendable {
    /// The provider that issued the token.
    public var provider: Provider { form.provider }

    /// The issuer: one of the policy's, or that of the user's tenant if the provider has tenants.
    ///
    /// If an answer names none, which its policy must allow, it is the first issuer of the policy.
    public var issuer: String {
        switch evidence {
        case .signature(let content): content.issuer.name
        case .answer(_, let issuer, _, _): issuer
        }
    }

    /// The user's tenant, if the provider has tenants: at Microsoft the claim `tid`, checked against the issuer.
    public var tenantID: String? {
        switch evidence {
        case .signature(let content): content.issuer.tenantID
        case .answer: nil
        }
    }

    /// The audience of the policy for which the token was issued.
    ///
    /// If an answer names none, which its policy must allow, it is the first audience of the policy.
    public var audience: String {
        switch evidence {
        case .signature(let content): content.audience
        case .answer(_, _, let audience, _): audience
        }
    }

    /// The subject: a user of the issuer, or the client itself if it acts without a user (RFC 9068 §2.2).
    ///
    /// For an answer it is the first of ``IntrospectionPolicy/subjectMembers`` that the answer contains.
    public var subject: String {
        switch evidence {
        case .signature(let content): content.claims.subject ?? ""
        case .answer(_, _, _, let subject): subject
        }
    }

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

    /// The time at which the token was issued; nil if the policy does not require `iat`, and there is none.
    public var issuedAt: Date? { claims.issuedAt }

    /// The expiry time of the token; nil if an answer has none, which its policy must allow.
    public var expiresAt: Date? { claims.expiresAt }

    /// The time at which the user was authenticated, `auth_time` (RFC 9068 §2.2.1).
    public var authenticatedAt: Date? { claims.authenticatedAt }

    /// The authentication context class, `acr` (RFC 9068 §2.2.1).
    public var authenticationContextClass: String? { claims.authenticationContextClass }

    /// The authentication methods, `amr` (RFC 9068 §2.2.1), for example `pwd` and `otp` (RFC 8176).
    public var authenticationMethods: [String] { claims.authenticationMethods }

    /// The token ID, `jti`.
    public var tokenID: String? { claims.tokenID }

    /// The key or the certificate that the token is bound to, `cnf` (RFC 7800).
    ///
    /// The verifier does not check it, because it does not see the request. ``DPoPVerifier`` does. Refuse a bound token
    /// whose client proves no possession; otherwise a stolen token can be used.
    public var confirmation: TokenConfirmation { claims.confirmation }

    /// All claims, or the members of the answer.
    public var claims: Claims {
        switch evidence {
        case .signature(let content): content.claims
        case .answer(let members, _, _, _): members
        }
    }

    /// The header and the signed bytes; nil for a token that was accepted by an answer.
    public var jws: VerifiedJWS? {
        guard case .signature(let content) = evidence else { return nil }
        return VerifiedJWS(header: content.header, payload: claims.bytes, algorithm: content.method.keyAlgorithm)
    }

    /// The evidence that the token is genuine.
    private enum Evidence: Sendable {
        case signature(TokenContent)
        case answer(Claims, issuer: String, audience: String, subject: String)
    }

    private let evidence: Evidence
    private let scopeList: ScopeList
    private let form: AccessTokenIssuer

    /// Creates a verified token from content that a policy has accepted.
    init(_ content: TokenContent, issuer: AccessTokenIssuer, clientID: String?, scopes: ScopeList) {
        evidence = .signature(content)
        form = issuer
        self.clientID = clientID
        scopeList = scopes
    }

    /// Creates a verified token from an answer that a policy has accepted.
    ///
    /// - Throws: ``TokenRefusal`` with the code `missing-claim` if the answer names no subject.
    init(_ token: AcceptedAccessToken, by policy: AccessTokenPolicy) throws(TokenRefusal) {
        guard let subject = token.subject else { throw TokenRefusal.missing("sub") }
        evidence = .answer(
            token.claims,
            issuer: token.issuer ?? policy.issuer.provider.issuers[0],
            audience: token.audience ?? policy.audiences[0],
            subject: subject
        )
        form = policy.issuer
        clientID = token.clientID
        scopeList = try policy.scopes(of: token.claims)
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
