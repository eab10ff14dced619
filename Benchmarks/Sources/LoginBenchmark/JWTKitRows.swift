// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCase
import Measuring

#if JWTKit
import Foundation
import JWTKit

extension LoginCase {
    /// Returns the cost of the same token and, as nearly as possible, the same checks with jwt-kit.
    ///
    /// It has the same key, reads the same claims into a struct, and compares issuer, audience, expiry and nonce. Both
    /// sides use their asynchronous method: jwt-kit has no other.
    func jwtKitComparisons() async throws -> [Comparison] {
        let collection = try await JWTKeyCollection().add(jwksJSON: keySetText)
        let expected = FacebookPayload.Expected(audience: issuer.audience, nonce: nonce)
        let theirs = Work.awaiting {
            let payload = try await collection.verify(token, as: FacebookPayload.self)
            try payload.check(expected)
            use(payload)
        }
        return [Comparison("jwt-kit 5.7.1 ÷ full validation to Profile", theirs, to: awaitedProfile)]
    }
}

/// The claims that jwt-kit reads from the token.
private struct FacebookPayload: JWTPayload {
    struct Expected {
        let audience: String
        let nonce: String
    }

    struct Place: Codable {
        let id: String
        let name: String
    }

    struct AgeRange: Codable {
        let min: Int?
        let max: Int?
    }

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, exp, jti, nonce, name, picture, email
        case givenName = "given_name"
        case middleName = "middle_name"
        case familyName = "family_name"
        case friends = "user_friends"
        case birthday = "user_birthday"
        case ageRange = "user_age_range"
        case hometown = "user_hometown"
        case location = "user_location"
        case gender = "user_gender"
        case link = "user_link"
    }

    let iss: IssuerClaim
    let aud: AudienceClaim
    let sub: SubjectClaim
    let iat: IssuedAtClaim
    let exp: ExpirationClaim
    let jti: IDClaim
    let nonce: String
    let name: String?
    let givenName: String?
    let middleName: String?
    let familyName: String?
    let picture: URL?
    let email: String?
    let friends: [String]?
    let birthday: String?
    let ageRange: AgeRange?
    let hometown: Place?
    let location: Place?
    let gender: String?
    let link: URL?

    func verify(using algorithm: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
    }

    func check(_ expected: Expected) throws {
        guard ["https://www.facebook.com", "https://facebook.com"].contains(iss.value) else {
            throw NotMeasurable("jwt-kit reads another issuer")
        }
        try aud.verifyIntendedAudience(includes: expected.audience)
        guard nonce == expected.nonce else { throw NotMeasurable("jwt-kit reads another nonce") }
    }
}
#else
extension LoginCase {
    /// Returns nothing: without the trait there is no jwt-kit to compare with.
    func jwtKitComparisons() async throws -> [Comparison] { [] }
}
#endif
