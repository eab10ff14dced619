// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A well-formed token that claims to come from an issuer we know and to be meant for us; nothing is proven yet.
///
/// Half-way through the checks stands the only one that may have to wait, for the key. What comes before it is made by
/// the initializer, what comes after by ``verified(with:clock:log:)``.
struct Candidate {
    let jws: CompactJWS
    private let issuer: AcceptedIssuer
    private let policy: TokenPolicy
    private let expectations: Expectations
    private let algorithm: SignatureAlgorithm
    private let claims: Claims
    private let audience: String

    /// What the token's keys are looked up by: an entry of the policy, never a string of the token.
    var keyIssuer: String { issuer.entry }

    init(
        _ text: String,
        policy: TokenPolicy,
        expectations: Expectations,
        log: inout CheckLog
    ) throws(TokenRefusal) {
        self.policy = policy
        self.expectations = expectations
        jws = try CompactJWS(text, log: &log)

        try jws.header.checkType(required: policy.requiresType)
        log.pass(.tokenType, jws.header.type.map { quoted($0) } ?? "typ is absent")

        algorithm = try jws.header.checkAlgorithm(allowed: policy.algorithms)
        log.pass(.algorithm, algorithm.rawValue)

        claims = try Claims(jws.payload)
        try claims.refuseOtherTokens()
        log.pass(.payload, "a JSON object with \(claims.names.count) claims")

        issuer = try policy.checkIssuer(claims)
        try expectations.original?.checkIssuer(issuer.name)
        log.pass(.issuer, quoted(issuer.name))

        audience = try policy.checkAudience(claims)
        try expectations.original?.checkAudience(claims)
        log.pass(.audience, quoted(audience))

        // The first half of the check of the key: a token that cannot name its key is no reason to fetch keys.
        try jws.header.checkKeyID(required: policy.provider.requiresKeyID)
    }

    /// The one key of the issuer that the token names.
    func key(in snapshot: KeySnapshot) throws(TokenRefusal) -> JSONWebKey {
        guard let keys = snapshot.keys(of: keyIssuer) else {
            throw TokenRefusal(.keyNotFound, "there are no keys of \(quoted(keyIssuer))")
        }
        return try keys.key(for: jws.header, algorithm: algorithm, where: issuer.accepts)
    }

    /// Whether the signature is this key's.
    func isSigned(by key: JSONWebKey) -> Bool {
        (try? jws.verified(with: key, algorithm: algorithm)) != nil
    }

    func verified(
        with key: JSONWebKey,
        clock: any WallClock,
        log: inout CheckLog
    ) throws(TokenRefusal) -> VerifiedToken {
        log.pass(.key, "\(key.keyID.map { quoted($0) } ?? "the only key that fits"), \(key)")

        let verified = try jws.verified(with: key, algorithm: algorithm)
        log.pass(.signature, "valid")

        let now = clock.now.timeIntervalSince1970
        let times = try checkForm(log: &log)
        let subject = try checkParties(log: &log)
        try checkTimes(times, now: now, log: &log)
        try checkAuthentication(now: now, log: &log)
        try checkHashes(log: &log)
        let nonceCheck = try checkNonce(log: &log)
        return VerifiedToken(
            provider: policy.provider,
            issuer: issuer.name,
            tenantID: issuer.tenantID,
            audience: audience,
            subject: subject,
            issuedAt: Date(timeIntervalSince1970: times.issued),
            expiresAt: Date(timeIntervalSince1970: times.expires),
            nonceCheck: nonceCheck,
            claims: claims,
            jws: verified
        )
    }

    /// First what is missing, then what has the wrong type: a claim that is there and unreadable is not absent.
    private func checkForm(log: inout CheckLog) throws(TokenRefusal) -> TokenTimes {
        let standard = ["sub", "exp", "iat"]
        let particular = policy.provider.requiredClaims
        for name in standard + particular where claims[name] == nil { throw TokenRefusal.missing(name) }
        // An empty ID is none.
        for name in particular where claims[name]?.isString("") == true { throw TokenRefusal.missing(name) }
        log.pass(.requiredClaims, (["iss", "aud"] + standard + particular).joined(separator: ", "))

        for name in ["sub", "azp", "nonce", "jti"] where claims[name] != nil {
            _ = try claims.requiredString(name)
        }
        if let methods = claims["amr"] {
            guard let methods = methods.elements, methods.allSatisfy({ $0.kind == .string }) else {
                throw TokenRefusal(.claimType, "amr is not an array of strings", member: "amr")
            }
        }
        let times = try claims.times()
        log.pass(.claimTypes, "the right types")
        return times
    }

