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
/// the initializer, what comes after by ``verified(with:nonce:clock:log:)``.
struct Candidate {
    let jws: CompactJWS
    let issuer: String
    private let policy: TokenPolicy
    private let algorithm: SignatureAlgorithm
    private let claims: Claims
    private let audience: String

    init(_ text: String, policy: TokenPolicy, log: inout CheckLog) throws(TokenRefusal) {
        self.policy = policy
        jws = try CompactJWS(text, log: &log)

        try jws.header.checkType(required: policy.requiresType)
        log.pass(.tokenType, jws.header.type.map { quoted($0) } ?? "typ is absent")

        algorithm = try jws.header.checkAlgorithm(allowed: policy.algorithms)
        log.pass(.algorithm, algorithm.rawValue)

        claims = try Claims(jws.payload)
        try claims.refuseOtherTokens()
        log.pass(.payload, "a JSON object with \(claims.names.count) claims")

        issuer = try policy.checkIssuer(claims)
        log.pass(.issuer, quoted(issuer))

        audience = try policy.checkAudience(claims)
        log.pass(.audience, quoted(audience))

        // The first half of the check of the key: a token that cannot name its key is no reason to fetch keys.
        try jws.header.checkKeyID(required: policy.provider.requiresKeyID)
    }

    /// The one key of the issuer that the token names.
    func key(in snapshot: KeySnapshot) throws(TokenRefusal) -> JSONWebKey {
        guard let keys = snapshot.keys(of: issuer) else {
            throw TokenRefusal(.keyNotFound, "there are no keys of \(quoted(issuer))")
        }
        return try keys.key(for: jws.header, algorithm: algorithm)
    }

    func verified(
        with key: JSONWebKey,
        nonce: NonceExpectation,
        clock: any WallClock,
        log: inout CheckLog
    ) throws(TokenRefusal) -> VerifiedToken {
        log.pass(.key, "\(key.keyID.map { quoted($0) } ?? "the only key that fits"), RSA with \(key.bits) bits")

        let verified = try jws.verified(with: key, algorithm: algorithm)
        log.pass(.signature, "valid")

        let now = clock.now.timeIntervalSince1970
        let times = try checkForm(log: &log)

        try policy.checkAuthorizedParty(claims)
        log.pass(.authorizedParty, claims.authorizedParty.map { quoted($0) } ?? "azp is absent")
        let subject = try policy.checkSubject(claims)
        log.pass(.subject, fingerprint(subject))

        try checkTimes(times, now: now, log: &log)

        let nonceCheck = try nonce.check(claims)
        switch nonceCheck {
        case .exactly: log.pass(.nonce, "the one expected")
        case .sha256: log.pass(.nonce, "the SHA-256 of the one expected")
        case .absent: log.pass(.nonce, "absent, as expected")
        case .notChecked(let reason): log.skip(.nonce, "NOT CHECKED, because: \(quoted(reason))")
        }

        return VerifiedToken(
            provider: policy.provider,
            issuer: issuer,
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
        let times = try claims.times()
        log.pass(.claimTypes, "the right types")
        return times
    }

    private func checkTimes(_ times: TokenTimes, now: Double, log: inout CheckLog) throws(TokenRefusal) {
        try policy.checkExpiry(times, now: now)
        log.pass(.expiry, "\(timestamp(times.expires)), in \(TokenPolicy.span(times.expires - now))")

        try policy.checkNotBefore(times, now: now)
        log.pass(.notBefore, times.notBefore.map(timestamp) ?? "nbf is absent")

        try policy.checkIssuedAt(times, now: now)
        log.pass(.issuedAt, "\(timestamp(times.issued)), \(TokenPolicy.span(now - times.issued)) ago")

        try policy.checkAge(times, now: now)
        if let maximumAge = policy.maximumAge {
            log.pass(.age, "at most \(TokenPolicy.span(maximumAge.seconds))")
        } else {
            log.skip(.age, "no maximum age is set")
        }
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
