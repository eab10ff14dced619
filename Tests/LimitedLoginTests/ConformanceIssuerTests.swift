// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The issuers that count as Facebook.
///
/// Facebook's SDK accepts any host that ends with its name; a server need not.
@Suite struct ConformanceIssuerTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(.rule("T-101"))
    func `iss https://www.facebook.com is accepted`() throws {
        try expectAccepted("https://www.facebook.com")
    }

    @Test(.rule("T-101"))
    func `iss https://facebook.com is accepted: the former issuer`() throws {
        try expectAccepted("https://facebook.com")
    }

    @Test(.rule("T-101"))
    func `iss https://www.facebook.com/ is accepted: a separate entry`() throws {
        try expectAccepted("https://www.facebook.com/")
    }

    @Test(.rule("T-101"))
    func `iss https://facebook.com/ is refused: issuer`() {
        expectIssuerRefusal("https://facebook.com/")
    }

    @Test(.rule("T-101"))
    func `iss https://limited.facebook.com is refused: issuer`() {
        expectIssuerRefusal("https://limited.facebook.com")
    }

    @Test(.rule("T-101"))
    func `iss http://www.facebook.com is refused: issuer`() {
        expectIssuerRefusal("http://www.facebook.com")
    }

    @Test(.rule("T-102"))
    func `iss https://evil.facebook.com is refused: issuer`() {
        expectIssuerRefusal("https://evil.facebook.com")
    }

    @Test(.rule("T-102"))
    func `iss https://notfacebook.com is refused: issuer`() {
        expectIssuerRefusal("https://notfacebook.com")
    }

    @Test(.rule("T-102"))
    func `iss https://facebook.com.evil is refused: issuer`() {
        expectIssuerRefusal("https://facebook.com.evil")
    }

    @Test(
        .rule("T-101", "T-102", "T-099"),
        arguments: [
            "", "facebook.com", "www.facebook.com", "https://FACEBOOK.com", "https://www.facebook.com:443",
            "https://www.facebook.com//", "https://www.facebook.com/?", "https://facebook.com/dialog/oauth",
            "https://facebook.com@evil.example", "https://www.facebook.com\u{0}.evil.example",
            " https://www.facebook.com",
            "https://www.facebook.co", "https://www.\u{FF46}acebook.com",
        ]
    )
    func `iss in any other spelling is refused: issuer`(issuer: String) {
        expectIssuerRefusal(issuer)
    }

    @Test(.rule("T-100"))
    func `iss missing is refused: missing-claim`() {
        expectRefusal(.missingClaim) { try bench.verify { $0.claims["iss"] = nil } }
    }

    @Test(.rule("T-100", "T-103"), arguments: [1, true, ["https://www.facebook.com"]] as [TestJSON])
    func `iss that is not a string is refused: claim-type`(issuer: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["iss"] = issuer } }
    }

    private func expectAccepted(_ issuer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let token = try bench.verify { $0.claims["iss"] = .string(issuer) }
        #expect(token.claims.iss == issuer, sourceLocation: sourceLocation)
    }

    private func expectIssuerRefusal(_ issuer: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let refusal = expectRefusal(.issuer, sourceLocation: sourceLocation) {
            try bench.verify { $0.claims["iss"] = .string(issuer) }
        }
        #expect(refusal?.member == "iss", sourceLocation: sourceLocation)
    }
}
