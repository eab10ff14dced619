// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Checks of how and when the user was authenticated, and of the user's organization.
///
/// Each check is made only if the policy requires it. A missing claim and one of the wrong type are then refused like a
/// wrong value.
extension TokenPolicy {
    /// Checks `auth_time` against the maximum authentication age (OpenID Connect Core §3.1.3.7, step 13).
    ///
    /// - Returns: The authentication time, in seconds since 1970; nil if the policy sets no maximum age.
    func checkAuthenticationTime(_ claims: Claims, now: Double) throws(TokenRefusal) -> Double? {
        guard let maximumAuthenticationAge else { return nil }
        return try claims.checkAuthenticationTime(maximumAge: maximumAuthenticationAge, times, now: now)
    }

    /// Checks `acr` (OpenID Connect Core §3.1.3.7, step 12).
    func checkAuthenticationContext(_ claims: Claims) throws(TokenRefusal) {
        guard !acceptedACRs.isEmpty else { return }
        try claims.checkAuthenticationContext(among: acceptedACRs)
    }

    /// Checks the organization of the account; with Google this is `hd`, its domain.
    ///
    /// The domain of the e-mail address is no proof: a personal account may have any address.
    func checkHostedDomain(_ claims: Claims) throws(TokenRefusal) {
        guard let hostedDomain, let name = provider.hostedDomainClaim else { return }
        guard let seen = claims[name], seen.isString(hostedDomain) else {
            let seen = claims[name].map { quoted($0) } ?? "missing"
            throw TokenRefusal(.hostedDomain, "\(name) is \(seen), expected \(quoted(hostedDomain))", member: name)
        }
    }
}

extension Claims {
    /// Checks the time since the user was authenticated, `auth_time`.
    ///
    /// - Parameters:
    ///   - maximumAge: The maximum time since then.
    ///   - times: The rules with the leeway, which applies to the age and to a time in the future.
    ///   - now: The current time, in seconds since 1970.
    /// - Returns: The authentication time, in seconds since 1970.
    /// - Throws: ``TokenRefusal`` with the code `auth-time`.
    @discardableResult
    func checkAuthenticationTime(
        maximumAge: Duration,
        _ times: TimeRules,
        now: Double
    ) throws(TokenRefusal) -> Double {
        guard self[.authTime] != nil else {
            throw TokenRefusal(.authTime, "auth_time is missing and required", member: "auth_time")
        }
        guard let time = seconds(.authTime) else {
            let detail = "auth_time is not a number of seconds in the years 1970 to 9999"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        guard time <= now + times.leeway else {
            let detail = "auth_time is \(timestamp(time)), in \(TimeRules.span(time - now))\(times.leewayText)"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        guard now - time <= maximumAge.seconds + times.leeway else {
            let limit = TimeRules.span(maximumAge.seconds)
            let detail =
                "authenticated \(TimeRules.span(now - time)) ago; the maximum age is \(limit)\(times.leewayText)"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        return time
    }

    /// Checks the authentication context class, `acr`.
    ///
    /// - Parameter accepted: The accepted classes.
    /// - Throws: ``TokenRefusal`` with the code `acr`.
    func checkAuthenticationContext(among accepted: [String]) throws(TokenRefusal) {
        guard let seen = self[.acr], seen.isString(among: accepted) else {
            let seen = self[.acr].map { quoted($0) } ?? "missing"
            throw TokenRefusal(.acr, "acr is \(seen), expected one of \(quoted(accepted))", member: "acr")
        }
    }
}
