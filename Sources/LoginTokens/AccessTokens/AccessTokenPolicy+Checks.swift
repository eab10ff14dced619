// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

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
        let jws = try CompactJWS(text, knownHeaders: knownHeaders, log: &log)

        try jws.header.checkType(issuer.types, required: issuer.requiresType)
        log.pass(.tokenType, jws.header.type.map { quoted($0) } ?? "typ is absent")

        let method = try signatures.method(of: jws.header)
        log.pass(.algorithm, method.name)

        let claims = try Claims(jws.payload)
        try checkMarks(claims, isMarked: jws.header.isAccessToken || !marks.isEmpty)
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
        let times = try claims.times()
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
    /// authorization code (OpenID Connect Core §3.3.2.11). A nonce ties an ID token to a sign-in (§2); older versions of
    /// Keycloak copied it to the access token, so it counts only if neither `typ` nor a mark shows an access token.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - isMarked: Whether `typ`, a mark or the source of the claims shows an access token.
    /// - Throws: ``TokenRefusal`` with the code `token-type` or `confirmation-unsupported`.
    func checkMarks(_ claims: Claims, isMarked: Bool) throws(TokenRefusal) {
        for claim in [StandardClaim.events, .atHash, .cHash, .nonce] where claims.has(claim) {
            guard claim != .nonce || !isMarked else { continue }
            let name = claim.rawValue
            throw TokenRefusal(.tokenType, "the claim \(name) belongs to another kind of token", member: name)
        }
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

    /// The claims that may contain the type of the token.
    private static let tokenTypes = ["typ", "token_type"]

    /// Refuses a DPoP token that names no key, which would otherwise pass as a bearer token.
    ///
    /// The type is the claim `typ` at Keycloak, and `token_type` in the answer of an introspection endpoint (RFC 7662
    /// §2.2). Both the token and the answer then contain the thumbprint of the key (RFC 9449 §6.1, §6.2).
    private func checkBinding(_ claims: Claims) throws(TokenRefusal) {
        guard claims["cnf"]?["jkt"] == nil else { return }
        for name in Self.tokenTypes where claims[name]?.string?.lowercased() == "dpop" {
            throw TokenRefusal(.confirmationUnsupported, "\(name) is DPoP, but cnf.jkt is missing", member: "cnf")
        }
    }

    /// Checks that the audience contains this API (RFC 9068 §4).
    ///
    /// Others may be named too, for example the user info endpoint.
    func checkAudience(_ claims: Claims) throws(TokenRefusal) -> String {
        guard let name = issuer.audienceClaims.first(where: { claims[$0] != nil }), let value = claims[name] else {
            throw TokenRefusal.missing(issuer.audienceClaims.first ?? "aud")
        }
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
        return audience
    }

    private func checkRequiredClaims(_ claims: Claims, log: inout CheckLog) throws(TokenRefusal) {
        try claims.require(.sub)
        try claims.require(.exp)
        try claims.require(.iat)
        for name in requiredClaims {
            // An empty ID counts as missing.
            guard let value = claims[name], !value.isString("") else { throw TokenRefusal.missing(name) }
        }
        if issuer.requiresClient, !issuer.clientClaims.contains(where: { claims[$0]?.isString("") == false }) {
            throw TokenRefusal.missing(issuer.clientClaims.first ?? "client_id")
        }
        log.pass(.requiredClaims, requiredClaimNames)
    }

    /// The required claims, for the report.
    private var requiredClaimNames: String {
        let client = issuer.requiresClient ? issuer.clientClaims.prefix(1) : []
        return (["iss", "sub", "exp", "iat"] + requiredClaims + client).joined(separator: ", ")
    }

    /// Checks the types of all claims that the result exposes, except the times; a claim of the wrong type is not treated
    /// as absent.
    ///
    /// - Returns: The scopes.
    func checkTypes(_ claims: Claims) throws(TokenRefusal) -> ScopeList {
        try claims.requireStringIfPresent(.sub)
        try claims.requireStringIfPresent(.jti)
        try claims.requireStringIfPresent(.acr)
        for name in issuer.clientClaims {
            guard let value = claims[name], value.kind != .string else { continue }
            throw TokenRefusal(.claimType, "\(name) is not a string", member: name)
        }
        let scopes = try issuer.scopes(in: claims)
        for case let name? in [issuer.rolesClaim, issuer.groupsClaim, issuer.entitlementsClaim] {
            guard let value = claims[name], !value.isAttributeList else { continue }
            throw TokenRefusal(.claimType, "\(name) is not an array of strings", member: name)
        }
        if let methods = claims[.amr], !methods.isAttributeList {
            throw TokenRefusal(.claimType, "amr is not an array of strings", member: "amr")
        }
        if claims.has(.authTime), claims.seconds(.authTime) == nil {
            let detail = "auth_time is not a number of seconds in the years 1970 to 9999"
            throw TokenRefusal(.claimType, detail, member: "auth_time")
        }
        return scopes
    }

    func checkValues(_ claims: Claims, log: inout CheckLog) throws(TokenRefusal) {
        guard !values.isEmpty else {
            log.skip(.claimValues, "not required")
            return
        }
        for (name, accepted) in values {
            guard let seen = claims[name]?.strings, seen.contains(where: { $0.isString(among: accepted) }) else {
                // The value may be personal, so it appears in no message.
                let seen = claims[name] == nil ? "is missing" : "has another value"
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
    /// Returns the client of a token, and the claim that names it; nil if there is none.
    func client(in claims: Claims) -> (claim: String, id: String)? {
        for name in clientClaims {
            if let client = claims[name]?.string, !client.isEmpty { return (name, client) }
        }
        return nil
    }

    /// Returns the scopes of a token; a token without the claim has none.
    fileprivate func scopes(in claims: Claims) throws(TokenRefusal) -> ScopeList {
        guard let scopes, let value = claims[scopes.name] else { return .empty }
        guard let found = ScopeList(value, as: scopes) else {
            let form =
                switch scopes {
                case .spaceSeparated: "a string of scopes separated by spaces"
                case .array: "an array of scopes"
                }
            throw TokenRefusal(.claimType, "\(scopes.name) is not \(form) (RFC 6749, section 3.3)", member: scopes.name)
        }
        return found
    }
}

extension JSONValue {
    /// The elements of a multi-valued attribute: strings, or objects with the member `value` (RFC 7643 §2.4) or `method`;
    /// nil for any other value.
    var attributes: [String]? {
        guard let elements else { return nil }
        let texts = elements.compactMap { $0.string ?? $0["value"]?.string ?? $0["method"]?.string }
        return texts.count == elements.count ? texts : nil
    }

    /// Whether ``attributes`` is not nil.
    fileprivate var isAttributeList: Bool {
        isArray { $0.kind == .string || $0["value"]?.kind == .string || $0["method"]?.kind == .string }
    }
}
