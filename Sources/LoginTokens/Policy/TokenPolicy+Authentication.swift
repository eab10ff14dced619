// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The checks of how and when the person was authenticated, and of whose domain they are.
///
/// Each is made only where the policy asks, and then a claim that is missing or has the wrong type is no better than a
/// wrong one.
extension TokenPolicy {
    /// OpenID Connect Core §3.1.3.7, step 13.
    ///
    /// - Returns: When the person was authenticated, in seconds since 1970; nil where nobody asks.
    func checkAuthenticationTime(_ claims: Claims, now: Double) throws(TokenRefusal) -> Double? {
        guard let maximumAuthenticationAge else { return nil }
        guard claims[.authTime] != nil else {
            throw TokenRefusal(.authTime, "auth_time is missing and required", member: "auth_time")
        }
        guard let time = claims.seconds(.authTime) else {
            let detail = "auth_time is not a number of seconds in the years 1970 to 9999"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        guard time <= now + leewaySeconds else {
            let detail = "auth_time is \(timestamp(time)), in \(Self.span(time - now))\(leewayText())"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        guard now - time <= maximumAuthenticationAge.seconds + leewaySeconds else {
            let limit = Self.span(maximumAuthenticationAge.seconds)
            let detail = "authenticated \(Self.span(now - time)) ago, at most \(limit) are accepted\(leewayText())"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        return time
    }

    /// OpenID Connect Core §3.1.3.7, step 12.
    func checkAuthenticationContext(_ claims: Claims) throws(TokenRefusal) {
        guard !acceptedACRs.isEmpty else { return }
        guard let seen = claims[.acr], seen.isString(among: acceptedACRs) else {
            let seen = claims[.acr].map { quoted($0) } ?? "missing"
            throw TokenRefusal(.acr, "acr is \(seen), expected one of \(quoted(acceptedACRs))", member: "acr")
        }
    }

    /// The organization that the account belongs to: with Google `hd`, its domain.
    ///
    /// The end of an e-mail address does not tell: an account of one's own may have any.
    func checkHostedDomain(_ claims: Claims) throws(TokenRefusal) {
        guard let hostedDomain, let name = provider.hostedDomainClaim else { return }
        guard let seen = claims[name], seen.isString(hostedDomain) else {
            let seen = claims[name].map { quoted($0) } ?? "missing"
            throw TokenRefusal(.hostedDomain, "\(name) is \(seen), expected \(quoted(hostedDomain))", member: name)
        }
    }
}
