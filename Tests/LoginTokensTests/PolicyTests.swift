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
    func `without an issuer or an audience there is no policy`() throws {
        _ = try TokenPolicy(issuers: ["i"], audiences: ["a"])
        let issuers = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: [], audiences: ["a"]) }
        #expect(setting(issuers) == "issuers")
        let audiences = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: ["i"], audiences: []) }
        #expect(setting(audiences) == "audiences")
    }

    @Test(.rule("T-101", "T-113"))
    func `an empty string is no issuer and no audience`() throws {
        _ = try TokenPolicy(issuers: ["i", " "], audiences: ["a", " "])
        let issuers = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: ["i", ""], audiences: ["a"]) }
        #expect(setting(issuers) == "issuers")
        let audiences = #expect(throws: PolicyError.self) { try TokenPolicy(issuers: ["i"], audiences: ["", "a"]) }
        #expect(setting(audiences) == "audiences")
    }

    @Test(.rule("T-112", "T-117", "T-120"))
    func `an empty string is no trusted audience, no party and no subject`() throws {
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
    func `without an algorithm there is no policy, and none of them is none`() throws {
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
    func `any other leeway is an error`(leeway: Duration) {
        let error = #expect(throws: PolicyError.self) { try policy(leeway: leeway) }
        #expect(setting(error) == "leeway")
    }

    @Test(.rule("T-129"), arguments: [.nanoseconds(1), .seconds(60), .seconds(Int64.max)] as [Duration])
    func `a maximum age of more than nothing is accepted`(age: Duration) throws {
        #expect(try policy(maximumAge: age).maximumAge == age)
    }

    @Test(.rule("T-129"), arguments: [.zero, .nanoseconds(-1), .seconds(Int64.min)] as [Duration])
    func `a maximum age of nothing or less is an error`(age: Duration) {
        let error = #expect(throws: PolicyError.self) { try policy(maximumAge: age) }
        #expect(setting(error) == "maximum age")
    }

    @Test(.rule("T-138"), arguments: [.zero, .nanoseconds(1), .seconds(60), .seconds(Int64.max)] as [Duration])
    func `a maximum age of the authentication of nothing or more is accepted`(age: Duration) throws {
        #expect(try policy(maximumAuthenticationAge: age).maximumAuthenticationAge == age)
    }

    @Test(.rule("T-138"), arguments: [.nanoseconds(-1), .seconds(-1), .seconds(Int64.min)] as [Duration])
    func `a maximum age of the authentication of less than nothing is an error`(age: Duration) {
        let error = #expect(throws: PolicyError.self) { try policy(maximumAuthenticationAge: age) }
        #expect(setting(error) == "maximum authentication age")
    }

    @Test(.rule("T-129", "T-138"), arguments: [.seconds(1e19), .seconds(1e20), .seconds(Int64.max)] as [Duration])
    func `an age without end is one, and ends no process`(age: Duration) throws {
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
    func `an empty string is no class of authentication and no organization`() throws {
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
    func `an organization that no token can name is an error, not a lock for everybody`(domain: String) throws {
        for good in ["example.com", "a.b", "xn--caf-dma.example", "1.2.3-4"] {
            #expect(try policy(hostedDomain: good).hostedDomain == good)
        }
        let error = #expect(throws: PolicyError.self) { try policy(hostedDomain: domain) }
        #expect(setting(error) == "hosted domain")
    }

    @Test(.rule("T-141"), arguments: [Provider.facebook, .apple, .microsoftAnyTenant, .microsoftPersonal])
    func `an organization is asked only of providers whose tokens name one`(provider: Provider) throws {
        _ = try TokenPolicy(provider: .google, audiences: ["client-1"], hostedDomain: "example.com")
        let error = #expect(throws: PolicyError.self) {
            try TokenPolicy(provider: provider, audiences: ["client-1"], hostedDomain: "example.com")
        }
        #expect(setting(error) == "hosted domain")
    }

    @Test(.rule("T-138", "T-139", "T-141"))
    func `nothing is asked of the authentication unless the policy says so`() throws {
        for policy in [try policy(), try TokenPolicy(issuers: ["i"], audiences: ["a"])] {
            #expect(policy.maximumAuthenticationAge == nil && policy.acceptedACRs.isEmpty && policy.hostedDomain == nil)
        }
    }

    @Test(.rule("T-130"))
    func `the short form has the defaults of the long one`() throws {
        let short = try TokenPolicy(issuers: ["https://issuer.example"], audiences: ["a"])
        let long = try TokenPolicy(provider: Self.provider, audiences: ["a"])
        #expect(short.provider == long.provider && short.audiences == long.audiences)
        #expect(short.leeway == .seconds(30) && long.leeway == .seconds(30))
        #expect(short.maximumAge == nil && short.subject == nil && !short.requiresType)
        #expect(short.trustedAudiences.isEmpty && short.authorizedParties.isEmpty)
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
            trustedAudiences: trusted,
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
