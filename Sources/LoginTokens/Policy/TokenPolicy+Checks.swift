// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The checks of an ID token.
extension TokenPolicy: TokenRules {
    static var kind: TokenKind { .idToken }

    /// Returns whether the token is not a refreshed one, each of which is presented once.
    func isCacheable(_ expectations: Expectations) -> Bool { expectations.original == nil }

    /// Returns whether a cached token is signed in a way that is still accepted.
    func accepts(_ method: SignatureMethod) -> Bool { signatures.accepts(method) }

    /// Waits for the listing of algorithms if it does not have that of the token: it may be unknown, or old.
    ///
    /// Most tokens have RS256, which every provider supports (OpenID Connect Core §15.1), and wait for nothing.
    func loadAlgorithms(for text: String) async -> VerificationUnavailable? {
        guard case .listed(let listing) = signatures,
            let algorithm = JOSEHeader.algorithm(of: text, limits: limits), !signatures.accepts(.key(algorithm))
        else { return nil }
        do throws(VerificationUnavailable) {
            try await listing.load()
            return nil
        } catch {
            return error
        }
    }

    /// Parses a token and makes the checks that precede the key lookup: type, algorithm, issuer and audience.
    func candidate(
        _ text: String,
        expectations: Expectations,
        knownHeaders: KnownHeaders,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Candidate {
        let jws = try CompactJWS(text, limits: limits, knownHeaders: knownHeaders, log: &log)

        try jws.header.checkType(Self.types, required: requiresType)
        log.pass(.tokenType, jws.header.type.map { quoted($0) } ?? "typ is absent")

        let method = try signatures.method(of: jws.header)
        log.pass(.algorithm, method.name)

        let claims = try Claims(jws.payload)
        try claims.refuseOtherTokens()
        log.pass(.payload, "a JSON object with \(claims.names.count) claims")

        let issuer = try provider.checkIssuer(claims)
        try expectations.original?.checkIssuer(issuer.name)
        log.pass(.issuer, quoted(issuer.name))

        let audience = try checkAudience(claims)
        try expectations.original?.checkAudience(claims)
        log.pass(.audience, quoted(audience))

        return try Candidate(
            jws,
            of: provider,
            method: method,
            claims: claims,
            issuer: issuer,
            audience: audience
        )
    }

    /// Checks the claims of a token with a valid signature.
    func verified(
        _ token: ProvenToken,
        expectations: Expectations,
        clock: any WallClock,
        log: inout CheckLog
    ) throws(TokenRefusal) -> VerifiedToken {
        let now = clock.now.timeIntervalSince1970
        let claims = token.content.claims
        let times = try checkForm(claims, log: &log)
        try checkParties(claims, expectations, log: &log)
        try checkTimes(times, expectations, now: now, log: &log)
        try checkAuthentication(claims, expectations, now: now, log: &log)
        try checkHashes(claims, expectations, digest: token.content.method.digest, log: &log)
        let nonceCheck = try checkNonce(claims, expectations, log: &log)
        return VerifiedToken(token.content, nonceCheck: nonceCheck)
    }

    /// The accepted values of `typ`.
    private static let types = ["jwt"]

    /// Checks first for missing claims, then for claims of the wrong type, which are not treated as absent.
    ///
    /// The type of a claim matters only if a check or a requirement uses the claim.
    private func checkForm(_ claims: Claims, log: inout CheckLog) throws(TokenRefusal) -> TokenTimes {
        try claims.require(.sub)
        try claims.require(.exp)
        try claims.require(.iat)
        try claims.require(provider.requiredClaims)
        log.pass(
            .requiredClaims,
            (["iss", "aud", "sub", "exp", "iat"] + provider.requiredClaims).joined(separator: ", ")
        )

        try claims.requireString(.sub)
        if claims.kind(.azp) != .null { try claims.requireStringIfPresent(.azp) }
        try claims.requireStringIfPresent(.nonce)
        try claims.checkTypes(of: provider.requiredClaims)
        let times = try claims.times()
        log.pass(.claimTypes, "all types are valid")
        return times
    }

    private func checkParties(
        _ claims: Claims,
        _ expectations: Expectations,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        try checkAuthorizedParty(claims)
        try expectations.original?.checkAuthorizedParty(claims)
        log.pass(.authorizedParty, claims.authorizedParty.map { quoted($0) } ?? "azp is absent")

        try checkSubject(claims)
        try expectations.original?.checkSubject(claims.subject ?? "")
        log.pass(.subject, fingerprint(claims.subject ?? ""))
    }

    private func checkTimes(
        _ times: TokenTimes,
        _ expectations: Expectations,
        now: Double,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        try self.times.checkValidity(times, now: now, log: &log)
        try self.times.checkAge(times, now: now)
        try expectations.original?.checkIssuedAt(times)
        if let maximumAge = self.times.maximumAge {
            log.pass(.age, "at most \(TimeRules.span(maximumAge))")
        } else if expectations.original != nil {
            log.pass(.age, "not older than the first token of the sign-in")
        } else {
            log.skip(.age, "no maximum age is set")
        }
    }

    private func checkAuthentication(
        _ claims: Claims,
        _ expectations: Expectations,
        now: Double,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        let isOriginal = try expectations.original?.checkAuthenticationTime(claims, leeway: times.leeway)
        if let time = try checkAuthenticationTime(claims, now: now) {
            log.pass(.authTime, "\(timestamp(time)), \(TimeRules.span(now - time)) ago")
        } else if isOriginal == true {
            log.pass(.authTime, "same as at the original authentication")
        } else {
            log.skip(.authTime, "no maximum age of the authentication is set")
        }

        try checkAuthenticationContext(claims)
        if acceptedACRs.isEmpty {
            log.skip(.acr, "not required")
        } else {
            log.pass(.acr, quoted(claims.authenticationContextClass ?? ""))
        }

        try checkHostedDomain(claims)
        if let hostedDomain {
            log.pass(.hostedDomain, quoted(hostedDomain))
        } else {
            log.skip(.hostedDomain, "not required")
        }
    }

    private func checkHashes(
        _ claims: Claims,
        _ expectations: Expectations,
        digest: Digest,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        func check(
            _ check: Check,
            _ expectation: HashExpectation?,
            member: StandardClaim,
            code: VerificationCode
        ) throws(TokenRefusal) {
            guard let expectation else {
                log.skip(check, "no value to compare with")
                return
            }
            let isThere = try expectation.check(claims, member: member, digest: digest, code: code)
            log.pass(check, "\(member.rawValue) \(isThere ? "matches" : "is absent, and optional")")
        }
        try check(.accessTokenHash, expectations.accessToken, member: .atHash, code: .accessTokenHash)
        try check(.codeHash, expectations.code, member: .cHash, code: .codeHash)
    }

    private func checkNonce(
        _ claims: Claims,
        _ expectations: Expectations,
        log: inout CheckLog
    ) throws(TokenRefusal) -> NonceCheck {
        let check = try expectations.nonce.check(claims)
        switch check {
        case .exactly: log.pass(.nonce, "as expected")
        case .sha256: log.pass(.nonce, "the SHA-256 of the expected value")
        case .absent: log.pass(.nonce, "absent, as expected")
        case .singleUse: log.pass(.nonce, "present; consumed after all other checks")
        case .notChecked(let reason): log.skip(.nonce, "NOT CHECKED; reason: \(quoted(reason))")
        }
        if check != .singleUse { log.skip(.singleUse, "no nonce store is used") }
        return check
    }
}
