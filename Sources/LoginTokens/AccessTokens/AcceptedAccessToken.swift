// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token that was accepted, in JWT form by its signature or in any form by its issuer's answer.
///
/// A function that takes one works with both: ``TokenIntrospector`` returns it, and ``init(_:)`` converts a
/// ``VerifiedAccessToken``. If it has a ``confirmation``, that remains to be checked.
public struct AcceptedAccessToken: Sendable {
    /// The issuer: one of the policy's, or that of the user's tenant if the provider has tenants; nil if the answer of an
    /// introspection endpoint names none.
    public let issuer: String?

    /// The audience of the policy for which the token was issued; nil if the answer of an introspection endpoint names
    /// none.
    public let audience: String?

    /// The subject: a user of the issuer, or the client itself; nil if the answer of an introspection endpoint names none.
    public let subject: String?

    /// The client that the token was issued to; nil if none is named.
    public let clientID: String?

    /// The scopes of the token.
    public let scopes: Set<String>

    /// The time at which the token was issued; nil if unknown.
    public var issuedAt: Date? { claims.issuedAt }

    /// The expiry time of the token; nil if the answer of an introspection endpoint has none.
    public var expiresAt: Date? { claims.expiresAt }

    /// The token ID, `jti`.
    public var tokenID: String? { claims.tokenID }

    /// The key or the certificate that the token is bound to, `cnf` (RFC 7800, RFC 9449 §6.2, RFC 8705 §3.2).
    ///
    /// Refuse a bound token whose client proves no possession; otherwise a stolen token can be used.
    public var confirmation: TokenConfirmation { claims.confirmation }

    /// The claims of the token, or the members of the answer.
    public let claims: Claims

    /// Creates the same token from a verified one in JWT form.
    public init(_ token: VerifiedAccessToken) {
        self.init(
            token.claims,
            issuer: token.issuer,
            audience: token.audience,
            subject: token.subject,
            clientID: token.clientID,
            scopes: token.scopes
        )
    }

    /// Creates a token from claims that a policy has accepted.
    init(
        _ claims: Claims,
        issuer: String?,
        audience: String?,
        subject: String?,
        clientID: String?,
        scopes: Set<String>
    ) {
        self.claims = claims
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.clientID = clientID
        self.scopes = scopes
    }
}

extension AcceptedAccessToken: Redacted {
    /// The issuer and the audience, without personal data.
    public var description: String {
        let issuer = issuer.map { quoted($0) } ?? "an unnamed issuer"
        return "access token of \(issuer) for \(audience.map { quoted($0) } ?? "an unnamed audience"), accepted"
    }
}