    /// - Returns: The subject.
    private func checkParties(log: inout CheckLog) throws(TokenRefusal) -> String {
        try policy.checkAuthorizedParty(claims)
        try expectations.original?.checkAuthorizedParty(claims)
        log.pass(.authorizedParty, claims.authorizedParty.map { quoted($0) } ?? "azp is absent")

        let subject = try policy.checkSubject(claims)
        try expectations.original?.checkSubject(subject)
        log.pass(.subject, fingerprint(subject))
        return subject
    }

    private func checkTimes(_ times: TokenTimes, now: Double, log: inout CheckLog) throws(TokenRefusal) {
        try policy.checkExpiry(times, now: now)
        log.pass(.expiry, "\(timestamp(times.expires)), in \(TokenPolicy.span(times.expires - now))")

        try policy.checkNotBefore(times, now: now)
        log.pass(.notBefore, times.notBefore.map(timestamp) ?? "nbf is absent")

        try policy.checkIssuedAt(times, now: now)
        log.pass(.issuedAt, "\(timestamp(times.issued)), \(TokenPolicy.span(now - times.issued)) ago")

        try policy.checkAge(times, now: now)
        try expectations.original?.checkIssuedAt(times)
        if let maximumAge = policy.maximumAge {
            log.pass(.age, "at most \(TokenPolicy.span(maximumAge.seconds))")
        } else if expectations.original != nil {
            log.pass(.age, "not older than the first token of the sign-in")
        } else {
            log.skip(.age, "no maximum age is set")
        }
    }

    private func checkAuthentication(now: Double, log: inout CheckLog) throws(TokenRefusal) {
        let isOriginal = try expectations.original?.checkAuthenticationTime(claims, leeway: policy.leeway.seconds)
        if let time = try policy.checkAuthenticationTime(claims, now: now) {
            log.pass(.authTime, "\(timestamp(time)), \(TokenPolicy.span(now - time)) ago")
        } else if isOriginal == true {
            log.pass(.authTime, "that of the original authentication")
        } else {
            log.skip(.authTime, "no maximum age of the authentication is set")
        }

        try policy.checkAuthenticationContext(claims)
        if policy.acceptedACRs.isEmpty {
            log.skip(.acr, "none is asked for")
        } else {
            log.pass(.acr, quoted(claims.authenticationContextClass ?? ""))
        }

        try policy.checkHostedDomain(claims)
        if let hostedDomain = policy.hostedDomain {
            log.pass(.hostedDomain, quoted(hostedDomain))
        } else {
            log.skip(.hostedDomain, "none is asked for")
        }
    }

    private func checkHashes(log: inout CheckLog) throws(TokenRefusal) {
        for (check, expectation, member, code) in [
            (Check.accessTokenHash, expectations.accessToken, "at_hash", TokenRefusal.Code.accessTokenHash),
            (Check.codeHash, expectations.code, "c_hash", TokenRefusal.Code.codeHash),
        ] {
            guard let expectation else {
                log.skip(check, "nothing to compare with was given")
                continue
            }
            let isThere = try expectation.check(claims, member: member, algorithm: algorithm, code: code)
            log.pass(check, isThere ? "\(member) is right" : "\(member) is absent, as it may be")
        }
    }

    private func checkNonce(log: inout CheckLog) throws(TokenRefusal) -> NonceCheck {
        let check = try expectations.nonce.check(claims)
        switch check {
        case .exactly: log.pass(.nonce, "the one expected")
        case .sha256: log.pass(.nonce, "the SHA-256 of the one expected")
        case .absent: log.pass(.nonce, "absent, as expected")
        case .singleUse: log.pass(.nonce, "there is one; whether it may be used is asked last")
        case .notChecked(let reason): log.skip(.nonce, "NOT CHECKED, because: \(quoted(reason))")
        }
        if check != .singleUse { log.skip(.singleUse, "no store of nonces is asked") }
        return check
    }
}

extension TokenRefusal {
    /// The same refusal, saying also what was sent in place of an ID token, where that can be told.
    func recognizing(_ text: String) -> TokenRefusal {
        guard Self.formCodes.contains(code) else { return self }
        var refusal = self
        refusal.recognizedAs = RecognizedInput(text)
        return refusal
    }

    /// The refusals that may mean: this is not an ID token at all.
    private static let formCodes: Set<Code> = [
        .tooLarge, .segments, .encryptedToken, .encoding, .header, .tokenType, .algorithm, .payload, .missingClaim,
    ]
}
