// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An ID token that is genuine, meant for this client, and valid at the time of verification: it met a ``TokenPolicy``.
///
/// Only ``TokenVerifier`` creates one, so a function that takes a `VerifiedToken` need not check it again.
public struct VerifiedToken: Sendable {
    /// The provider that issued the token.
    ///
    /// A provider may have several spellings of its issuer, but only one ``Provider/name``.
    public var provider: Provider { content.provider }

    /// The issuer: one of the policy's, or that of the user's tenant if the provider has tenants.
    public var issuer: String { content.issuer.name }

    /// The user's tenant, if the provider has tenants: at Microsoft the claim `tid`, checked against the issuer.
    public var tenantID: String? { content.issuer.tenantID }

    /// The audience of the policy for which the token was issued.
    public var audience: String { content.audience }

    /// The subject.
    ///
    /// The name of the ``provider``, the ``tenantID`` if there is one, and the subject together identify a user. An
    /// e-mail address does not, and the issuer may change its spelling.
    public var subject: String { claims.subject ?? "" }

    /// The time at which the token was issued.
    public var issuedAt: Date { claims.issuedAt ?? .distantPast }

    /// The expiry time of the token.
    public var expiresAt: Date { claims.expiresAt ?? .distantPast }

    /// The method by which the nonce was checked.
    public let nonceCheck: NonceCheck

    /// All claims.
    public var claims: Claims { content.claims }

    /// The header and the signed bytes.
    public var jws: VerifiedJWS {
        VerifiedJWS(header: content.header, payload: claims.bytes, algorithm: content.method.keyAlgorithm)
    }

    private let content: TokenContent

    /// Creates a verified token from content that a policy has accepted.
    init(_ content: TokenContent, nonceCheck: NonceCheck) {
        self.content = content
        self.nonceCheck = nonceCheck
    }

    /// Returns a Boolean claim; nil if it is missing or not a Boolean.
    ///
    /// Many providers write `email_verified` and `phone_number_verified` as strings: at Amazon Cognito and Apple, `"true"`
    /// is as frequent as `true`. The strings `"true"` and `"false"` are accepted for these two claims (OpenID Connect Core
    /// §5.1), and for those in ``Provider/stringBooleans``.
    public func boolean(_ claim: String) -> Bool? { claims.boolean(claim, of: provider) }

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

extension VerifiedToken: Redacted {
    /// The issuer and the audience, without personal data.
    public var description: String { "ID token of \(quoted(issuer)) for \(quoted(audience)), verified" }
}
