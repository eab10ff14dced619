// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The form that a callback receives.
@Suite struct CallbackFormTests {
    let facebook = FacebookStandIn()

    func expect(_ code: SignedRequestRefusal.Code, _ body: some Collection<UInt8>) {
        let refusal = #expect(throws: SignedRequestRefusal.self) { _ = try SignedRequest.field(inFormBody: body) }
        #expect(refusal?.code == code)
    }

    @Test(.rule("F10.1"))
    func `the field of the form is found, and its signed request verified`() throws {
        let text = facebook.signedRequest()
        for body in ["signed_request=\(text)", "a=b&signed_request=\(text.replacing(".", with: "%2E"))&"] {
            let field = try SignedRequest.field(inFormBody: body.utf8)
            let request = try SignedRequest(verifying: field, app: facebook.app(), clock: facebook.clock)
            #expect(request.userID == facebook.person.id)
        }
    }

    @Test(
        .rule("F10.1"),
        arguments: [
            "", "a=b", "Signed_request=a.b", "signed_request=a.b&signed_request=a.b", "signed_request=a.b%", "%zz=1",
            "signed_request=%FF", "signed%5Frequest=a&signed_request=a", "{\"signed_request\":\"a.b\"}",
        ]
    )
    func `a body without exactly one such field is refused`(body: String) {
        expect(.form, body.utf8)
    }

    @Test func `the sizes of the body and of the number of fields are limited`() throws {
        let field = "signed_request="
        let longest = field + String(repeating: "x", count: SignedRequest.maximumFormBytes - field.utf8.count)
        #expect(try SignedRequest.field(inFormBody: longest.utf8).utf8.count == longest.utf8.count - 15)
        expect(.tooLarge, (longest + "x").utf8)
        let fields = String(repeating: "a=1&", count: 63) + "signed_request=b"
        #expect(try SignedRequest.field(inFormBody: fields.utf8) == "b")
        expect(.form, ("a=1&" + fields).utf8)
    }

    @Test func `a plus decoded to a space is named in the refusal`() throws {
        let field = try SignedRequest.field(inFormBody: "signed_request=YQ.Y+Q".utf8)
        #expect(field == "YQ.Y Q")
        let refusal = #expect(throws: SignedRequestRefusal.self) {
            _ = try SignedRequest(verifying: field, app: facebook.app())
        }
        #expect(refusal?.code == .encoding && refusal?.description.contains("contains a space") == true)
    }
}
