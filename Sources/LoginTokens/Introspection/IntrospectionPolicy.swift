// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The requirements that the answer of an introspection endpoint must meet for its token to be accepted.
///
/// Issuer and audiences have no default, because an API that does not check them accepts tokens issued for others. The
/// checks are those of ``AccessTokenPolicy`` as far as they apply, with the same codes.
///
/// RFC 7662 §2.2 requires only `active` in an answer. This policy requires more, unless the member is optional:
/// `iss`, `aud`, `sub`, `client_id`, `iat` and `exp`. Without `aud`, nothing in the answer shows that the token was issued
/// for this API.
public struct IntrospectionPolicy: Sendable {
    /// A member of an answer that is required unless it is made optional.
    public enum Member: String, Sendable, Hashable, CaseIterable {
        /// `iss`, which an endpoint may omit because it answers for one issuer.
        case issuer = "iss"
        /// `aud`; make it optional only if the endpoint answers only about tokens for this API.
        case audience = "aud"
        /// `sub`, or the other ``IntrospectionPolicy/subjectMembers``, which may be missing for a client without a user.
        ///
        /// A ``BearerTokenVerifier``, such as that of a route, refuses a token without a subject in any case.
        case subject = "sub"
        /// `client_id`.
        case client = "client_id"
        /// `iat`, which a maximum age needs.
        case issuedAt = "iat"
        /// `exp`; without it, only the endpoint ends the token.
        case expiry = "exp"
    }

    /// The accepted spellings of the issuer, compared byte for byte.
    public var issuers: [String] { tokens.issuer.provider.issuers }

    /// The identifiers of this API at the issuer.
    public var audiences: [String] { tokens.audiences }

    /// The scopes that a token must have, all of them.
    public var requiredScopes: [String] { tokens.requiredScopes }

    /// The client IDs of the clients that may call this API; empty to accept any client of the issuer.
    public var allowedClients: [String] { tokens.allowedClients }

    /// The members that must have one of the given values, by name.
    public var requiredValues: [String: [String]] { tokens.requiredValues }

    /// The members that an answer may omit; one that is `null` is omitted.
    public let optionalMembers: Set<Member>

    /// The members that name the subject; the first that an answer contains counts.
    public let subjectMembers: [String]

    /// The accepted values of `token_type`, compared case-insensitively; an answer may omit it.
    public let tokenTypes: [String]

    /// The leeway for clock skew between the issuer and this machine.
    public var leeway: Duration { tokens.leeway }

    /// The maximum time since the token was issued, `iat`; nil for no limit before the token expires.
    public var maximumAge: Duration? { tokens.maximumAge }

    /// The maximum sizes of a token; an answer has at most the size of a token.
    public var limits: TokenLimits { tokens.limits }

    /// The checks that answers share with access tokens in JWT form.
    let tokens: AccessTokenPolicy

    /// Creates a policy for the tokens of one issuer.
    ///
    /// - Parameters:
    ///   - issuers: The accepted spellings of the issuer; at least one.
    ///   - audiences: The identifiers of this API at the issuer; at least one.
    ///   - requiredScopes: The scopes that a token must have, all of them.
    ///   - allowedClients: The client IDs of the clients that may call this API; empty to accept any.
    ///   - requiredValues: The accepted values of other members, by name; for example `["token_use": ["access_token"]]`.
    ///   - optionalMembers: The members that an answer may omit.
    ///   - subjectMembers: The members that name the subject, at least one. With `client_id` after `sub`, a client without
    ///     a user is the subject itself: only if no user can have the ID of a client. With `username`, the name must never
    ///     pass from one user to another.
    ///   - tokenTypes: The accepted values of `token_type`; at least one.
    ///   - leeway: The leeway for `exp`, `nbf`, `iat` and the age; 0 to 300 seconds.
    ///   - maximumAge: The maximum time since the token was issued, more than zero; nil for no limit before it expires.
    ///   - limits: The maximum sizes of a token; an answer has at most the size of a token.
    /// - Throws: ``PolicyError`` if a list is empty that must not be, a value is an empty string, a duration is out of
    ///   range, a scope is not one of RFC 6749 §3.3, or the maximum age is limited although `iat` is optional.
    public init(
        issuers: [String],
        audiences: [String],
        requiredScopes: [String] = [],
        allowedClients: [String] = [],
        requiredValues: [String: [String]] = [:],
        optionalMembers: Set<Member> = [],
        subjectMembers: [String] = ["sub"],
        tokenTypes: [String] = ["Bearer", "DPoP"],
        leeway: Duration = .seconds(30),
        maximumAge: Duration? = nil,
        limits: TokenLimits = .standard
    ) throws(PolicyError) {
        var issuer = AccessTokenIssuer.rfc9068(issuers: issuers)
        // The members of RFC 7662 §2.2 contain neither these attributes nor a required `jti`.
        issuer.requiredClaims = []
        issuer.requiresClient = !optionalMembers.contains(.client)
        issuer.rolesClaim = nil
        issuer.groupsClaim = nil
        issuer.entitlementsClaim = nil
        try PolicyError.check(required: ["token types": tokenTypes, "subject members": subjectMembers], optional: [:])
        guard maximumAge == nil || !optionalMembers.contains(.issuedAt) else {
            throw PolicyError("maximum age: it needs iat, which is optional")
        }
        tokens = try AccessTokenPolicy(
            issuer: issuer,
            audiences: audiences,
            requiredScopes: requiredScopes,
            allowedClients: allowedClients,
            requiredValues: requiredValues,
            leeway: leeway,
            maximumAge: maximumAge,
            limits: limits
        )
        self.optionalMembers = optionalMembers
        self.subjectMembers = subjectMembers
        self.tokenTypes = tokenTypes
    }
}

