// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// OpenID Connect Core §3.1.3.7, step 2: the issuer.
@Suite struct IssuerTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test(.rule("T-100"))
    func `the issuer of the policy is accepted and reported as the policy spells it`() throws {
        #expect(try bench.verify().issuer == "https://issuer.example")
        // RFC 8259 §7: a string with escapes is the same string.
        let escaped = try bench.verify { $0.claims["iss"] = .raw(#""https:\/\/issuer.ex\u0061mple""#) }
        #expect(escaped.issuer == "https://issuer.example")
    }

    @Test(.rule("T-100"))
    func `a token without an issuer is refused`() {
        let refusal = expectRefusal(.missingClaim) { try bench.verify { $0.claims["iss"] = nil } }
        #expect(refusal?.member == "iss")
    }

    @Test(.rule("T-100", "T-103"), arguments: issuersOfAnotherType)
    func `an issuer that is not a string is refused`(issuer: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["iss"] = issuer } }
    }

    static let issuersOfAnotherType: [TestJSON] = [
        1, true, ["https://issuer.example"], ["https://issuer.example": true], [],
    ]

    @Test(
        .rule("T-101"),
        arguments: [
            "https://issuer.example/", "https://ISSUER.example", "HTTPS://issuer.example", "https://issuer.example:443",
            "http://issuer.example", "issuer.example", "//issuer.example", "https://issuer.example?",
            "https://issuer.example#",
            "https://issuer.example.", "https://issuer%2Eexample", "https://user@issuer.example",
            "https://issuer.example/.",
        ]
    )
    func `a different spelling of the issuer is refused`(issuer: String) {
        expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(issuer) } }
    }

    @Test(
        .rule("T-102"),
        arguments: [
            "https://issuer.exampl", "ttps://issuer.example", "https://issuer.example.evil", "https://issuer.example/a",
            "xhttps://issuer.example", "https", "issuer", "", " https://issuer.example", "https://issuer.example ",
            "https://issuer.example\n", "https://issuer.example\0", "https://issuer.example\0.evil",
            "https://issuer.example,https://evil.example",
        ]
    )
    func `a prefix or an extension of the issuer is refused`(issuer: String) {
        expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(issuer) } }
    }

    @Test(.rule("T-101"), arguments: Provider.facebook.issuers)
    func `each spelling of a provider's issuer is accepted and reported as in the token`(issuer: String) throws {
        let facebook = try Bench(issuer: .facebook())
        #expect(try facebook.verify { $0.claims["iss"] = .string(issuer) }.issuer == issuer)
    }

    @Test(.rule("T-101"), arguments: ["https://facebook.com/", "https://www.facebook.com//", "https://m.facebook.com"])
    func `a spelling of the issuer that the provider does not use is refused`(issuer: String) throws {
        let facebook = try Bench(issuer: .facebook())
        expectRefusal(.issuer) { try facebook.verify { $0.claims["iss"] = .string(issuer) } }
    }

    @Test(.rule("T-104"))
    func `Google's issuer without https is accepted only if the policy lists it`() throws {
        let long = "https://accounts.google.com"
        let short = "accounts.google.com"
        let one = try Bench(issuer: TestIssuer(provider: .openID(issuers: [long])))
        try one.verify()
        expectRefusal(.issuer) { try one.verify { $0.claims["iss"] = .string(short) } }
        let both = try Bench(issuer: TestIssuer(provider: .openID(issuers: [long, short])))
        try both.verify()
        #expect(try both.verify { $0.claims["iss"] = .string(short) }.issuer == short)
    }

    @Test(.rule("T-106"))
    func `a tenant placeholder in the issuer is literal if the provider has no tenants`() throws {
        let template = "https://login.example/{tenantid}/v2.0"
        let bench = try Bench(issuer: TestIssuer(provider: .openID(issuers: [template])))
        try bench.verify()
        for issuer in [
            "https://login.example/11111111-2222-3333-4444-555555555555/v2.0", "https://login.example//v2.0",
            "https://login.example/*/v2.0",
        ] {
            expectRefusal(.issuer) {
                try bench.verify {
                    $0.claims["iss"] = .string(issuer)
                    $0.claims["tid"] = "11111111-2222-3333-4444-555555555555"
                }
            }
        }
    }

    @Test(.rule("T-107"))
    func `issuers that differ only in Unicode normalization are different`() throws {
        let composed = "https://caf\u{E9}.example"
        let decomposed = "https://cafe\u{301}.example"
        // Swift's `==` treats the two as equal, so the verifier must not use it.
        #expect(composed == decomposed)
        for (expected, other) in [(composed, decomposed), (decomposed, composed)] {
            let bench = try Bench(issuer: TestIssuer(provider: .openID(issuers: [expected])))
            try bench.verify()
            expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(other) } }
        }
    }
}
