// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import TestSupport
internal import Testing

/// The properties of an access token, and its expiry.
@Suite struct AccessTokenTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func token(
        _ text: String = "EAAmade-up",
        permissions: Set<Permission> = [.email],
        declined: Set<Permission> = [.userBirthday],
        expired: Set<Permission> = [.userLink],
        appID: String = "1234567890",
        userID: String = "1000000000000042",
        expirationDate: Date? = now + 60,
        refreshDate: Date = now,
        dataAccessExpirationDate: Date? = now + 90
    ) -> AccessToken {
        AccessToken(
            tokenString: text,
            permissions: permissions,
            declinedPermissions: declined,
            expiredPermissions: expired,
            appID: appID,
            userID: userID,
            expirationDate: expirationDate,
            refreshDate: refreshDate,
            dataAccessExpirationDate: dataAccessExpirationDate
        )
    }

    @Test(.rule("F6.1")) func `an access token has nine properties with the given values`() {
        let token = token()
        #expect(token.tokenString == "EAAmade-up")
        #expect(token.permissions == [.email])
        #expect(token.declinedPermissions == [.userBirthday])
        #expect(token.expiredPermissions == [.userLink])
        #expect(token.appID == "1234567890")
        #expect(token.userID == "1000000000000042")
        #expect(token.expirationDate == Self.now + 60)
        #expect(token.refreshDate == Self.now)
        #expect(token.dataAccessExpirationDate == Self.now + 90)
    }

    @Test(.rule("F6.1", "F6.3")) func `an access token without an expiry does not expire`() {
        let token = token(expirationDate: nil, dataAccessExpirationDate: nil)
        #expect(!token.isExpired(at: .distantFuture) && !token.isDataAccessExpired(at: .distantFuture))
        #expect(token.expirationDate == nil && token.dataAccessExpirationDate == nil)
    }

    @Test(.rule("F6.2")) func `a permission is granted only if its exact name is listed`() {
        let token = token(permissions: [.email, .userFriends], declined: [.email])
        #expect(token.hasGranted(.email) && token.hasGranted("user_friends"))
        #expect(!token.hasGranted("Email") && !token.hasGranted("emai") && !token.hasGranted("email "))
        #expect(!token.hasGranted(.userLink), "an expired permission is none")
    }

    @Test(.rule("F6.3")) func `an access token has expired from its expiry time on`() {
        let token = token()
        #expect(!token.isExpired(at: Self.now + 59.999))
        #expect(token.isExpired(at: Self.now + 60))
        #expect(!token.isDataAccessExpired(at: Self.now + 89.999))
        #expect(token.isDataAccessExpired(at: Self.now + 90))
    }

    @Test(.rule("F6.4")) func `access tokens are equal if all nine properties are`() {
        let others = [
            token("EAAother"), token(permissions: []), token(declined: []), token(expired: []), token(appID: "1"),
            token(userID: "1"), token(expirationDate: nil), token(refreshDate: Self.now + 1),
            token(dataAccessExpirationDate: nil),
        ]
        #expect(Set([token(), token()] + others).count == 10)
        for other in others { #expect(other != token()) }
    }

    @Test(.rule("F6.22")) func `a stored access token decodes to an equal one, with or without an expiry`() throws {
        for token in [token(), token(expirationDate: nil, dataAccessExpirationDate: nil)] {
            let stored = try JSONEncoder().encode(token)
            #expect(try JSONDecoder().decode(AccessToken.self, from: stored) == token)
        }
    }

    @Test(
        .rule("F6.22"),
        arguments: [
            "tokenString", "permissions", "declinedPermissions", "expiredPermissions", "appID", "userID",
            "expirationDate", "refreshDate", "dataAccessExpirationDate",
        ]
    )
    func `a stored access token with a missing property or a wrong type is refused`(member: String) throws {
        let stored = try JSONEncoder().encode(token())
        let all = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
        for value in [nil, ["made-up": true]] as [[String: Bool]?] {
            var members = all
            members[member] = value
            let changed = try JSONSerialization.data(withJSONObject: members)
            let error = #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(AccessToken.self, from: changed)
            }
            #expect(!String(describing: error).contains("made-up"))
        }
    }

    @Test func `no text shows the access token or the user`() {
        var dumped = ""
        dump([token()], to: &dumped)
        for text in ["\(token())", String(reflecting: token()), dumped] {
            #expect(text.contains("AccessToken") && !text.contains("made-up") && !text.contains("42"))
        }
    }
}
