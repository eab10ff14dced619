// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LimitedLoginTesting
internal import LoginCrypto
import LoginProviders
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The signed requests that Facebook posts to the callbacks of an app, verified with the app secret.
@Suite struct SignedRequestTests {
    let facebook = FacebookStandIn()

    @discardableResult
    func verify(_ text: String, maximumAge: Duration? = .seconds(3600)) throws(SignedRequestRefusal) -> SignedRequest {
        let app: FacebookApp
        do { app = try facebook.app() } catch { preconditionFailure("\(error)") }
        return try SignedRequest(verifying: text, app: app, maximumAge: maximumAge, clock: facebook.clock)
    }

    @discardableResult
    func verify(_ change: (inout TestJSON) -> Void) throws(SignedRequestRefusal) -> SignedRequest {
        try verify(facebook.signedRequest(change))
    }

    @discardableResult
    func expect(
        _ code: SignedRequestRefusal.Code,
        member: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> SignedRequest
    ) -> SignedRequestRefusal? {
        let refusal = #expect(throws: SignedRequestRefusal.self, sourceLocation: sourceLocation) { _ = try body() }
        #expect(refusal?.code == code, sourceLocation: sourceLocation)
        #expect(refusal?.member == member, sourceLocation: sourceLocation)
        return refusal
    }

    /// Returns a signed request with this payload text and a valid signature.
    func signed(encoded: String) -> String {
        let signature = Digest.sha256.authenticationCode(of: encoded.utf8, key: facebook.appSecret.utf8)
        return Base64URL.encode(signature) + "." + encoded
    }

    @Test(.rule("F10.3"))
    func `a genuine signed request has the time and the user ID`() throws {
        let request = try verify { payload in
            payload["expires"] = 1_760_003_600
            payload["user"] = ["country": "fr", "locale": "fr_FR", "age": ["min": 21]]
            payload["profile_id"] = "900"
        }
        #expect(request.userID == facebook.person.id && request.issuedAt == facebook.clock.now)
        #expect(request.expires == Date(timeIntervalSince1970: 1_760_003_600))
        #expect(request.country == "fr" && request.locale == "fr_FR" && request.ageRange?.min == 21)
        #expect(request.profileID == "900" && request.notes.isEmpty && request["user_id"]?.string == request.userID)
        #expect(request.names == ["user_id", "algorithm", "issued_at", "expires", "user", "profile_id"])
    }

    @Test(.rule("F10.6"), arguments: LoginTracking.allCases)
    func `the user ID is the subject of ID tokens of either login`(tracking: LoginTracking) async throws {
        let bench = try LoginBench()
        bench.facebook.person.id = "1000000000000077"
        let login = try success(try await bench.logIn(.facebook(permissions: [], tracking: tracking)))
        let request = try SignedRequest(
            verifying: bench.facebook.signedRequest(),
            app: bench.facebook.app(),
            clock: bench.facebook.clock
        )
        #expect(request.userID == login.identity.subject && request.userID == "1000000000000077")
    }

    @Test func `a signed request with only the required members is accepted`() throws {
        let request = try verify { $0["user_id"] = nil }
        #expect(request.userID == nil && request.expires == nil && request.country == nil && request.locale == nil)
        #expect(request.ageRange == nil && request.profileID == nil)
        #expect(request.notes.map(\.claim) == ["user_id"])
    }