extension IntrospectionPolicy: Redacted {
    /// The issuers and the audiences.
    public var description: String {
        "policy for introspected tokens of \(quoted(issuers)) for \(quoted(audiences))"
    }
}

// MARK: The checks

extension IntrospectionPolicy {
    /// Checks the answer about an active token.
    ///
    /// - Parameters:
    ///   - claims: The members of the answer.
    ///   - now: The current time, in seconds since 1970.
    /// - Returns: The accepted token.
    /// - Throws: ``TokenRefusal``
    func accepted(_ claims: Claims, now: Double) throws(TokenRefusal) -> AcceptedAccessToken {
        try refuseOtherKinds(claims)
        try requireMembers(claims)
        let issuer = try claims.value(of: .iss) == nil ? nil : tokens.issuer.provider.checkIssuer(claims).name
        let audience = try claims.value(of: .aud) == nil ? nil : tokens.checkAudience(claims)
        let scopes = try tokens.checkTypes(claims)
        let times = try times(of: claims)

        var log = CheckLog(observer: nil)
        try tokens.checkValues(claims, log: &log)
        let client = tokens.issuer.client(in: claims)
        try tokens.checkClient(client)
        let subject = try subject(of: claims)
        try tokens.times.checkValidity(times, now: now, log: &log)
        try tokens.times.checkAge(times, now: now)
        try tokens.checkScopes(scopes)
        return AcceptedAccessToken(
            claims,
            issuer: issuer,
            audience: audience,
            subject: subject,
            clientID: client?.id,
            scopes: scopes.all
        )
    }

    /// Returns the subject; nil if the answer names none.
    private func subject(of claims: Claims) throws(TokenRefusal) -> String? {
        guard let name = subjectMembers.first(where: { claims.value(of: $0) != nil }), let value = claims[name] else {
            return nil
        }
        guard let subject = value.string else {
            throw TokenRefusal(.claimType, "\(name) is not a string", member: name)
        }
        guard (1...Limits.accessTokenSubjectBytes).contains(subject.utf8.count) else {
            let detail = "\(name) must have 1 to \(Limits.accessTokenSubjectBytes) bytes"
            throw TokenRefusal(.subject, detail, member: name)
        }
        return subject
    }

    /// Refuses answers about another kind of token, which an endpoint may also call active.
    ///
    /// An endpoint may answer about refresh tokens too (RFC 7662 §2.1). Ory Hydra names the kind in `token_use`, and
    /// Keycloak in `typ`.
    private func refuseOtherKinds(_ claims: Claims) throws(TokenRefusal) {
        try tokens.checkMarks(claims, isMarked: true)
        if let use = claims[.tokenUse], ClaimedTokenKind(use)?.isAccess != true {
            throw TokenRefusal(.tokenType, "token_use is \(quoted(use)), not \"access_token\"", member: "token_use")
        }
        try claims.refuseKinds { !$0.isAccess }
        guard let type = claims.value(of: "token_type") else { return }
        guard let seen = type.string.map(Self.lowercased),
            tokenTypes.contains(where: { isEqual(Self.lowercased($0), seen) })
        else {
            let expected = tokenTypes
            throw TokenRefusal(
                .tokenType,
                "token_type is \(quoted(type)), expected one of \(quoted(expected))",
                member: "token_type"
            )
        }
    }

    private func requireMembers(_ claims: Claims) throws(TokenRefusal) {
        for member in Member.allCases where !optionalMembers.contains(member) {
            if member == .subject, subjectMembers.contains(where: { claims.value(of: $0) != nil }) { continue }
            // As in a JWT, an empty client ID counts as missing.
            guard let value = claims.value(of: member.rawValue), member != .client || !value.isString("") else {
                throw TokenRefusal.missing(member.rawValue)
            }
        }
    }

    /// Returns the times of the token; an optional one that is missing restricts nothing.
    private func times(of claims: Claims) throws(TokenRefusal) -> TokenTimes {
        TokenTimes(
            expires: try claims.time(.exp) ?? Limits.numericDate.upperBound,
            issued: try claims.time(.iat),
            notBefore: try claims.time(.nbf)
        )
    }

    /// Returns a text with ASCII letters in lower case; the names of token types are ASCII (RFC 6749 A.13).
    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
