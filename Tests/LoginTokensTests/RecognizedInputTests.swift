// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Inputs other than ID tokens are recognized by kind, and refused like any invalid token.
@Suite struct RecognizedInputTests {
    static let simple: [(String, RecognizedInput)] = [
        ("", .empty),
        ("EAABwzLixnjYBO0ZBabc", .facebookAccessToken), ("EAA", .facebookAccessToken),
        ("ya29.a0AfB_byC1dE-f", .googleAccessToken), ("ya29.A0B.c.d", .googleAccessToken),
        ("Bearer eyJhbGciOiJSUzI1NiJ9.e30.AA", .authorizationHeader), ("bearer x", .authorizationHeader),
        ("DPoP eyJ", .authorizationHeader),
        ("{\"id_token\":\"eyJ\"}", .json), ("[]", .json),
        ("https://client.example/#id_token=eyJ", .url), ("http://x", .url), ("HTTPS://X", .url),
        ("-----BEGIN PUBLIC KEY-----\nMIIB", .pem), ("-----BEGIN CERTIFICATE-----", .pem),
        ("id_token=eyJ.eyJ.AA", .url), ("#id_token=eyJ&state=x", .url), ("?ID_TOKEN=", .url),
        ("\"eyJ.eyJ.AA\"", .quotedToken), ("'eyJ.eyJ.AA'", .quotedToken), ("Optional(\"eyJ.eyJ.AA\")", .quotedToken),
        (" ", .empty), ("\n\n", .empty), ("eyJ.eyJ.AA\n", .wrappedToken), ("eyJ.\r\neyJ.AA", .wrappedToken),
        ("eyJhbGciOi", .truncatedToken), ("eyJhbGciOiJSUzI1NiJ9.eyJpc3M", .truncatedToken),
        ("Authorization: Bearer eyJ.eyJ.AA", .authorizationHeader),
    ]

    @Test(arguments: simple)
    func `input is recognized by its beginning or by its spaces`(text: String, expected: RecognizedInput) {
        #expect(RecognizedInput(text) == expected)
    }

    @Test(arguments: [
        "hello world", "\teyJ", "eyJhbGciOiJSUzI1NiJ9.e30.AA", "a.b", "a.b.c.d", "a.b.c.d.e.f", "...",
        "Bearer", "EA", "eaa", "ya29", "a.ya29.", "-----", "id_token", "Optional(eyJ)",
        "\u{0}",
    ])
    func `other input is not recognized`(text: String) {
        #expect(RecognizedInput(text) == nil)
    }

    @Test(arguments: ["a.b.c.d.e", "eyJ.AA.AA.AA.AA", "a..c.d.e"])
    func `five segments are recognized as an encrypted token, also with an empty key`(text: String) {
        // RFC 7516 §5.1: with direct encryption the second part is empty.
        #expect(RecognizedInput(text) == .encryptedToken)
    }

    @Test(arguments: ["HMAC-SHA256", "hmac-sha256"])
    func `a signed request is recognized by its algorithm`(algorithm: String) {
        let payload = (["algorithm": .string(algorithm), "user_id": "1"] as TestJSON).text
        #expect(RecognizedInput("c2ln." + Base64URL.encode(Array(payload.utf8))) == .signedRequest)
        #expect(RecognizedInput("c2ln." + Base64URL.encode(Array("{}".utf8))) == nil)
    }

    @Test(
        arguments: [
            ("dpop+jwt", .dpopProof), ("application/DPoP+JWT", .dpopProof), ("logout+jwt", .logoutToken),
            ("at+jwt", .accessTokenJWT), ("application/at+jwt", .accessTokenJWT), ("JWT", nil),
        ] as [(String, RecognizedInput?)]
    )
    func `other kinds of JWT are recognized by their type, and refused`(type: String, expected: RecognizedInput?) throws
    {
        let bench = try Bench()
        let text = bench.issuer.token { $0.header["typ"] = .string(type) }
        #expect(RecognizedInput(text) == expected)
        guard let expected else { return }
        let refusal = expectRefusal(.tokenType) { try bench.verify(text: text) }
        #expect(refusal?.recognizedAs == expected)
        #expect(refusal?.publicMessage == "token-type: \(expected.explanation)")
    }

