// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The times of a token, in seconds since 1970, validated as numbers in range.
struct TokenTimes: Sendable {
    let expires: Double
    /// `iat`; nil if it is missing where the policy does not require it.
    let issued: Double?
    let notBefore: Double?
}

/// The rules for the times of a token: the leeway and the maximum age, in seconds.
struct TimeRules: Sendable {
    let leeway: Double
    let maximumAge: Double?

    /// Creates the rules.
    ///
    /// - Throws: ``PolicyError`` if the leeway is out of range, or the maximum age is not positive.
    init(leeway: Duration, maximumAge: Duration?) throws(PolicyError) {
        guard Limits.leeway.contains(leeway) else {
            throw PolicyError(
                "leeway: \(leeway) is not from \(Limits.leeway.lowerBound) to \(Limits.leeway.upperBound)"
            )
        }
        if let maximumAge, maximumAge <= .zero { throw PolicyError("maximum age: \(maximumAge) is not positive") }
        self.leeway = leeway.seconds
        self.maximumAge = maximumAge?.seconds
    }

    /// Checks that the token is currently valid, whatever its age.
    func checkValidity(_ times: TokenTimes, now: Double, log: inout CheckLog) throws(TokenRefusal) {
        try checkExpiry(times, now: now)
        log.pass(.expiry, "\(timestamp(times.expires)), in \(Self.span(times.expires - now))")

        try checkNotBefore(times, now: now)
        log.pass(.notBefore, times.notBefore.map(timestamp) ?? "nbf is absent")

        try checkIssuedAt(times, now: now)
        log.pass(.issuedAt, times.issued.map { "\(timestamp($0)), \(Self.span(now - $0)) ago" } ?? "iat is absent")
    }

    /// Checks that the current time is before `exp` (OpenID Connect Core §3.1.3.7, step 9).
    ///
    /// A token is expired at the time of its `exp`.
    private func checkExpiry(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard now < times.expires + leeway else {
            throw TokenRefusal(
                .expired,
                "exp was \(timestamp(times.expires)), \(Self.span(now - times.expires)) ago\(leewayText)",
                member: "exp"
            )
        }
        guard times.issued.map({ times.expires > $0 }) ?? true else {
            throw TokenRefusal(.expired, "exp is not after iat: the token was never valid", member: "exp")
        }
    }

    /// Checks `nbf` (RFC 7519 §4.1.5).
    private func checkNotBefore(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard let notBefore = times.notBefore, notBefore > now + leeway else { return }
        throw TokenRefusal(
            .notYetValid,
            "nbf is \(timestamp(notBefore)), in \(Self.span(notBefore - now))\(leewayText)",
            member: "nbf"
        )
    }

    /// Checks that `iat` is not in the future; if it is, a clock is wrong, and the other times prove nothing.
    private func checkIssuedAt(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard let issued = times.issued, issued > now + leeway else { return }
        throw TokenRefusal(
            .issuedInFuture,
            "iat is \(timestamp(issued)), in \(Self.span(issued - now))\(leewayText)",
            member: "iat"
        )
    }

    /// Checks the age of the token (OpenID Connect Core §3.1.3.7, step 10).
    func checkAge(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard let maximumAge, let issued = times.issued, now - issued > maximumAge + leeway else { return }
        throw TokenRefusal(
            .tooOld,
            "issued \(Self.span(now - issued)) ago; the maximum age is \(Self.span(maximumAge))\(leewayText)",
            member: "iat"
        )
    }

    /// The leeway as a refusal mentions it.
    var leewayText: String { " (leeway \(Self.span(leeway)))" }

    /// Returns a readable duration: in seconds while a leeway may matter, with coarser units for longer durations.
    static func span(_ seconds: Double) -> String {
        switch seconds.magnitude {
        case ..<2 where seconds != seconds.rounded(): "\(Int(seconds * 1000)) ms"
        case ..<600: "\(Int(seconds)) s"
        case ..<7200: "\(Int(seconds / 60)) min"
        case ..<172_800: "\(Int(seconds / 3600)) h"
        case ..<1e12: "\(Int(seconds / 86400)) days"
        default: "more than 10 million days"
        }
    }
}

extension Claims {
    /// Returns the three times of a token.
    ///
    /// `exp` is required; all must be numbers (RFC 7519 §2, NumericDate). `nbf` is checked although no policy requires it
    /// (RFC 7519 §4.1.5).
    ///
    /// - Parameter requiresIssuedAt: Whether `iat` is required too.
    /// - Returns: The times.
    /// - Throws: ``TokenRefusal`` with the code `missing-claim` or `claim-type`.
    func times(requiresIssuedAt: Bool = true) throws(TokenRefusal) -> TokenTimes {
        let expires = try requiredTime(.exp)
        let issued = try requiresIssuedAt ? requiredTime(.iat) : time(.iat)
        return TokenTimes(expires: expires, issued: issued, notBefore: try time(.nbf))
    }

    private func requiredTime(_ claim: StandardClaim) throws(TokenRefusal) -> Double {
        guard let time = try time(claim) else { throw TokenRefusal.missing(claim.rawValue) }
        return time
    }

    /// Returns a time of a token; nil if it is missing or `null`.
    func time(_ claim: StandardClaim) throws(TokenRefusal) -> Double? {
        guard let value = value(of: claim) else { return nil }
        guard let seconds = Self.seconds(value) else {
            let name = claim.rawValue
            throw TokenRefusal(.claimType, "\(name) is not a number of seconds in the years 1970 to 9999", member: name)
        }
        return seconds
    }
}
