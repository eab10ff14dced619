// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The checks of an access token.
extension AccessTokenPolicy: TokenRules {
    static var kind: TokenKind { .accessToken }

    /// Returns true: clients send an access token with many requests.
    func isCacheable(_: Void) -> Bool { true }

    /// Parses a token and makes the checks that precede the key lookup: type, algorithm, issuer and audience.
    func candidate(
        _ text: String,
        expectations _: Void,
        knownHeaders: KnownHeaders,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Candidate {
        let jws = try CompactJWS(text, limits: limits, knownHeaders: knownHeaders, log: &log)

        try jws.header.checkType(issuer.types, required: issuer.requiresType)
        log.pass(.tokenType, jws.header.type.map { quoted($0) } ?? "typ is absent")

        let method = try signatures.method(of: jws.header)
        log.pass(.algorithm, method.name)

        let claims = try Claims(jws.payload)
        try checkMarks(claims, isMarked: jws.header.isAccessToken)
        log.pass(.payload, "a JSON object with \(claims.names.count) claims")

        let accepted = try issuer.provider.checkIssuer(claims)
        log.pass(.issuer, quoted(accepted.name))

        let audience = try checkAudience(claims)
        log.pass(.audience, quoted(audience))

        return try Candidate(
            jws,
            of: issuer.provider,
            method: method,
            claims: claims,
            issuer: accepted,
            audience: audience
        )
    }

    /// Checks the claims of a token with a valid signature.
    func verified(
        _ token: ProvenToken,
        expectations _: Void,
        clock: any WallClock,
        log: inout CheckLog
    ) throws(TokenRefusal) -> VerifiedAccessToken {
        let now = clock.now.timeIntervalSince1970
        let claims = token.content.claims
        try checkRequiredClaims(claims, log: &log)

        let scopes = try checkTypes(claims)
        let times = try claims.times(requiresIssuedAt: requiresIssuedAt)
        log.pass(.claimTypes, "all types are valid")

        try checkValues(claims, log: &log)

        let client = issuer.client(in: claims)
        try checkClient(client)
        log.pass(.authorizedParty, client.map { quoted($0.id) } ?? "no client is named")

        try checkSubject(claims)
        log.pass(.subject, fingerprint(claims.subject ?? ""))

        try self.times.checkValidity(times, now: now, log: &log)
        try self.times.checkAge(times, now: now)
        if let maximumAge = self.times.maximumAge {
            log.pass(.age, "at most \(TimeRules.span(maximumAge))")
        } else {
            log.skip(.age, "no maximum age is set")
        }

        try checkScopes(scopes)
        if requiredScopes.isEmpty {
            log.skip(.scope, "not required")
        } else {
            log.pass(.scope, quoted(requiredScopes))
        }
        return VerifiedAccessToken(token.content, issuer: issuer, clientID: client?.id, scopes: scopes)
    }

    /// Refuses tokens that a claim identifies as another kind of token, whatever their `typ`.
    ///
    /// Security event tokens have `events` (RFC 8417 §2.2). Only ID tokens contain the hash of an access token or of an
    /// authorization code (OpenID Connect Core §3.3.2.11). A nonce ties an ID token to a sign-in (§2); some issuers copy it
    /// to the access token. Servers that write no `typ` in the header may name the kind of a token in a claim.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - isMarked: Whether `typ` or the source of the claims shows an access token.
    /// - Throws: ``TokenRefusal`` with the code `token-type` or `confirmation-unsupported`.
    func checkMarks(_ claims: Claims, isMarked: Bool) throws(TokenRefusal) {
        for claim in [StandardClaim.events, .atHash, .cHash, .nonce] where claims.has(claim) {
            guard claim != .nonce || !(isMarked || issuer.copiesNonce) else { continue }
            let name = claim.rawValue
            throw TokenRefusal(.tokenType, "the claim \(name) belongs to another kind of token", member: name)
        }
        if !isMarked { try Self.refuseOtherKinds(claims) }
        for (name, accepted) in marks {
            guard let value = claims[name], value.isString(among: accepted) else {
                let seen = claims[name].map { quoted($0) } ?? "missing"
                throw TokenRefusal(
                    .tokenType,
                    "\(name) is \(seen), expected \(quoted(accepted))",
                    member: name
                )
            }
        }
        try checkBinding(claims)
    }

    private static func refuseOtherKinds(_ claims: Claims) throws(TokenRefusal) {
        if let use = claims[.tokenUse], use.kind != .string {
            throw TokenRefusal(.tokenType, "token_use is not a string", member: "token_use")
        }
        try claims.refuseKinds { !$0.isAccess }
    }

    /// Refuses a DPoP token that names no key, which would otherwise pass as a bearer token.
    ///
    /// The type is the claim `typ` at Keycloak, and `token_type` in the answer of an introspection endpoint (RFC 7662
    /// §2.2). Both the token and the answer then contain the thumbprint of the key (RFC 9449 §6.1, §6.2).
    private func checkBinding(_ claims: Claims) throws(TokenRefusal) {
        guard claims["cnf"]?["jkt"] == nil else { return }
        for claim in ClaimedTokenKind.claims
        where claims[claim].map(ClaimedTokenKind.kinds)?.contains(.dpop) == true {
            let detail = "\(claim.rawValue) is DPoP, but cnf.jkt is missing"
            throw TokenRefusal(.confirmationUnsupported, detail, member: "cnf")
        }
    }

    /// Checks that the audience contains this API (RFC 9068 §4).
    ///
    /// Others may be named too, for example the user info endpoint.
    func checkAudience(_ claims: Claims) throws(TokenRefusal) -> String {
        let name = issuer.audienceClaims.first { claims[$0] != nil } ?? issuer.audienceClaims.first ?? "aud"
        guard let value = claims.value(of: name) else { throw TokenRefusal.missing(name) }
        guard let seen = value.strings else {
            throw TokenRefusal(.claimType, "\(name) is neither a string nor an array of strings", member: name)
        }
        guard let audience = audiences.first(where: { ours in seen.contains { $0.isString(ours) } }) else {
            let expected = audiences
            throw TokenRefusal(
                .audience,
                "\(name) is \(quoted(seen.compactMap(\.string))), expected one of \(quoted(expected))",
                member: name
            )
        }
        if !issuer.acceptsClientAsAudience,
            let client = (issuer.clientClaims + ["azp", "client_id"]).first(where: {
                claims[$0]?.isString(audience) == true
            })
        {
            let detail = "\(quoted(audience)) is also the client, \(client), as in an ID token"
            throw TokenRefusal(.audience, detail, member: name)
        }
        return audience
    }

    private func checkRequiredClaims(_ claims: Claims, log: inout CheckLog) throws(TokenRefusal) {
        try claims.require(.sub)
        try claims.require(.exp)
        if requiresIssuedAt { try claims.require(.iat) }
        try claims.require(requiredClaims)
        // These separate access tokens from others, and one that says nothing separates none.
        for name in issuer.requiredClaims where claims.value(of: name)?.isEmpty == true {
            throw TokenRefusal.missing(name)
        }
        if issuer.requiresClient { try claims.require([issuer.clientClaim(of: claims)]) }
        log.pass(.requiredClaims, requiredClaimNames)
    }

    /// The required claims, for the report.
    private var requiredClaimNames: String {
        let client = issuer.requiresClient ? issuer.clientClaims.prefix(1) : []
        let issuedAt = requiresIssuedAt ? ["iat"] : []
        return (["iss", "sub", "exp"] + issuedAt + requiredClaims + client).joined(separator: ", ")
    }

    /// Whether a token needs `iat`.
    private var requiresIssuedAt: Bool { issuer.requiresIssuedAt || times.maximumAge != nil }

    /// Checks the types of the claims that the policy or the issuer uses, except the times.
    ///
    /// A claim of the wrong type is not treated as absent. One that nothing uses is not checked, and the result has no
    /// value for it.
    ///
    /// - Returns: The scopes.
    func checkTypes(_ claims: Claims) throws(TokenRefusal) -> ScopeList {
        if claims.kind(.sub) != .null { try claims.requireStringIfPresent(.sub) }
        try claims.checkTypes(of: requiredClaims)
        let client = issuer.clientClaim(of: claims)
        if issuer.requiresClient || !allowedClients.isEmpty, let value = claims.value(of: client), value.kind != .string
        {
            throw TokenRefusal(.claimType, "\(client) is not a string", member: client)
        }
        for case let name? in [issuer.rolesClaim, issuer.groupsClaim, issuer.entitlementsClaim]
        where requiredClaims.contains(name) {
            try claims.requireAttributes(name)
        }
        return try scopes(of: claims)
    }

    /// Returns the scopes of a token.
    ///
    /// A token without the claim has none, nor has one whose claim has another form if nothing requires scopes.
    func scopes(of claims: Claims) throws(TokenRefusal) -> ScopeList {
        guard let scopes = issuer.scopes, let value = claims.value(of: scopes.name) else { return .empty }
        if let found = ScopeList(value, as: scopes) { return found }
        guard !requiredScopes.isEmpty || requiredClaims.contains(scopes.name) else { return .empty }
        let form =
            switch scopes {
            case .spaceSeparated: "a string of scopes separated by spaces"
            case .array: "an array of scopes"
            case .stringOrArray: "a string of scopes separated by spaces, or an array of scopes"
            }
        throw TokenRefusal(.claimType, "\(scopes.name) is not \(form) (RFC 6749, section 3.3)", member: scopes.name)
    }

    func checkValues(_ claims: Claims, log: inout CheckLog) throws(TokenRefusal) {
        guard !values.isEmpty else {
            log.skip(.claimValues, "not required")
            return
        }
        for (name, accepted) in values {
            guard let seen = claims[name]?.strings, seen.contains(where: { $0.isString(among: accepted) }) else {
                // The value may be personal, so it appears in no message.
                let seen = claims.value(of: name) == nil ? "is missing" : "has another value"
                throw TokenRefusal(.claimValue, "\(name) \(seen), expected one of \(quoted(accepted))", member: name)
            }
        }
        log.pass(.claimValues, values.map(\.name).joined(separator: ", "))
    }

    func checkClient(_ client: (claim: String, id: String)?) throws(TokenRefusal) {
        guard !allowedClients.isEmpty else { return }
        let expected = allowedClients
        guard let client else {
            let name = issuer.clientClaims.first ?? "client_id"
            throw TokenRefusal(
                .authorizedParty,
                "\(name) is missing, expected one of \(quoted(expected))",
                member: name
            )
        }
        guard expected.contains(where: { $0.utf8.elementsEqual(client.id.utf8) }) else {
            throw TokenRefusal(
                .authorizedParty,
                "\(client.claim) is \(quoted(client.id)), expected one of \(quoted(expected))",
                member: client.claim
            )
        }
    }

    /// Checks `sub`, which for a client without a user is the client (RFC 9068 §2.2).
    func checkSubject(_ claims: Claims) throws(TokenRefusal) {
        guard let bytes = claims[.sub]?.utf8, (1...Limits.accessTokenSubjectBytes).contains(bytes.count) else {
            let detail = "sub must have 1 to \(Limits.accessTokenSubjectBytes) bytes"
            throw TokenRefusal(.subject, detail, member: "sub")
        }
    }

    func checkScopes(_ scopes: ScopeList) throws(TokenRefusal) {
        let missing = requiredScopes.filter { !scopes.contains($0) }
        guard !missing.isEmpty else { return }
        throw TokenRefusal(
            .insufficientScope,
            "\(quoted(missing)) is missing; the token has \(quoted(scopes.all.sorted()))",
            member: issuer.scopes?.name
        )
    }
}

extension AccessTokenIssuer {
    /// Returns the claim that names the client: the first of ``clientClaims`` that the token contains.
    ///
    /// It counts whatever its value is: where it is malformed, empty or `null`, no later claim replaces it, because that
    /// could name another client.
    fileprivate func clientClaim(of claims: Claims) -> String {
        clientClaims.first { claims[$0] != nil } ?? clientClaims.first ?? "client_id"
    }

    /// Returns the client of a token, and the claim that names it; nil if there is none.
    func client(in claims: Claims) -> (claim: String, id: String)? {
        let name = clientClaim(of: claims)
        guard !clientClaims.isEmpty, let client = claims[name]?.string, !client.isEmpty else { return nil }
        return (name, client)
    }
}
