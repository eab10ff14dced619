// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The time and method of authentication, and the organization of the account.
///
/// OpenID Connect Core §3.1.3.7, steps 12 and 13, and Google's `hd`.
@Suite struct AuthenticationTests {
    private let now = 1_760_000_000

    private static func bench(
        leeway: Int = 0,
        maximumAge: Duration? = nil,
        acrs: [String] = [],
        hostedDomain: String? = nil
    ) throws -> Bench {
        let issuer = TestIssuer(provider: .google)
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: [issuer.audience],
            leeway: .seconds(leeway),
            maximumAuthenticationAge: maximumAge,
            acceptedACRs: acrs,
            hostedDomain: hostedDomain
        )
        return try Bench(issuer: issuer, policy: policy)
    }

    private func seconds(_ offset: Int) -> TestJSON { .number("\(now + offset)") }

    // MARK: auth_time

    @Test(.rule("T-138"), arguments: [0, 1, 30, 300], [0, 1, 300, 86400])
    func `an authentication older than the maximum age plus the leeway is refused`(leeway: Int, age: Int) throws {
        let bench = try Self.bench(leeway: leeway, maximumAge: .seconds(age))
        let oldest = try bench.verify { $0.claims["auth_time"] = seconds(-age - leeway) }
        #expect(oldest.claims.authenticatedAt == Date(timeIntervalSince1970: Double(now - age - leeway)))
        let refusal = expectRefusal(.authTime) {
            try bench.verify { $0.claims["auth_time"] = seconds(-age - leeway - 1) }
        }
        #expect(refusal?.member == "auth_time")
    }

    @Test(.rule("T-138"))
    func `a maximum authentication age of zero requires an authentication at the current time`() throws {
        let bench = try Self.bench(maximumAge: .zero)
        try bench.verify { $0.claims["auth_time"] = seconds(0) }
        expectRefusal(.authTime) { try bench.verify { $0.claims["auth_time"] = seconds(-1) } }
    }

    @Test(.rule("T-138"), arguments: [0, 30, 300])
    func `an authentication in the future by more than the leeway is refused`(leeway: Int) throws {
        let bench = try Self.bench(leeway: leeway, maximumAge: .seconds(60))
        try bench.verify { $0.claims["auth_time"] = seconds(leeway) }
        expectRefusal(.authTime) { try bench.verify { $0.claims["auth_time"] = seconds(leeway + 1) } }
    }

    @Test(.rule("T-138"))
    func `auth_time is compared with fractions of a second`() throws {
        let bench = try Self.bench(maximumAge: .milliseconds(1500))
        try bench.verify { $0.claims["auth_time"] = .number("\(now - 2).5") }
        expectRefusal(.authTime) { try bench.verify { $0.claims["auth_time"] = .number("\(now - 2).25") } }
        try bench.verify { $0.claims["auth_time"] = .number("1.76e9") }
        expectRefusal(.authTime) { try bench.verify { $0.claims["auth_time"] = .number("\(now).001") } }
    }

    @Test(.rule("T-138"))
    func `a token without auth_time is refused if the policy has a maximum authentication age`() throws {
        let asking = try Self.bench(maximumAge: .seconds(Int64.max))
        let refusal = expectRefusal(.authTime) { try asking.verify { $0.claims["auth_time"] = nil } }
        #expect(refusal?.member == "auth_time")
        try asking.verify { $0.claims["auth_time"] = 0 }
        #expect(try Self.bench().verify { $0.claims["auth_time"] = nil }.claims.authenticatedAt == nil)
    }

    @Test(.rule("T-138"), arguments: timesThatAreNone)
    func `an invalid auth_time is refused only if the policy has a maximum authentication age`(time: TestJSON) throws {
        let asking = try Self.bench(maximumAge: .seconds(Int64.max))
        let refusal = expectRefusal(.authTime) { try asking.verify { $0.claims["auth_time"] = time } }
        #expect(refusal?.member == "auth_time")
        #expect(try Self.bench().verify { $0.claims["auth_time"] = time }.claims.authenticatedAt == nil)
    }

    static let timesThatAreNone: [TestJSON] = [
        "1760000000", "", .null, true, [], [1_760_000_000], ["value": 1_760_000_000], .number("-1"),
        .number("253402300800"), .number("1e300"), .number("1e400"), .number("-1e400"),
        .number(String(repeating: "9", count: 400)),
    ]

    @Test(.rule("T-138"), arguments: [-86400 * 365, 86400])
    func `any auth_time is accepted without a maximum authentication age`(offset: Int) throws {
        let token = try Self.bench().verify { $0.claims["auth_time"] = seconds(offset) }
        #expect(token.claims.authenticatedAt == Date(timeIntervalSince1970: Double(now + offset)))
    }

    @Test(.rule("T-138"))
    func `a new token with an old authentication is refused`() throws {
        let bench = try Self.bench(maximumAge: .seconds(300))
        let text = bench.issuer.token {
            $0.claims["iat"] = seconds(0)
            $0.claims["auth_time"] = seconds(-300)
        }
        try bench.verify(text: text)
        bench.issuer.clock.advance(by: .seconds(1))
        expectRefusal(.authTime) { try bench.verify(text: text) }
    }

    @Test(.rule("T-138"))
    func `the refusal states the age of the authentication`() throws {
        let bench = try Self.bench(leeway: 30, maximumAge: .seconds(300))
        let old = expectRefusal(.authTime) { try bench.verify { $0.claims["auth_time"] = seconds(-400) } }
        #expect(old?.description.hasSuffix("authenticated 400 s ago; the maximum age is 300 s (leeway 30 s)") == true)
        let new = expectRefusal(.authTime) { try bench.verify { $0.claims["auth_time"] = seconds(31) } }
        #expect(new?.description.hasSuffix("auth_time is 2025-10-09T08:53:51Z, in 31 s (leeway 30 s)") == true)
    }

    // MARK: acr

    private static let acrs = ["urn:mace:incommon:iap:silver", "2"]

    @Test(.rule("T-139"), arguments: acrs)
    func `each accepted authentication context class is accepted and reported`(acr: String) throws {
        let token = try Self.bench(acrs: Self.acrs).verify { $0.claims["acr"] = .string(acr) }
        #expect(token.claims.authenticationContextClass == acr)
    }

    @Test(
        .rule("T-139"),
        arguments: [
            "urn:mace:incommon:iap:bronze", "URN:mace:incommon:iap:silver", "urn:mace:incommon:iap:Silver",
            "urn:mace:incommon:iap:silve", "urn:mace:incommon:iap:silver2", "urn:mace:incommon:iap:silver 2", "22",
            "1", "0", "3", "", " 2", "2\0", "\u{FF12}",
        ]
    )
    func `any other authentication context class is refused`(acr: String) throws {
        let bench = try Self.bench(acrs: Self.acrs)
        let refusal = expectRefusal(.acr) { try bench.verify { $0.claims["acr"] = .string(acr) } }
        #expect(refusal?.member == "acr")
    }

    @Test(.rule("T-139"), arguments: [nil, .null, 2, true, ["2"], ["2": true], []] as [TestJSON?])
    func `a missing or non-string authentication context class is refused only if the policy requires one`(
        acr: TestJSON?
    ) throws {
        let bench = try Self.bench(acrs: Self.acrs)
        let refusal = expectRefusal(.acr) { try bench.verify { $0.claims["acr"] = acr } }
        #expect(refusal?.member == "acr")
        let token = try Self.bench().verify { $0.claims["acr"] = acr }
        #expect(token.claims.authenticationContextClass == nil)
    }

    @Test(.rule("T-139"))
    func `authentication context classes that differ only in Unicode normalization are different`() throws {
        let bench = try Self.bench(acrs: ["caf\u{E9}"])
        try bench.verify { $0.claims["acr"] = "caf\u{E9}" }
        expectRefusal(.acr) { try bench.verify { $0.claims["acr"] = "cafe\u{301}" } }
    }

    // MARK: amr

    @Test(
        .rule("T-140"),
        arguments: [
            (nil, []), ([], []), (["pwd"], ["pwd"]), (["pwd", "otp", "pwd"], ["pwd", "otp", "pwd"]), ([""], [""]),
            ([["method": "password", "timestamp": 1]], ["password"]),
        ]
            as [(TestJSON?, [String])]
    )
    func `authentication methods are an array of strings or of objects, or absent`(
        methods: TestJSON?,
        expected: [String]
    ) throws {
        let token = try Self.bench().verify { $0.claims["amr"] = methods }
        #expect(token.claims.authenticationMethods == expected)
    }

    @Test(
        .rule("T-140"),
        arguments: [
            "pwd", "", .null, 1, true, [:], ["pwd": true], [1], ["pwd", 1], [1, "pwd"], [.null], [["pwd"]],
            ["pwd", [:]],
        ] as [TestJSON]
    )
    func `authentication methods of another type are refused only if the provider's tokens always have them`(
        methods: TestJSON
    ) throws {
        #expect(try Self.bench().verify { $0.claims["amr"] = methods }.claims.authenticationMethods.isEmpty)
        let provider = Provider(name: "p", issuers: ["https://p.example"], requiredClaims: ["amr"])
        let bench = try Bench(issuer: TestIssuer(provider: provider))
        try bench.verify { $0.claims["amr"] = ["pwd"] }
        let isMissing = ["null", "\"\""].contains(methods.text)
        let refusal = expectRefusal(isMissing ? .missingClaim : .claimType) {
            try bench.verify { $0.claims["amr"] = methods }
        }
        #expect(refusal?.member == "amr")
    }

    // MARK: hd

    @Test(.rule("T-141"))
    func `an account of the expected hosted domain is accepted`() throws {
        let token = try Self.bench(hostedDomain: "good.example").verify { $0.claims["hd"] = "good.example" }
        #expect(token.claims["hd"]?.string == "good.example")
    }

    @Test(
        .rule("T-141"),
        arguments: [
            "evil-good.example", "evil.good.example", "good.example.evil", "good.example.", ".good.example",
            "ood.example", "good.exampl", "GOOD.example", "Good.Example", "good.example\0", " good.example",
            "good.example ", "@good.example", "good.example,evil.example", "go\u{43E}d.example", "good\u{3002}example",
            "",
        ]
    )
    func `an account of a similar hosted domain is refused`(domain: String) throws {
        let bench = try Self.bench(hostedDomain: "good.example")
        let refusal = expectRefusal(.hostedDomain) { try bench.verify { $0.claims["hd"] = .string(domain) } }
        #expect(refusal?.member == "hd")
    }

    @Test(
        .rule("T-141"),
        arguments: [nil, .null, 1, true, ["good.example"], ["good.example": true], []] as [TestJSON?]
    )
    func `a missing or non-string hosted domain is refused only if the policy requires one`(
        domain: TestJSON?
    ) throws {
        let bench = try Self.bench(hostedDomain: "good.example")
        let refusal = expectRefusal(.hostedDomain) { try bench.verify { $0.claims["hd"] = domain } }
        #expect(refusal?.member == "hd")
        try Self.bench().verify { $0.claims["hd"] = domain }
    }

    @Test(.rule("T-141"))
    func `the domain of the e-mail address does not count as the hosted domain`() throws {
        let bench = try Self.bench(hostedDomain: "good.example")
        let address: (inout TestToken) -> Void = {
            $0.claims["email"] = "ada@good.example"
            $0.claims["email_verified"] = true
        }
        expectRefusal(.hostedDomain) { try bench.verify(address) }
        try bench.verify {
            address(&$0)
            $0.claims["hd"] = "good.example"
        }
    }

    @Test(.rule("T-141"))
    func `a provider can have the hosted domain in another claim`() throws {
        let provider = Provider(name: "p", issuers: ["https://p.example"], hostedDomainClaim: "org")
        let issuer = TestIssuer(provider: provider)
        let policy = try TokenPolicy(provider: provider, audiences: [issuer.audience], hostedDomain: "good.example")
        let bench = try Bench(issuer: issuer, policy: policy)
        try bench.verify { $0.claims["org"] = "good.example" }
        let refusal = expectRefusal(.hostedDomain) { try bench.verify { $0.claims["hd"] = "good.example" } }
        #expect(refusal?.member == "org")
    }

    // MARK: Before the signature

    @Test(.rule("T-138", "T-139", "T-140", "T-141"), arguments: ["auth_time", "acr", "amr", "hd"])
    func `authentication and domain claims are not checked before the signature is verified`(claim: String) throws {
        let bench = try Self.bench(maximumAge: .zero, acrs: ["2"], hostedDomain: "good.example")
        expectRefusal(.signature) {
            try bench.verify {
                $0.claims[claim] = 7
                $0.signing = .key(.another)
            }
        }
    }
}
