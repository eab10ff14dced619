// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What every refreshed token has in common with the first token of its sign-in (OpenID Connect Core §12.2).
///
/// Make it once, of the token that the person signed in with, and keep it with the session: it can be encoded, and it stays
/// the same through all refreshes. It holds the subject and the nonce, so keep it where you keep sessions.
public struct OriginalAuthentication: Sendable, Hashable, Codable {
    private let issuer: String
    private let subject: String
    private let audiences: [String]
    private let authorizedParty: String?
    private let authenticatedAt: Double?
    private let issuedAt: Double
    let nonce: String?

    /// What the successors of a token must have in common with it.
    ///
    /// - Parameter token: The first token of a sign-in, not one that came from a refresh.
    public init(_ token: VerifiedToken) {
        issuer = token.issuer
        subject = token.subject
        audiences = token.claims.audiences
        authorizedParty = token.claims.authorizedParty
        authenticatedAt = token.claims.seconds(.authTime)
        issuedAt = token.issuedAt.timeIntervalSince1970
        nonce = token.claims.nonce
    }

    /// That the nonce is still there and the same, or that there is none where there was none.
    ///
    /// Core §12.2 lets a refreshed token leave it out. Facebook's direct refresh does not.
    package var sameNonce: NonceExpectation { nonce.map { .exactly($0) } ?? .mustBeAbsent }
}

/// Each is a further demand of the check of that claim, and has its code.
extension OriginalAuthentication {
    func checkIssuer(_ seen: String) throws(TokenRefusal) {
        guard isEqual(seen, issuer) else {
            let detail = "iss is \(quoted(seen)), and was \(quoted(issuer)) at the original authentication"
            throw TokenRefusal(.issuer, detail, member: "iss")
        }
    }

    /// "Must include": others may be added, which the policy then has to trust.
    func checkAudience(_ claims: Claims) throws(TokenRefusal) {
        let seen = claims.audiences
        guard audiences.allSatisfy({ old in seen.contains { isEqual($0, old) } }) else {
            let detail = "aud is \(quoted(seen)), and was \(quoted(audiences)) at the original authentication"
            throw TokenRefusal(.audience, detail, member: "aud")
        }
    }

    func checkAuthorizedParty(_ claims: Claims) throws(TokenRefusal) {
        let isSame =
            authorizedParty.map { party in claims[.azp]?.isString(party) == true } ?? (claims[.azp] == nil)
        guard isSame else {
            throw TokenRefusal(.authorizedParty, "azp is not that of the original authentication", member: "azp")
        }
    }

    func checkSubject(_ seen: String) throws(TokenRefusal) {
        guard isEqual(seen, subject) else {
            throw TokenRefusal(.subject, "sub is not that of the original authentication", member: "sub")
        }
    }

    /// A refreshed token cannot be older than the first.
    func checkIssuedAt(_ times: TokenTimes) throws(TokenRefusal) {
        guard times.issued >= issuedAt else {
            let detail = "iat is \(timestamp(times.issued)), before the first token's, \(timestamp(issuedAt))"
            throw TokenRefusal(.tooOld, detail, member: "iat")
        }
    }

    /// The time of the original authentication, where the token says one: nobody was asked again.
    ///
    /// Where the first token did not say, it was before that token was issued.
    ///
    /// - Returns: Whether the token says one.
    func checkAuthenticationTime(_ claims: Claims, leeway: Double) throws(TokenRefusal) -> Bool {
        guard claims[.authTime] != nil else { return false }
        guard let seen = claims.seconds(.authTime) else {
            let detail = "auth_time is not a number of seconds in the years 1970 to 9999"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        guard authenticatedAt.map({ $0 == seen }) ?? (seen <= issuedAt + leeway) else {
            let original = authenticatedAt.map { "was \(timestamp($0))" } ?? "cannot be after \(timestamp(issuedAt))"
            let detail = "auth_time is \(timestamp(seen)), and \(original) at the original authentication"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
        return true
    }
}

extension OriginalAuthentication: Redacted {
    /// The issuer, without the user and the nonce.
    public var description: String { "original authentication by \(quoted(issuer))" }
}
