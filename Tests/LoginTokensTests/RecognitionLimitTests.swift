// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Long texts: a refusal examines little of them, and still names what a long token was damaged by.
@Suite struct RecognitionLimitTests {
    /// A text of the form of a token, with a payload that is longer than the examined part.
    private static let token = "eyJhbGciOiJSUzI1NiJ9.\(String(repeating: "A", count: 3000)).AAAA"
    private static let padding = String(repeating: "x", count: 3000)

    static let inputs: [(String, RecognizedInput?)] = [
        // At the ends of a token of any length.
        ("\(token)\n", .wrappedToken), (" \(token)", .wrappedToken), ("\u{FEFF}\(token)", .strayCharacter),
        ("\(token);", .strayCharacter), ("\u{201C}\(token)\u{201D}", .strayCharacter),
        ("\(token)\n\(token)", .severalTokens), ("\(token)\r\n\r\n\(token)\n", .severalTokens),
        ("\"\(token)\"", .quotedToken), ("Bearer \(token)", .authorizationHeader),
        // By the beginning.
        ("EAA\(padding)", .facebookAccessToken), ("{\"id_token\":\"\(token)\"}", .json),
        ("https://app.example/#access_token=\(padding)&id_token=\(token)", .url),
        ("state=x&id_token=\(token)", .url), ("Error validating access token: \(padding)", .facebookGraphError),
        ("AQ\(padding)", .authorizationCode), ("1234|\(padding)", .facebookAppAccessToken),
        ("eyJ\(padding)", .truncatedToken), ("a.\(padding).c.d.e", .encryptedToken),
        // Beyond the examined part.
        ("\(padding) cannot parse access token", nil), ("access_token=\(padding)&id_token=x", nil),
        ("\(padding)\n\(token)", nil), (String(repeating: " ", count: 3000) + token, nil),
        ((0..<100).map { "p\($0)=x" }.joined(separator: "&") + "&id_token=x", nil),
    ]

    @Test(arguments: inputs)
    func `only the beginning and the end of a long text are examined`(text: String, expected: RecognizedInput?) {
        #expect(RecognizedInput(text) == expected)
    }

    @Test(arguments: ["a=&", ".", "=", "eyJ....", "%41", ".\u{200B}", "a ", "\n", "eyJ.\n", "64"])
    func `a text of 16 KiB without meaning is refused, and not mistaken for anything`(piece: String) throws {
        let text = String(repeating: piece, count: Limits.tokenBytes / piece.utf8.count)
        let bench = try Bench()
        do throws(TokenRefusal) {
            try bench.verify(text: text)
            Issue.record("accepted")
        } catch {
            #expect(error.recognizedAs == nil)
            #expect(error.publicMessage == "\(error.code): \(error.code.explanation)")
        }
    }

    @Test(arguments: [("nonce", true), ("other", false)])
    func `an ID token with long claims is recognized by an API`(claim: String, isIDToken: Bool) throws {
        let bench = try AccessTokenBench()
        let text = bench.issuer.token {
            $0.claims["long"] = .string(Self.padding)
            $0.claims[claim] = "x"
        }
        let refusal = expectRefusal(.tokenType) { try bench.verifier.verify(text, with: bench.issuer.keys) }
        #expect((refusal?.recognizedAs == .idToken) == isIDToken)
    }

    @Test func `the operator's text without the recognized kind has the code and the finding of the check`() throws {
        let bench = try Bench()
        let refusal = try #require(expectRefusal(.segments) { try bench.verify(text: "EAABwzLix") })
        #expect(refusal.description.hasPrefix(refusal.reason) && refusal.reason.contains("segments"))
        #expect(refusal.description.contains("Facebook") && !refusal.reason.contains("Facebook"))
    }
}
