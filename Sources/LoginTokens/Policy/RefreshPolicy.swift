// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a refreshed token must have in common with the one it replaces (OpenID Connect Core §12.2).
///
/// Each is a further demand of the check of that claim, and has its code.
extension VerifiedToken {
    func checkSuccessorIssuer(_ seen: String) throws(TokenRefusal) {
        guard seen.utf8.elementsEqual(issuer.utf8) else {
            let detail = "iss is \(quoted(seen)), and was \(quoted(issuer)) in the token it replaces"
            throw TokenRefusal(.issuer, detail, member: "iss")
        }
    }

    func checkSuccessorAudience(_ successor: Claims) throws(TokenRefusal) {
        let seen = successor.audiences
        guard claims.audiences.allSatisfy({ old in seen.contains { $0.utf8.elementsEqual(old.utf8) } }) else {
            let detail = "aud is \(quoted(seen)), and was \(quoted(claims.audiences)) in the token it replaces"
            throw TokenRefusal(.audience, detail, member: "aud")
        }
    }

    func checkSuccessorAuthorizedParty(_ successor: Claims) throws(TokenRefusal) {
        guard successor["azp"] == claims["azp"] else {
            throw TokenRefusal(.authorizedParty, "azp is not that of the token it replaces", member: "azp")
        }
    }

    func checkSuccessorSubject(_ seen: String) throws(TokenRefusal) {
        guard seen.utf8.elementsEqual(subject.utf8) else {
            throw TokenRefusal(.subject, "sub is not that of the token it replaces", member: "sub")
        }
    }

    /// A token cannot be older than the one it replaces.
    func checkSuccessorIssuedAt(_ times: TokenTimes) throws(TokenRefusal) {
        guard times.issued >= issuedAt.timeIntervalSince1970 else {
            throw TokenRefusal(.tooOld, "iat is before that of the token it replaces", member: "iat")
        }
    }

    /// The time of the first authentication: nobody was asked again.
    func checkSuccessorAuthenticationTime(_ successor: Claims) throws(TokenRefusal) {
        guard let seen = successor["auth_time"] else { return }
        guard let old = claims.seconds("auth_time"), successor.seconds("auth_time") == old else {
            let detail = "auth_time is \(quoted(seen.kind.rawValue)) and not that of the token it replaces"
            throw TokenRefusal(.authTime, detail, member: "auth_time")
        }
    }
}
