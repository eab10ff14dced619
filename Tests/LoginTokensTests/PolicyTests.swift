// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// An invalid policy is refused when it is created, not when the first token arrives.
@Suite struct PolicyTests {
    private static let provider = Provider.openID(issuers: ["https://issuer.example"])

    /// Returns the setting that an error is about, as its description names it.
    private func setting(_ error: PolicyError?) -> String? {
        guard let words = error?.description.split(separator: ": "), words.first == "invalid policy" else { return nil }
        return words.dropFirst().first.map(String.init)
    }

    @Test(.rule("T-101", "T-113"))
    func `a policy requires an issuer and an audience`() throws {
        _ = try TokenPolicy(issuers: ["i"], audiences: ["a"])
        let issuers = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: [], audiences: ["a"]) }
        #expect(setting(issuers) == "issuers")
        let audiences = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: ["i"], audiences: []) }
        #expect(setting(audiences) == "audiences")
    }

    @Test(.rule("T-101", "T-113"))
    func `an empty issuer or audience is an error`() throws {
        _ = try TokenPolicy(issuers: ["i", " "], audiences: ["a", " "])
        let issuers = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: ["i", ""], audiences: ["a"]) }
        #expect(setting(issuers) == "issuers")
        let audiences = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: ["i"], audiences: ["", "a"]) }
        #expect(setting(audiences) == "audiences")
    }

    @Test(.rule("T-112", "T-117", "T-120"))
    func `an empty trusted audience, authorized party or subject is an error`() throws {
        _ = try policy(trusted: ["t"], parties: ["p"], subject: "s")
        _ = try policy(trusted: [], parties: [], subject: nil)
        let trusted = #expect(throws: PolicyError.self) { try policy(trusted: ["t", ""]) }
        #expect(setting(trusted) == "trusted audiences")
        let parties = #expect(throws: PolicyError.self) { try policy(parties: [""]) }
        #expect(setting(parties) == "authorized parties")
        let subject = #expect(throws: PolicyError.self) { try policy(subject: "") }
        #expect(setting(subject) == "subject")
    }

    @Test(.rule("T-020", "T-022"))
    func `a policy requires at least one algorithm`() throws {
        let empty = #expect(throws: PolicyError.self) {
            try TokenPolicy(provider: Self.provider, audiences: ["a"], algorithms: [])
        }
        #expect(setting(empty) == "algorithms")
        #expect(try policy().algorithms == [.rs256])
        // RFC 8725 §3.2: an algorithm without an enum case cannot be allowed.
        #expect(SignatureAlgorithm.allCases.allSatisfy { $0.rawValue.lowercased() != "none" && !$0.rawValue.isEmpty })
        #expect(SignatureAlgorithm(rawValue: "none") == nil)
        #expect(!SignatureAlgorithm.allCases.contains { $0.rawValue.hasPrefix("HS") })
    }

    @Test(.rule("T-130"), arguments: [.zero, .nanoseconds(1), .seconds(30), .seconds(300)] as [Duration])
    func `a leeway of 0 to 300 seconds is accepted`(leeway: Duration) throws {
        #expect(try policy(leeway: leeway).leeway == leeway)
    }

    @Test(
        .rule("T-130"),
        arguments: [
            .nanoseconds(-1), .seconds(-1), .seconds(300) + .nanoseconds(1), .seconds(301), .seconds(600),
            .seconds(Int64.max), .seconds(Int64.min),
        ] as [Duration]
    )
    func `a leeway out of range is an error`(leeway: Duration) {
        let error = #expect(throws: PolicyError.self) { try policy(leeway: leeway) }
        #expect(setting(error) == "leeway")
    }

    @Test(.rule("T-129"), arguments: [.nanoseconds(1), .seconds(60), .seconds(Int64.max)] as [Duration])
    func `a maximum age above zero is accepted`(age: Duration) throws {
        #expect(try policy(maximumAge: age).maximumAge == age)
    }

    @Test(.rule("T-129"), arguments: [.zero, .nanoseconds(-1), .seconds(Int64.min)] as [Duration])
    func `a maximum age of zero or less is an error`(age: Duration) {
        let error = #expect(throws: PolicyError.self) { try policy(maximumAge: age) }
        #expect(setting(error) == "maximum age")
    }

    @Test(.rule("T-138"), arguments: [.zero, .nanoseconds(1), .seconds(60), .seconds(Int64.max)] as [Duration])
    func `a maximum authentication age of zero or more is accepted`(age: Duration) throws {
        #expect(try policy(maximumAuthenticationAge: age).maximumAuthenticationAge == age)
    }

    @Test(.rule("T-138"), arguments: [.nanoseconds(-1), .seconds(-1), .seconds(Int64.min)] as [Duration])
    func `a negative maximum authentication age is an error`(age: Duration) {
        let error = #expect(throws: PolicyError.self) { try policy(maximumAuthenticationAge: age) }
        #expect(setting(error) == "maximum authentication age")
    }

    @Test(.rule("T-129", "T-138"), arguments: [.seconds(1e19), .seconds(1e20), .seconds(Int64.max)] as [Duration])
    func `the greatest possible duration is accepted as a maximum age`(age: Duration) throws {
        let issuer = TestIssuer()
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: [issuer.audience],
            maximumAge: age,
            maximumAuthenticationAge: age
        )
        try Bench(issuer: issuer, policy: policy).verify { $0.claims["auth_time"] = 0 }
    }

    @Test(.rule("T-139", "T-141"))
    func `an empty authentication context class or hosted domain is an error`() throws {
        #expect(try policy(acrs: ["1", " "]).acceptedACRs == ["1", " "])
        let acrs = #expect(throws: PolicyError.self) { try policy(acrs: ["1", ""]) }
        #expect(setting(acrs) == "accepted ACRs")
        let domain = #expect(throws: PolicyError.self) { try policy(hostedDomain: "") }
        #expect(setting(domain) == "hosted domain")
    }

    @Test(
        .rule("T-141"),
        arguments: [
            "Example.com", "@example.com", "ada@example.com", "example", ".com", "example.", "a..b", "example.com ",
            "https://example.com", "caf\u{E9}.example", "*.example.com",
        ]
    )
    func `a hosted domain that no token can have is an error`(domain: String) throws {
        for good in ["example.com", "a.b", "xn--caf-dma.example", "1.2.3-4"] {
            #expect(try policy(hostedDomain: good).hostedDomain == good)
        }
        let error = #expect(throws: PolicyError.self) { try policy(hostedDomain: domain) }
        #expect(setting(error) == "hosted domain")
    }

    @Test(.rule("T-141"), arguments: [Provider.facebook, .apple, .microsoftAnyTenant, .microsoftPersonal])
    func `a hosted domain is refused for providers whose tokens have none`(provider: Provider) throws {
        _ = try TokenPolicy(provider: .google, audiences: ["client-1"], hostedDomain: "example.com")
        let error = #expect(throws: PolicyError.self) {
            try TokenPolicy(provider: provider, audiences: ["client-1"], hostedDomain: "example.com")
        }
        #expect(setting(error) == "hosted domain")
    }

    @Test(.rule("T-138", "T-139", "T-141"))
    func `a policy checks nothing about the authentication by default`() throws {
        for policy in [try policy(), try TokenPolicy(issuers: ["i"], audiences: ["a"])] {
            #expect(policy.maximumAuthenticationAge == nil && policy.acceptedACRs.isEmpty && policy.hostedDomain == nil)
        }
    }

    @Test(.rule("T-130"))
    func `the short initializer has the same defaults as the long one`() throws {
        let short = try TokenPolicy(issuers: ["https://issuer.example"], audiences: ["a"])
        let long = try TokenPolicy(provider: Self.provider, audiences: ["a"])
        #expect(short.provider == long.provider && short.audiences == long.audiences)
        #expect(short.leeway == .seconds(30) && long.leeway == .seconds(30))
        #expect(short.maximumAge == nil && short.subject == nil && !short.requiresType)
        #expect(short.trustedAudiences == [] && short.authorizedParties.isEmpty)
    }

    private func policy(
        trusted: [String] = [],
        parties: [String] = [],
        subject: String? = nil,
        leeway: Duration = .zero,
        maximumAge: Duration? = nil,
        maximumAuthenticationAge: Duration? = nil,
        acrs: [String] = [],
        hostedDomain: String? = nil
    ) throws(PolicyError) -> TokenPolicy {
        try TokenPolicy(
            provider: Self.provider,
            audiences: ["a"],
            trustedAudiences: .listed(trusted),
            authorizedParties: parties,
            subject: subject,
            leeway: leeway,
            maximumAge: maximumAge,
            maximumAuthenticationAge: maximumAuthenticationAge,
            acceptedACRs: acrs,
            hostedDomain: hostedDomain
        )
    }
}
