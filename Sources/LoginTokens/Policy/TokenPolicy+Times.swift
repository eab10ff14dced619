// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The times of a token, in seconds since 1970, validated as numbers in range.
struct TokenTimes: Sendable {
    let expires: Double
    let issued: Double
    let notBefore: Double?
}

/// Checks of whether the token is currently valid.
extension TokenPolicy {
    /// Checks that the current time is before `exp` (OpenID Connect Core §3.1.3.7, step 9).
    ///
    /// A token is expired at the time of its `exp`.
    func checkExpiry(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard now < times.expires + leewaySeconds else {
            let leeway = leewayText
            throw TokenRefusal(
                .expired,
                "exp was \(timestamp(times.expires)), \(Self.span(now - times.expires)) ago\(leeway())",
                member: "exp"
            )
        }
        guard times.expires > times.issued else {
            throw TokenRefusal(.expired, "exp is not after iat: the token was never valid", member: "exp")
        }
    }

    /// Checks `nbf` (RFC 7519 §4.1.5).
    func checkNotBefore(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard let notBefore = times.notBefore, notBefore > now + leewaySeconds else { return }
        let leeway = leewayText
        throw TokenRefusal(
            .notYetValid,
            "nbf is \(timestamp(notBefore)), in \(Self.span(notBefore - now))\(leeway())",
            member: "nbf"
        )
    }

    /// Checks that `iat` is not in the future; if it is, a clock is wrong, and the other times prove nothing.
    func checkIssuedAt(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard times.issued > now + leewaySeconds else { return }
        let leeway = leewayText
        throw TokenRefusal(
            .issuedInFuture,
            "iat is \(timestamp(times.issued)), in \(Self.span(times.issued - now))\(leeway())",
            member: "iat"
        )
    }

    /// Checks the age of the token (OpenID Connect Core §3.1.3.7, step 10).
    func checkAge(_ times: TokenTimes, now: Double) throws(TokenRefusal) {
        guard let maximumAgeSeconds, now - times.issued > maximumAgeSeconds + leewaySeconds else { return }
        let leeway = leewayText
        throw TokenRefusal(
            .tooOld,
            "issued \(Self.span(now - times.issued)) ago; the maximum age is \(Self.span(maximumAgeSeconds))\(leeway())",
            member: "iat"
        )
    }

    /// A closure that describes the leeway in a refusal, evaluated lazily and without retaining the whole policy.
    var leewayText: @Sendable () -> String {
        let leewaySeconds = leewaySeconds
        return { " (leeway \(Self.span(leewaySeconds)))" }
    }

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
    /// Returns the three times of an ID token.
    ///
    /// `exp` and `iat` are required; all must be numbers (RFC 7519 §2, NumericDate).
    func times() throws(TokenRefusal) -> TokenTimes {
        let expires = try requiredTime(.exp)
        let issued = try requiredTime(.iat)
        return TokenTimes(expires: expires, issued: issued, notBefore: try time(.nbf))
    }

    private func requiredTime(_ claim: StandardClaim) throws(TokenRefusal) -> Double {
        guard let time = try time(claim) else { throw TokenRefusal.missing(claim.rawValue) }
        return time
    }

    private func time(_ claim: StandardClaim) throws(TokenRefusal) -> Double? {
        guard let value = self[claim] else { return nil }
        guard let seconds = Self.seconds(value) else {
            let name = claim.rawValue
            throw TokenRefusal(.claimType, "\(name) is not a number of seconds in the years 1970 to 9999", member: name)
        }
        return seconds
    }
}
