// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The audience of a Limited Login token.
@Suite struct ConformanceAudienceTests {
    let bench: FacebookBench
    let appID: String

    init() throws {
        bench = try FacebookBench()
        appID = bench.issuer.audience
    }

    @Test(.rule("T-114"))
    func `aud string = app ID is accepted`() throws {
        let token = try bench.verify { $0.claims["aud"] = .string(appID) }
        #expect(token.claims.aud == appID)
    }

    @Test(.rule("T-117"))
    func `aud array containing app ID is accepted if it has exactly one entry`() throws {
        let token = try bench.verify { $0.claims["aud"] = [.string(appID)] }
        #expect(token.claims.aud == appID)
    }

    @Test(.rule("T-121"))
    func `aud array containing app ID twice is accepted`() throws {
        try bench.verify { $0.claims["aud"] = [.string(appID), .string(appID)] }
    }

    @Test(.rule("T-117"), arguments: [nil, "1234567890", "666"])
    func `aud array containing app ID and a foreign app is refused, whatever azp says: audience`(party: String?) {
        expectRefusal(.audience) {
            try bench.verify {
                $0.claims["aud"] = [.string(appID), "666"]
                $0.claims["azp"] = party.map { .string($0) }
            }
        }
    }

    @Test(
        .rule("T-116"),
        arguments: [.number("1234567890"), [1_234_567_890], true, ["aud": "1234567890"]] as [TestJSON]
    )
    func `aud number is refused: claim-type`(audience: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["aud"] = audience } }
    }

    @Test(.rule("T-114", "T-118"), arguments: ["666", "123456789", "12345678901", " 1234567890", "1234567890.0", ""])
    func `aud other app is refused: audience`(audience: String) {
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = .string(audience) } }
    }

    @Test(.rule("T-115"))
    func `aud empty array is refused: audience`() {
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = [] } }
    }

    @Test(.rule("T-113"))
    func `aud missing is refused: missing-claim`() {
        expectRefusal(.missingClaim) { try bench.verify { $0.claims["aud"] = nil } }
    }

    @Test(.rule("T-114"), arguments: ["1234567890", "222"])
    func `several own app IDs: the one that matched is reported`(audience: String) throws {
        let several = try FacebookBench(appIDs: [appID, "222"])
        let token = try several.verify { $0.claims["aud"] = .string(audience) }
        #expect(token.claims.aud == audience)
        #expect(token.verified.audience == audience)
    }

    @Test(.rule("T-114"))
    func `several own app IDs: another is refused: audience`() throws {
        let several = try FacebookBench(appIDs: [appID, "222"])
        expectRefusal(.audience) { try several.verify { $0.claims["aud"] = "333" } }
    }

    @Test(.rule("T-120"))
    func `aud array with two own app IDs is accepted if azp says which`() throws {
        let several = try FacebookBench(appIDs: [appID, "222"])
        expectRefusal(.authorizedParty) { try several.verify { $0.claims["aud"] = [.string(appID), "222"] } }
        try several.verify {
            $0.claims["aud"] = [.string(appID), "222"]
            $0.claims["azp"] = "222"
        }
    }
}
