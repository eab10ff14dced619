// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The ID and the subject of a token.
@Suite struct ConformanceIdentityTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    /// OpenID Connect does not require it; Facebook's tokens always have one.
    @Test(arguments: [nil, ""])
    func `jti missing or "" is refused: missing-claim`(tokenID: String?) {
        let refusal = expectRefusal(.missingClaim) {
            try bench.verify { $0.claims["jti"] = tokenID.map { .string($0) } }
        }
        #expect(refusal?.member == "jti")
    }

    @Test(.rule("T-100", "T-110", "T-113", "T-122", "T-129"), arguments: ["iss", "aud", "sub", "exp", "iat", "jti"])
    func `a required claim that is null is refused: missing-claim`(name: String) {
        let refusal = expectRefusal(.missingClaim) { try bench.verify { $0.claims[name] = .null } }
        #expect(refusal?.member == name)
    }

    @Test(arguments: [1, true, ["id"]] as [TestJSON])
    func `jti that is not a string is refused: claim-type`(tokenID: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["jti"] = tokenID } }
    }

    @Test
    func `jti is exposed`() throws {
        #expect(try bench.verify { $0.claims["jti"] = "id-1" }.claims.jti == "id-1")
    }

    @Test(.rule("T-110"), arguments: [1_000_000_000_000_001, true, ["1"]] as [TestJSON])
    func `sub number is refused: claim-type`(subject: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["sub"] = subject } }
    }

    @Test(.rule("T-110"))
    func `sub "" is refused: subject`() {
        expectRefusal(.subject) { try bench.verify { $0.claims["sub"] = "" } }
    }

    @Test(.rule("T-110"))
    func `sub missing is refused: missing-claim`() {
        expectRefusal(.missingClaim) { try bench.verify { $0.claims["sub"] = nil } }
    }

    @Test(.rule("T-111"))
    func `sub of up to 255 characters of ASCII is accepted`() throws {
        let longest = String(repeating: "7", count: 255)
        #expect(try bench.verify { $0.claims["sub"] = .string(longest) }.profile.userID == longest)
        expectRefusal(.subject) { try bench.verify { $0.claims["sub"] = .string(longest + "7") } }
        expectRefusal(.subject) { try bench.verify { $0.claims["sub"] = "\u{661}" } }
    }
}
