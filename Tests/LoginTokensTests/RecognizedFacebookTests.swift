// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Inputs that developers send when a sign-in with Facebook fails, with the explanation for each.
@Suite struct RecognizedFacebookTests {
    /// Expects that the text is refused and that the refusal contains an explanation.
    func expect(_ expected: RecognizedInput, _ text: String, saying words: String) throws {
        #expect(RecognizedInput(text) == expected)
        #expect(expected.explanation.contains(words))
        let bench = try Bench()
        do throws(TokenRefusal) {
            try bench.verify(text: text)
            Issue.record("accepted")
        } catch {
            #expect(error.recognizedAs == expected)
            #expect(error.publicMessage == "\(error.code): \(expected.explanation)")
        }
    }

    static let graphError =
        #"{"error":{"message":"Invalid OAuth access token - Cannot parse access token","type":"OAuthException","code":190}}"#

    @Test(
        .rule("M1", "M16"),
        arguments: [
            graphError, "Invalid OAuth access token - Cannot parse access token",
            "\"(#190) cannot parse access token\"",
        ]
    )
    func `an access token that the Graph API cannot parse is recognized`(text: String) throws {
        try expect(.facebookUnparsedToken, text, saying: "a login without tracking")
    }

    @Test(
        arguments: [
            #"{"error":{"message":"x","code":2,"fbtrace_id":"A"}}"#,
            #"{"error":{"message":"(#4) Application request limit reached","type":"OAuthException","code":4}}"#,
            #"{"error":{"type":"OAuthException","code":190,"error_subcode":463}}"#,
            "Error validating access token: Session has expired", "OAuthException: (#4) limit reached",
        ]
    )
    func `another error of the Graph API is not attributed to a login without tracking`(text: String) throws {
        try expect(.facebookGraphError, text, saying: "Graph API")
        #expect(!RecognizedInput.facebookGraphError.explanation.contains("tracking"))
    }

    @Test(.rule("M2"), arguments: ["EAABwzLixnjYBO0ZBabc", "EAA64092211200"])
    func `a Facebook access token is recognized`(text: String) throws {
        try expect(.facebookAccessToken, text, saying: "not an ID token")
    }

    @Test(
        .rule("M12", "M16"),
        arguments: [
            #"{"token":"EAAx","expires":64092211200000}"#, #"{"expires_at":64092211200}"#,
            "token: EAAx, expires: 64092211200000",
        ]
    )
    func `an access token that expires in the year 4001 is recognized`(text: String) throws {
        try expect(.facebookShimToken, text, saying: "4001")
    }

    @Test(
        .rule("M5"),
        arguments: [
            "The operation couldn’t be completed. (com.facebook.sdk.core error 309.)",
            "Error Domain=com.facebook.sdk.core Code=309 \"(null)\"",
        ]
    )
    func `an error of Facebook's SDK is recognized`(text: String) throws {
        try expect(.facebookSDKError, text, saying: "clock")
    }

    @Test(
        .rule("M9"),
        arguments: [
            #"{"issuer":"https://www.facebook.com","jwks_uri":"https://www.facebook.com/.well-known/oauth/openid/jwks/"}"#
        ]
    )
    func `Facebook's discovery document is recognized`(text: String) throws {
        try expect(.facebookDiscoveryDocument, text, saying: "token_endpoint")
    }

    @Test(
        arguments: [
            #"{"issuer":"https://issuer.example","jwks_uri":"x"}"#,
            #"{"issuer":"https://www.facebook.com.example","jwks_uri":"x"}"#,
            #"{"issuer":1,"jwks_uri":"x"}"#,
        ]
    )
    func `the discovery document of another issuer is not recognized as Facebook's`(text: String) throws {
        try expect(.discoveryDocument, text, saying: "discovery document")
        #expect(!RecognizedInput.discoveryDocument.explanation.contains("Facebook"))
    }

    @Test(.rule("M19"))
    func `a browser's error about a request to Facebook is recognized`() throws {
        let text =
            "Access to fetch at 'https://www.facebook.com/.well-known/openid-configuration/' from origin "
            + "'http://localhost:4200' has been blocked by CORS policy"
        try expect(.browserError, text, saying: "web pages cannot read")
    }

    @Test(.rule("M11"))
    func `a signed request is recognized`() throws {
        try expect(.signedRequest, FacebookStandIn().signedRequest(), saying: "signed_request")
    }

    @Test(
        arguments: [
            (#"{"error":"invalid_grant"}"#, .json), (#"{"error":{"code":190}}"#, .json), (#"{"issuer":"x"}"#, .json),
            (#"{"jwks_uri":"x"}"#, .json), ("{", .json), (#"{"expires":6409221120}"#, .json),
            ("com.facebook.sdk.core error 308", nil), ("com.facebook.sdk.login error 309", nil),
            ("com.facebook.sdk.core309", nil), ("CORS", nil), ("parse access token", nil),
            ("OAuthException", nil), ("error validating the access token", nil),
        ] as [(String, RecognizedInput?)]
    )
    func `similar input is not recognized`(text: String, expected: RecognizedInput?) {
        #expect(RecognizedInput(text) == expected)
    }

    @Test func `only the first characters of input longer than a token are examined`() {
        let long = String(repeating: "x ", count: Limits.tokenBytes)
        #expect(RecognizedInput(long + "cannot parse access token") == nil)
        #expect(RecognizedInput("cannot parse access token" + long) == nil)
        #expect(RecognizedInput(Self.graphError + long) == .json)
        #expect(RecognizedInput("EAA" + long) == .facebookAccessToken)
    }
}