    @Test(.rule("F10.2", "F10.7"))
    func `the signature covers the second part as received, with the secret of this app only`() throws {
        let payload = Array(#"{"algorithm":"HMAC-SHA256","issued_at":1760000000,"user_id":"1"}"#.utf8)
        try verify(FacebookStandIn.signedRequest(payload: payload, secret: facebook.appSecret))
        expect(.signature) { try verify(FacebookStandIn.signedRequest(payload: payload, secret: "other")) }
        // Over the decoded payload, as some implementations compute it.
        let ofDecoded = Digest.sha256.authenticationCode(of: payload, key: facebook.appSecret.utf8)
        expect(.signature) { try verify(Base64URL.encode(ofDecoded) + "." + Base64URL.encode(payload)) }
        let good = Digest.sha256.authenticationCode(
            of: Base64URL.encode(payload).utf8,
            key: facebook.appSecret.utf8
        )
        for wrong in [good.dropLast(), good + [0], good.reversed(), [0]] as [[UInt8]] {
            expect(.signature) { try verify(Base64URL.encode(wrong) + "." + Base64URL.encode(payload)) }
        }
    }

    @Test func `an app without a secret verifies no signed request`() throws {
        let app = try facebook.app(withSecret: false)
        let text = facebook.signedRequest()
        expect(.noSecret) { try SignedRequest(verifying: text, app: app, clock: facebook.clock) }
    }

    @Test(arguments: ["HMAC-SHA256", "hmac-sha256", "Hmac-Sha256"])
    func `the algorithm is accepted in any letter case`(name: String) throws {
        try verify { $0["algorithm"] = .string(name) }
    }

    @Test(
        arguments: [nil, "", "HMAC-SHA1", "none", "AES-256-CBC HMAC-SHA256", "HMAC-\u{17F}HA256", 256, .null, []]
            as [TestJSON?]
    )
    func `another algorithm is refused`(name: TestJSON?) {
        expect(.algorithm, member: "algorithm") { try verify { $0["algorithm"] = name } }
    }

    @Test(
        arguments: [
            ("", "one part"), ("abc", "one part"), ("a.b.c", "ID token"), ("a.b.c.d", "more than two"), (".", "empty"),
            ("YQ.", "empty"), (".YQ", "empty"),
        ]
    )
    func `a text without exactly two parts is refused`(text: String, detail: String) {
        #expect(expect(.segments) { try verify(text) }?.detail.contains(detail) == true)
    }

    @Test(
        arguments: [
            ("EAABwzLixnjYBO", .facebookAccessToken), ("", .empty), ("{\"signed_request\":\"a.b\"}", .json),
            ("\"YQ.e30\"", .quotedToken), ("a.b.c", nil), ("eyJhbGciOi", nil), ("eyJ.eyJ.AA\n", nil),
        ] as [(String, RecognizedInput?)]
    )
    func `other input is recognized`(text: String, expected: RecognizedInput?) {
        let refusal = #expect(throws: SignedRequestRefusal.self) { try verify(text) }
        #expect(refusal.map { [.segments, .encoding].contains($0.code) } == true)
        #expect(refusal?.recognizedAs == expected)
        if let expected { #expect(refusal?.description.hasSuffix(". \(expected.explanation)") == true) }
    }

    @Test func `a damaged or refused signed request is not recognized as another kind of input`() {
        #expect(expect(.encoding) { try verify(facebook.signedRequest() + "=") }?.recognizedAs == nil)
        #expect(expect(.payload) { try verify("YQ.AA") }?.recognizedAs == nil)
    }

    @Test(.rule("F10.5"))
    func `a part that is not canonical base64url is refused, and the detail names the probable cause`() throws {
        let bytes = Array(#"{"algorithm":"HMAC-SHA256","issued_at":1760000000,"user":"~~~???"}"#.utf8)
        let encoded = Base64URL.encode(bytes)
        #expect(encoded.contains("-") || encoded.contains("_"))
        try verify(signed(encoded: encoded))
        let plain = Data(bytes).base64EncodedString()
        let cases = [
            (encoded + "=", "padding"), (plain, "encoded in base64"),
            (plain.replacing("+", with: " ").replacing("/", with: " "), "space"),
            (encoded + "%3D", "not decoded"), (encoded + "\n", "not canonical"), (encoded + "é", "not canonical"),
            (encoded + ", really", "not canonical"),
        ]
        for (text, detail) in cases {
            let refusal = expect(.encoding) { try verify(signed(encoded: text)) }
            #expect(refusal?.detail.contains(detail) == true, "\(detail)")
        }
        let good = facebook.signedRequest()
        #expect(expect(.encoding) { try verify("=" + good) }?.detail.hasPrefix("the signature") == true)
    }

    @Test(
        arguments: [
            "", "[]", "\"HMAC-SHA256\"", "{", "{}x", #"{"algorithm":"HMAC-SHA256","algorithm":"HMAC-SHA256"}"#,
            #"{"a":{"b":1,"b":2}}"#, "\u{FEFF}{}", "{'a':1}", #"{"a":01}"#,
            String(repeating: "[", count: 5000),
        ]
    )
    func `a payload that is not a strict JSON object is refused`(json: String) {
        let payload = Array(json.utf8)
        expect(payload.isEmpty ? .segments : .payload) {
            try verify(FacebookStandIn.signedRequest(payload: payload, secret: facebook.appSecret))
        }
    }

    @Test func `a payload that is not UTF-8 is refused`() {
        let payload: [UInt8] = Array(#"{"a":""#.utf8) + [0xFF] + Array("\"}".utf8)
        expect(.payload) { try verify(FacebookStandIn.signedRequest(payload: payload, secret: facebook.appSecret)) }
    }

    @Test func `a signed request can be as long as a token and no longer`() throws {
        func text(_ padding: Int) -> String {
            facebook.signedRequest { $0["padding"] = .string(String(repeating: "x", count: padding)) }
        }
        // Three bytes are encoded as four characters.
        var padding = 12_000 + (Limits.tokenBytes - text(12_000).utf8.count) * 3 / 4 - 4
        while text(padding + 1).utf8.count <= Limits.tokenBytes { padding += 1 }
        try verify(text(padding))
        expect(.tooLarge) { try verify(text(padding + 1)) }
        expect(.tooLarge) { try verify(String(repeating: "a.", count: 1 << 20)) }
    }

    @Test func `issued_at is required and must be a time`() throws {
        expect(.missingClaim, member: "issued_at") { try verify { $0["issued_at"] = nil } }
        for value in ["1760000000", .null, true, -1, .raw("1e12"), .raw("1e999"), []] as [TestJSON] {
            expect(.claimType, member: "issued_at") { try verify { $0["issued_at"] = value } }
        }
        try verify { $0["issued_at"] = 1_760_000_000.5 }
    }

    @Test(.rule("F10.5"))
    func `a signed request older than the limit is refused, to the second`() throws {
        let text = facebook.signedRequest()
        facebook.clock.advance(by: .seconds(3630))
        try verify(text)
        try verify(text, maximumAge: .seconds(3600))
        expect(.tooOld, member: "issued_at") { try verify(text, maximumAge: .seconds(3599)) }
        facebook.clock.advance(by: .seconds(1))
        expect(.tooOld, member: "issued_at") { try verify(text) }
        try verify(text, maximumAge: nil)
    }

    @Test func `a signed request dated in the future is refused, to the second`() throws {
        try verify { $0["issued_at"] = 1_760_000_030 }
        expect(.issuedInFuture, member: "issued_at") { try verify { $0["issued_at"] = 1_760_000_031 } }
        let future = facebook.signedRequest { $0["issued_at"] = 1_760_000_031 }
        expect(.issuedInFuture, member: "issued_at") { try verify(future, maximumAge: nil) }
    }

    @Test(.rule("F10.5"))
    func `the user ID 0 of a page visitor counts as no user`() throws {
        let request = try verify { $0["user_id"] = "0" }
        #expect(
            request.userID == nil && request.notes.map(\.description) == ["user_id: 0: the request concerns no user"]
        )
        #expect(try verify { $0["user_id"] = "00" }.userID == "00")
    }

    @Test func `the user ID must satisfy the rules of a subject`() throws {
        for value in [1, .null, true, ["1"], ["id": "1"]] as [TestJSON] {
            expect(.claimType, member: "user_id") { try verify { $0["user_id"] = value } }
        }
        for text in ["", "é", String(repeating: "1", count: 256)] {
            expect(.subject, member: "user_id") { try verify { $0["user_id"] = .string(text) } }
        }
        #expect(try verify { $0["user_id"] = .string(String(repeating: "1", count: 255)) }.userID?.count == 255)
    }

    @Test func `other unreadable members are omitted and noted`() throws {
        let request = try verify { payload in
            payload["expires"] = "0"
            payload["user"] = ["country": 1, "locale": .null, "age": ["min": "21"]]
            payload["profile_id"] = 900
        }
        #expect(request.expires == nil && request.country == nil && request.ageRange == nil)
        #expect(request.profileID == nil)
        let names = ["user.country", "user.locale", "profile_id", "expires", "user.age"]
        #expect(request.notes.map(\.claim) == names)
        #expect(try verify { $0["user"] = "fr" }.notes.map(\.claim) == ["user"])
        // Facebook writes 0 for no expiry.
        let endless = try verify { $0["expires"] = 0 }
        #expect(endless.expires == nil && endless.notes.isEmpty)
    }

    @Test func `each check is reported once, in order, with any result`() throws {
        let app = try facebook.app()
        func reports(_ text: String, maximumAge: Duration? = .seconds(60)) -> [CheckReport] {
            var reports: [CheckReport] = []
            _ = try? SignedRequest(
                verifying: text,
                app: app,
                maximumAge: maximumAge,
                clock: facebook.clock,
                explain: { reports.append($0) }
            )
            return reports
        }
        let texts = [
            facebook.signedRequest(), "", "a.b", "YQ.YQ", facebook.signedRequest { $0["algorithm"] = nil },
            facebook.signedRequest() + "AAAA", facebook.signedRequest { $0["issued_at"] = nil },
            facebook.signedRequest { $0["user_id"] = 1 }, facebook.signedRequest { $0["issued_at"] = 1_770_000_000 },
            facebook.signedRequest { $0["issued_at"] = 1 },
        ]
        for text in texts {
            let reports = reports(text)
            #expect(reports.map(\.check) == SignedRequest.checks)
            #expect(reports.count { $0.outcome == .fail } == (text == texts[0] ? 0 : 1))
            #expect(!reports.contains { $0.detail.contains(facebook.person.id) })
        }
        #expect(reports(texts[0]).allSatisfy { $0.outcome == .pass })
        #expect(reports(texts[0], maximumAge: nil).last?.outcome == .skipped)
    }

    @Test func `no text of a refusal or a result shows the signed content or the secret`() throws {
        let request = try verify { $0["oauth_token"] = "EAAsecret" }
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] {
            #expect(!text.contains(facebook.person.id) && !text.contains("EAA"))
        }
        let forged = FacebookStandIn.signedRequest(payload: Array(#"{"a":"private"}"#.utf8), secret: "x")
        let refusal = try #require(expect(.algorithm, member: "algorithm") { try verify(forged) })
        #expect(!refusal.description.contains("private") && !refusal.description.contains(facebook.appSecret))
        #expect(refusal.description.hasPrefix("signed request refused: algorithm: "))
    }
}

/// Every bit of a signed request is covered by the signature.
@Suite struct SignedRequestMutationTests {
    let facebook = FacebookStandIn()

    @Test(.rule("F10.2"))
    func `a signed request with any small change is refused`() throws {
        let app = try facebook.app()
        let text = facebook.signedRequest { payload in
            payload["issued_at"] = nil
            payload["issued_at"] = 1_760_000_000
        }
        func code(_ bytes: [UInt8]) -> SignedRequestRefusal.Code? {
            do throws(SignedRequestRefusal) {
                let text = String(decoding: bytes, as: UTF8.self)
                _ = try SignedRequest(verifying: text, app: app, clock: facebook.clock)
                return nil
            } catch {
                return error.code
            }
        }
        let bytes = Array(text.utf8)
        #expect(code(bytes) == nil)
        var seen: Set<SignedRequestRefusal.Code?> = []
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                seen.insert(code(changed))
            }
            seen.insert(code(Array(bytes[..<index])))
            seen.insert(code(bytes.enumerated().filter { $0.offset != index }.map(\.element)))
            seen.insert(code(Array(bytes[...index]) + Array(bytes[index...])))
        }
        #expect(!seen.contains(nil))
        #expect(seen.isSuperset(of: [.segments, .encoding, .payload, .algorithm, .signature]))
    }
}
