// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The data of a sign-in's first token that every refreshed token must match (OpenID Connect Core §12.2).
///
/// Create it once, from the token of the sign-in, and store it with the session. It is `Codable`, and stays the same
/// through all refreshes. It contains the subject and the nonce, so store it as securely as sessions.
public struct OriginalAuthentication: Sendable, Hashable, Codable {
    private let issuer: String
    private let subject: String
    private let audiences: [String]
    private let authorizedParty: String?
    private let authenticatedAt: Double?
    private let issuedAt: Double
    let nonce: String?

    /// Creates the reference data for refreshed tokens.
    ///
    /// - Parameter token: The first token of a sign-in, not a refreshed one.
    public init(_ token: VerifiedToken) {
        issuer = token.issuer
        subject = token.subject
        audiences = token.claims.audiences
        authorizedParty = token.claims.authorizedParty
        authenticatedAt = token.claims.seconds(.authTime)
        issuedAt = token.issuedAt.timeIntervalSince1970
        nonce = token.claims.nonce
    }

    /// The expectation of the same nonce, or of none if the first token had none.
    ///
    /// Core §12.2 allows a refreshed token to omit the nonce. Facebook's direct refresh does not omit it.
    package var sameNonce: NonceExpectation { nonce.map { .exactly($0) } ?? .mustBeAbsent }
}

/// Each method tightens the check of one claim, and throws the code of that check.
extension OriginalAuthentication {
    func checkIssuer(_ seen: String) throws(TokenRefusal) {
        guard isEqual(seen, issuer) else {
            let detail = "iss is \(quoted(seen)), but was \(quoted(issuer)) at the original authentication"
            throw TokenRefusal(.issuer, detail, member: "iss")
        }
    }

    /// Checks the audience, which "must include" the original ones; the policy has to trust any others.
    func checkAudience(_ claims: Claims) throws(TokenRefusal) {
        let seen = claims.audiences
        guard audiences.allSatisfy({ old in seen.contains { isEqual($0, old) } }) else {
            let detail = "aud is \(quoted(seen)), but was \(quoted(audiences)) at the original authentication"
            throw TokenRefusal(.audience, detail, member: "aud")
        }
    }

    func checkAuthorizedParty(_ claims: Claims) throws(TokenRefusal) {
        let isSame =
            authorizedParty.map { party in claims[.azp]?.isString(party) == true } ?? (claims.value(of: .azp) == nil)
        guard isSame else {
            throw TokenRefusal(.authorizedParty, "azp is not that of the original authentication", member: "azp")
        }
    }

    func checkSubject(_ seen: String) throws(TokenRefusal) {
        guard isEqual(seen, subject) else {
            throw TokenRefusal(.subject, "sub is not that of the original authentication", member: "sub")
        }
    }

    /// Checks that the refreshed token was not issued before the first token.
    func checkIssuedAt(_ times: TokenTimes) throws(TokenRefusal) {
        guard let issued = times.issued, issued < issuedAt else { return }
        let detail = "iat is \(timestamp(issued)), before that of the first token, \(timestamp(issuedAt))"
        throw TokenRefusal(.tooOld, detail, member: "iat")
    }

    /// Checks that `auth_time`, if present, is the time of the original authentication: a refresh involves no new
    /// authentication.
    ///
    /// If the first token has no `auth_time`, the authentication was before that token was issued.
    ///
    /// - Returns: Whether the token has an `auth_time`.
    func checkAuthenticationTime(_ claims: Claims, leeway: Double) throws(TokenRefusal) -> Bool {
        guard claims[.authTime] != nil else { return false }
        guard let seen = claims.seconds(.authTime) else {
            let detail = "auth_time is not a number of seconds in the years 1970 to 9999"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        guard authenticatedAt.map({ $0 == seen }) ?? (seen <= issuedAt + leeway) else {
            let original = authenticatedAt.map { "was \(timestamp($0))" } ?? "must not be after \(timestamp(issuedAt))"
            let detail = "auth_time is \(timestamp(seen)), but \(original) at the original authentication"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        return true
    }
}

extension OriginalAuthentication: Redacted {
    /// The issuer, without the user and the nonce.
    public var description: String { "original authentication by \(quoted(issuer))" }
}
