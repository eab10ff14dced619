// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Inputs other than a Limited Login token: the refusal names their kind.
@Suite struct ConformancePastedTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(arguments: ["EAABwzLixnjYBO0000ZD", "EAAGm0PX4ZCps"])
    func `access token "EAA…" passed in is refused: this is an access token`(text: String) throws {
        let refusal = try #require(expectRefusal(.segments) { try bench.verify(text: text) })
        #expect(refusal.recognizedAs == .facebookAccessToken)
        #expect(refusal.publicMessage.contains("This is a Facebook access token"))
        #expect(!refusal.publicMessage.contains(text))
        #expect(!refusal.description.contains(text))
    }

    @Test(arguments: ["EA", "eaab", "AEAA", "opaque"])
    func `text that only resembles an access token is refused: segments`(text: String) {
        #expect(expectRefusal(.segments) { try bench.verify(text: text) }?.recognizedAs == nil)
    }

    @Test func `a signed_request is refused and recognized`() {
        let payload = Base64URL.encode(Array(#"{"algorithm":"HMAC-SHA256","user_id":"1"}"#.utf8))
        let refusal = expectRefusal(.segments) { try bench.verify(text: "c2lnbmF0dXJl.\(payload)") }
        #expect(refusal?.recognizedAs == .signedRequest)
    }

    @Test(.rule("T-003", "T-005"))
    func `a token with surrounding characters is refused: encoding`() {
        let token = bench.token()
        let cases: [(text: String, input: RecognizedInput)] = [
            ("Bearer \(token)", .authorizationHeader), ("\"\(token)\"", .quotedToken), (" \(token)", .wrappedToken),
            ("\(token)\n", .wrappedToken),
        ]
        for (text, input) in cases {
            #expect(expectRefusal(.encoding) { try bench.verify(text: text) }?.recognizedAs == input)
        }
    }

    @Test(.rule("T-001"))
    func `an empty text is refused: segments`() {
        #expect(expectRefusal(.segments) { try bench.verify(text: "") }?.recognizedAs == .empty)
    }

    /// A token refused for its contents, not for its form, is an ID token, so no other kind is recognized.
    @Test func `an ID token that is refused for another reason is not recognized as other input`() {
        let refusal = expectRefusal(.nonce) { try bench.verify(nonce: .exactly("attempt-2")) }
        #expect(refusal?.recognizedAs == nil)
    }
}
