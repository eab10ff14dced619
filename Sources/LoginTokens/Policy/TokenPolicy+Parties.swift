// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Checks of the audience, the authorized party and the subject.
///
/// Strings are compared byte for byte: Swift's `==` treats canonically equivalent Unicode strings as equal, while a
/// provider, or an attacker, may treat them as different.
extension TokenPolicy {
    /// Checks `aud`: one audience is an accepted client ID, and all others are trusted (OpenID Connect Core §3.1.3.7,
    /// step 3).
    func checkAudience(_ claims: Claims) throws(TokenRefusal) -> String {
        if let ours = audiences.first(where: { claims.isString(.aud, $0) }) { return ours }
        guard let audience = claims.value(of: .aud) else { throw TokenRefusal.missing("aud") }
        guard let seen = audience.strings else {
            throw TokenRefusal(.claimType, "aud is neither a string nor an array of strings", member: "aud")
        }
        let ours = seen.lazy.compactMap { value in audiences.first { value.isString($0) } }.first
        guard let ours else {
            let expected = audiences
            throw TokenRefusal(
                .audience,
                "aud is \(quoted(claims.audiences)), expected one of \(quoted(expected))",
                member: "aud"
            )
        }
        if let other = seen.first(where: { !$0.isString(among: audiences) && !trustedAudiences.contain($0) }) {
            throw TokenRefusal(
                .audience,
                "aud also contains \(quoted(other.string ?? "")), which is not trusted",
                member: "aud"
            )
        }
        return ours
    }

    /// Checks `azp` (OpenID Connect Core §3.1.3.7, steps 4 and 5).
    func checkAuthorizedParty(_ claims: Claims) throws(TokenRefusal) {
        guard let party = claims.value(of: .azp) else {
            guard claims.kind(.aud) == .array, let audiences = claims[.aud]?.elements else { return }
            guard audiences.allSatisfy({ $0 == audiences[0] }) else {
                throw TokenRefusal(.authorizedParty, "aud has several values, and azp is missing", member: "azp")
            }
            return
        }
        // An audience that is trusted without its name may be another client, and the token may be that client's.
        let isForAnyAudience = trustedAudiences == .any && claims.kind(.aud) == .array
        let accepted = isForAnyAudience ? audiences : audiences + authorizedParties
        guard party.isString(among: accepted) else {
            let detail = "azp is \(quoted(party.string ?? "")), expected one of \(quoted(accepted))"
            throw TokenRefusal(.authorizedParty, detail, member: "azp")
        }
    }

    /// Checks `sub`: at most 255 ASCII characters (OpenID Connect Core §2).
    ///
    /// The subject identifies a user, so it appears in no message.
    func checkSubject(_ claims: Claims) throws(TokenRefusal) {
        try claims.requireString(.sub)
        guard let bytes = claims[.sub]?.utf8, (1...Limits.subjectBytes).contains(bytes.count),
            bytes.allSatisfy({ $0 < 0x80 })
        else {
            let detail = "sub must have 1 to \(Limits.subjectBytes) ASCII characters"
            throw TokenRefusal(.subject, detail, member: "sub")
        }
        if let subject, !claims.isString(.sub, subject) {
            throw TokenRefusal(.subject, "sub is not the expected one", member: "sub")
        }
    }
}

extension Provider {
    /// Checks `iss` (OpenID Connect Core §3.1.3.7, step 2).
    func checkIssuer(_ claims: Claims) throws(TokenRefusal) -> AcceptedIssuer {
        try claims.requireString(.iss)
        if let tenantClaim {
            for entry in issuers {
                guard let issuer = AcceptedIssuer(entry: entry, tenantClaim: tenantClaim, claims: claims),
                    claims.isString(.iss, issuer.name)
                else { continue }
                return issuer
            }
        } else if let entry = issuers.first(where: { claims.isString(.iss, $0) }) {
            return AcceptedIssuer(entry: entry)
        }
        throw TokenRefusal(.issuer, textOfForeignIssuer(in: claims), member: "iss")
    }

    /// Returns the detail of a refusal for an issuer that is not the provider's.
    private func textOfForeignIssuer(in claims: Claims) -> String {
        let tenant = tenantClaim.map { name in ", where \(name) is \(claims[name].map { quoted($0) } ?? "missing")" }
        return "iss is \(quoted(claims.issuer ?? ""))\(tenant ?? ""), expected \(quoted(issuers))"
    }
}