    @Test(
        .rule("T-143"),
        arguments: [["http://schemas.openid.net/event/backchannel-logout": [:]], [:], .null] as [TestJSON]
    )
    func `a logout token without a type is recognized by its events, and refused`(events: TestJSON) throws {
        let bench = try Bench()
        let refusal = expectRefusal(.tokenType) {
            try bench.verify { token in
                token.header["typ"] = nil
                token.claims["events"] = events
            }
        }
        #expect(refusal?.recognizedAs == .logoutToken)
        try bench.verify { $0.claims["event"] = events }
    }

    @Test(
        .rule("T-143"),
        arguments: ["access", "refresh", "ID", "id ", "", .null, 1, true, ["id"], ["id": true]] as [TestJSON]
    )
    func `a token with a token_use other than id is refused`(use: TestJSON) throws {
        // Nothing else distinguishes Amazon Cognito's access tokens from its ID tokens.
        let bench = try Bench()
        for type: TestJSON? in [nil, "JWT"] {
            let refusal = expectRefusal(.tokenType) {
                try bench.verify { token in
                    token.header["typ"] = type
                    token.claims["token_use"] = use
                }
            }
            #expect(refusal?.member == "token_use")
        }
        try bench.verify { $0.claims["use"] = use }
    }

    @Test(
        .rule("T-143"),
        arguments: ["typ", "token_type"],
        ["Bearer", "DPoP", "Refresh", "OFFLINE", "logout-token", "urn:ietf:params:oauth:token-type:access_token"]
    )
    func `a token that a claim names another kind is refused, and any other word says nothing`(
        claim: String,
        kind: String
    ) throws {
        let bench = try Bench()
        for value in [.string(kind), ["JWT", .string(kind)]] as [TestJSON] {
            let refusal = expectRefusal(.tokenType) { try bench.verify { $0.claims[claim] = value } }
            #expect(refusal?.member == claim)
        }
        for other in ["ID", "id_token", "JWT", "", "session", 1, .null, [], ["ID", 1]] as [TestJSON] {
            try bench.verify { $0.claims[claim] = other }
        }
    }

    @Test(.rule("T-143"), arguments: ["id", .raw(#""\u0069d""#)] as [TestJSON])
    func `a token with token_use id is accepted`(use: TestJSON) throws {
        try Bench().verify { $0.claims["token_use"] = use }
    }

    @Test(arguments: simple)
    func `recognized input is refused, and the refusal says what to send`(text: String, expected: RecognizedInput)
        throws
    {
        let bench = try Bench()
        do throws(TokenRefusal) {
            try bench.verify(text: text)
            Issue.record("accepted")
        } catch {
            #expect([.segments, .encoding].contains(error.code))
            #expect(error.recognizedAs == expected)
            #expect(error.publicMessage == "\(error.code): \(expected.explanation)")
            #expect(error.description.contains(expected.explanation))
        }
    }

    @Test
    func `the asynchronous and the synchronous method recognize the same input`() async throws {
        let bench = try Bench()
        let refusal = await expectRefused(.segments) { () async throws(VerificationError) in
            try await bench.verifier.verify("EAABwzLix", nonce: .mustBeAbsent)
        }
        #expect(refusal?.recognizedAs == .facebookAccessToken)
    }

    /// A token with a valid form is not explained as another kind of input.
    @Test
    func `a well-formed token is not recognized as another kind of input`() throws {
        let bench = try Bench()
        let refusal = expectRefusal(.audience) {
            try bench.verify { $0.claims["aud"] = "other" }
        }
        #expect(refusal?.recognizedAs == nil)
        #expect(refusal?.publicMessage == "audience: \(VerificationCode.audience.explanation)")
    }

    @Test
    func `only the beginning of a long text is examined`() throws {
        let text = "EAA" + String(repeating: "x", count: 1 << 20)
        let refusal = expectRefusal(.tooLarge) { try Bench().verify(text: text) }
        #expect(refusal?.recognizedAs == .facebookAccessToken)
        #expect(RecognizedInput(String(repeating: "x", count: Limits.tokenBytes) + " ") == nil)
    }
}
