// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An ID token that is genuine, meant for you, and valid now: it met every demand of a ``TokenPolicy``.
///
/// Only ``TokenVerifier`` makes one, so a function that takes a `VerifiedToken` need not ask what was checked.
public struct VerifiedToken: Sendable {
    /// Whose token it is.
    ///
    /// A provider may spell its issuer in several ways, and keeps its ``Provider/name``.
    public var provider: Provider { content.provider }

    /// The issuer: one of the policy's, and where the provider has tenants, that of the person's tenant.
    public var issuer: String { content.issuer.name }

    /// The tenant that the person belongs to, where the provider has tenants: with Microsoft the claim `tid`, compared with the
    /// issuer.
    public var tenantID: String? { content.issuer.tenantID }

    /// Which of the policy's audiences the token is for.
    public var audience: String { content.audience }

    /// Whom the token is about.
    ///
    /// Together with the name of the ``provider``, and the ``tenantID`` where there is one, it identifies a person. An e-mail
    /// address does not, and the issuer may change its spelling.
    public var subject: String { claims.subject ?? "" }

    /// When the token was issued.
    public var issuedAt: Date { claims.issuedAt ?? .distantPast }

    /// When the token ends.
    public var expiresAt: Date { claims.expiresAt ?? .distantPast }

    /// How the nonce was checked.
    public let nonceCheck: NonceCheck

    /// All claims.
    public var claims: Claims { content.claims }

    /// The header and the signed bytes.
    public var jws: VerifiedJWS {
        VerifiedJWS(header: content.header, payload: claims.bytes, algorithm: content.algorithm)
    }

    private let content: TokenContent

    /// What a policy has found acceptable of a proven token.
    init(_ content: TokenContent, nonceCheck: NonceCheck) {
        self.content = content
        self.nonceCheck = nonceCheck
    }

    /// A claim that says yes or no; nil if it is missing or says neither.
    ///
    /// Some providers write some of them as strings: with Apple `email_verified` is `"true"` as often as `true`. What counts
    /// is ``Provider/stringBooleans``; from other providers a string is no answer.
    public func boolean(_ claim: String) -> Bool? {
        guard let value = claims[claim] else { return nil }
        guard provider.stringBooleans.contains(claim) else { return value.boolean }
        return value.isString("true") ? true : value.isString("false") ? false : value.boolean
    }

    /// The claims as a type of your own.
    ///
    /// Names are compared as Swift compares strings, which takes two Unicode spellings of a name for one; ``claims`` compares
    /// bytes. Dates are read as seconds since 1970, as RFC 7519 writes them. The errors of decoding may quote claims: do not log
    /// them.
    ///
    /// - Throws: `DecodingError` if the claims do not fit the type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(type, from: Data(jws.payload))
    }
}

extension VerifiedToken: Redacted {
    /// The issuer and the audience, without personal data.
    public var description: String { "ID token of \(quoted(issuer)) for \(quoted(audience)), verified" }
}
