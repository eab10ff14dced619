// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// Values in a log: they reveal no credential, and nothing about the user.
@Suite struct RedactionTests {
    private static let subject = "1000000000000042"
    private static let personal = [
        "Ada", "Example", "ada@example.com", subject, "Martinez", "112724962075996", "06/15", "06-15", "7788990011",
        "cdn.example",
        "female", "profile-address", FacebookBench.nonce,
    ]

    private let token: AuthenticationToken

    init() throws {
        token = try FacebookBench().verify(
            claims: [
                "sub": .string(Self.subject), "name": "Ada Example", "given_name": "Ada", "family_name": "Example",
                "email": "ada@example.com", "user_hometown": ["id": "112724962075996", "name": "Martinez, California"],
                "user_birthday": "06/15/1990", "user_friends": ["7788990011"], "picture": "https://cdn.example/a",
                "user_gender": "female", "user_link": "https://www.facebook.com/profile-address",
            ]
        )
    }

    @Test func `the description of an AuthenticationToken is redacted`() throws {
        #expect(token.profile.email == "ada@example.com")
        try expectRedacted(token)
    }

    @Test func `the description of AuthenticationTokenClaims is redacted`() throws {
        try expectRedacted(token.claims)
    }

    @Test func `the description of a Profile is redacted`() throws {
        try expectRedacted(token.profile)
    }

    @Test func `the description of a VerifiedToken is redacted`() throws {
        try expectRedacted(token.verified)
    }

    @Test func `the descriptions of Claims and VerifiedJWS are redacted`() throws {
        try expectRedacted(token.verified.claims)
        try expectRedacted(token.verified.jws)
    }

    @Test func `the description of a claim is its type`() throws {
        let claim = try #require(token.verified.claims["email"])
        try expectRedacted(claim)
        #expect(String(describing: claim) == "JSON string")
    }

    @Test func `a profile and a token inside other values are redacted`() throws {
        struct Account { let profile: Profile, token: AuthenticationToken? }
        try expectRedacted([Account(profile: token.profile, token: token)])
    }

    @Test func `a description names the kind of value`() {
        #expect("\(token)" == "AuthenticationToken for app 1234567890, verified")
        #expect("\(token.profile)" == "Profile")
        #expect("\(token.verified)".contains("https://www.facebook.com"))
    }

    private func expectRedacted(_ value: some Any, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var dumped = ""
        dump(value, to: &dumped)
        let secrets = Self.personal + token.tokenString.split(separator: ".").map(String.init)
        for text in [String(describing: value), String(reflecting: value), dumped] {
            try #require(!text.isEmpty, sourceLocation: sourceLocation)
            let shown = secrets.filter(text.contains)
            #expect(shown.isEmpty, "\(text)", sourceLocation: sourceLocation)
        }
    }
}
