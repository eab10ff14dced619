// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// OpenID Connect Core §3.1.3.7, steps 3 to 5: the audience and the authorized party.
@Suite struct AudienceTests {
    let bench: Bench
    /// A bench with two audiences of its own, a trusted audience, and an authorized party.
    let wide: Bench

    init() throws {
        bench = try Bench()
        let issuer = TestIssuer()
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: ["client-1", "client-2"],
            trustedAudiences: ["api"],
            authorizedParties: ["partner"]
        )
        wide = try Bench(issuer: issuer, policy: policy)
    }

    @Test(.rule("T-113"))
    func `a token without an audience is refused`() {
        let refusal = expectRefusal(.missingClaim) { try bench.verify { $0.claims["aud"] = nil } }
        #expect(refusal?.member == "aud")
    }

    @Test(.rule("T-113"), arguments: ["client-1", ["client-1"]] as [TestJSON])
    func `the client ID is accepted as the audience, alone or in an array`(audience: TestJSON) throws {
        #expect(try bench.verify { $0.claims["aud"] = audience }.audience == "client-1")
    }

    @Test(.rule("T-114"), arguments: ["client-2", ["client-2"], "", [""], ["client-2", "client-3"]] as [TestJSON])
    func `another client ID is refused`(audience: TestJSON) {
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = audience } }
    }

    @Test(.rule("T-114"), arguments: ["client-1", "client-2"])
    func `each of several client IDs is accepted, and reported`(audience: String) throws {
        #expect(try wide.verify { $0.claims["aud"] = .string(audience) }.audience == audience)
    }

    @Test(.rule("T-114"))
    func `a trusted audience without the client ID is refused`() {
        expectRefusal(.audience) { try wide.verify { $0.claims["aud"] = "api" } }
        expectRefusal(.audience) { try wide.verify { $0.claims["aud"] = "partner" } }
    }

    @Test(.rule("T-115"))
    func `an empty audience array is refused`() {
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = [] } }
    }

    @Test(.rule("T-116"), arguments: audiencesOfAnotherType)
    func `an audience that is neither a string nor an array of strings is refused`(audience: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["aud"] = audience } }
    }

    static let audiencesOfAnotherType: [TestJSON] = [
        1, true, ["client-1": true], [:], ["client-1", 5], [5, "client-1"], [["client-1"]], ["client-1", .null],
        ["client-1", []], [.null],
    ]

    @Test(.rule("T-117"))
    func `a further audience is refused unless it is trusted or a client ID`() throws {
        for audience: TestJSON in [["client-1", "api"], ["api", "client-1"], ["client-1", "client-2", "api"]] {
            try wide.verify {
                $0.claims["aud"] = audience
                $0.claims["azp"] = "client-1"
            }
        }
        for audience: TestJSON in [
            ["client-1", "evil"], ["evil", "client-1"], ["client-1", "api", "evil"], ["client-1", ""],
        ] {
            expectRefusal(.audience) {
                try wide.verify {
                    $0.claims["aud"] = audience
                    $0.claims["azp"] = "client-1"
                }
            }
        }
    }

    @Test(.rule("T-117", "T-120"), arguments: [TrustedAudiences.listed(["app", "project"]), .any])
    func `trusted audiences let the own tokens of a project in, and those of its other clients not`(
        trusted: TrustedAudiences
    ) throws {
        let issuer = TestIssuer(audience: "web")
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: ["web"],
            trustedAudiences: trusted,
            authorizedParties: trusted == .any ? ["app"] : []
        )
        let project = try Bench(issuer: issuer, policy: policy)
        // The provider names all clients of the project in each token.
        let all: TestJSON = ["app", "project", "web"]
        let token = try project.verify {
            $0.claims["aud"] = all
            $0.claims["azp"] = "web"
        }
        #expect(token.audience == "web")
        for party: TestJSON? in ["app", "project", "other", "", nil] {
            expectRefusal(.authorizedParty) {
                try project.verify {
                    $0.claims["aud"] = all
                    $0.claims["azp"] = party
                }
            }
        }
        // Trust replaces no audience of the verifier's own.
        expectRefusal(.audience) {
            try project.verify {
                $0.claims["aud"] = ["app", "project"]
                $0.claims["azp"] = "web"
            }
        }
    }

    @Test(
        .rule("T-118", "T-119"),
        arguments: [
            "client-", "lient-1", "client-1-evil", "xclient-1", "client-11", "CLIENT-1", "Client-1", "client-1/",
            "client-1 ", " client-1", "client-1\0", "client-1,client-2", "client\u{2010}1", "client-1\u{200D}",
        ]
    )
    func `an audience that only resembles the client ID is refused`(audience: String) {
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = .string(audience) } }
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = [.string(audience)] } }
    }

    @Test(.rule("T-119"))
    func `audiences that differ only in Unicode normalization are different`() throws {
        let bench = try Bench(issuer: TestIssuer(audience: "caf\u{E9}"))
        try bench.verify()
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = "cafe\u{301}" } }
        // The same when audiences are counted: these are two, so the token needs an azp.
        let issuer = TestIssuer(audience: "caf\u{E9}")
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: [issuer.audience],
            trustedAudiences: ["cafe\u{301}"]
        )
        let both = try Bench(issuer: issuer, policy: policy)
        expectRefusal(.authorizedParty) { try both.verify { $0.claims["aud"] = ["caf\u{E9}", "cafe\u{301}"] } }
    }

    @Test(.rule("T-120"))
    func `a token with several audiences must name its authorized party in azp`() throws {
        let refusal = expectRefusal(.authorizedParty) { try wide.verify { $0.claims["aud"] = ["client-1", "api"] } }
        #expect(refusal?.member == "azp")
        try wide.verify {
            $0.claims["aud"] = ["client-1", "api"]
            $0.claims["azp"] = "client-1"
        }
    }

    @Test(.rule("T-120"), arguments: ["client-1", "client-2", "partner"])
    func `an authorized party is accepted if it is a client ID or allowed`(party: String) throws {
        #expect(try wide.verify { $0.claims["azp"] = .string(party) }.claims.authorizedParty == party)
    }

    @Test(.rule("T-120"), arguments: ["api", "evil", "", "client-1 ", "CLIENT-1", "partner-2", "client-1\0"])
    func `any other authorized party is refused, for one audience and for several`(party: String) {
        expectRefusal(.authorizedParty) { try wide.verify { $0.claims["azp"] = .string(party) } }
        expectRefusal(.authorizedParty) {
            try wide.verify {
                $0.claims["aud"] = ["client-1", "api"]
                $0.claims["azp"] = .string(party)
            }
        }
    }

    @Test(.rule("T-120"), arguments: [1, true, ["client-1"], ["client-1": true]] as [TestJSON])
    func `an authorized party that is not a string is refused`(party: TestJSON) {
        expectRefusal(.claimType) { try wide.verify { $0.claims["azp"] = party } }
    }

    @Test(.rule("T-120"))
    func `an authorized party that is null is missing`() throws {
        #expect(try wide.verify { $0.claims["azp"] = .null }.claims.authorizedParty == nil)
        expectRefusal(.authorizedParty) {
            try wide.verify {
                $0.claims["aud"] = ["client-1", "api"]
                $0.claims["azp"] = .null
            }
        }
    }

    @Test(.rule("T-121"))
    func `a repeated audience counts as one audience`() throws {
        #expect(try bench.verify { $0.claims["aud"] = ["client-1", "client-1"] }.audience == "client-1")
    }
}
