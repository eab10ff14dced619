// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The requirements of a request for how and when the user was authenticated.
@Suite struct AccessTokenAuthenticationTests {
    /// Verifies a token with the claims of an authentication, and checks them.
    private func check(
        time: TestJSON? = nil,
        context: TestJSON? = nil,
        leeway: Int = 0,
        maximumAge: Duration? = nil,
        acceptedACRs: [String] = []
    ) throws {
        let bench = try AccessTokenBench(leeway: .seconds(leeway))
        let token = try bench.verify {
            $0.claims["auth_time"] = time
            $0.claims["acr"] = context
        }
        try bench.verifier.checkAuthentication(of: token, maximumAge: maximumAge, acceptedACRs: acceptedACRs)
    }

    /// Returns the claim `auth_time` for an authentication some seconds ago.
    private func ago(_ seconds: Int) -> TestJSON { .number(String(1_760_000_000 - seconds)) }

    @Test(.rule("T-232"), arguments: [0, 30])
    func `the age of the authentication is limited to the second, with the leeway`(leeway: Int) throws {
        for age in [-leeway, 0, 300 + leeway] {
            try check(time: ago(age), leeway: leeway, maximumAge: .seconds(300))
        }
        for age in [-leeway - 1, 301 + leeway] {
            let refusal = expectRefusal(.authTime) {
                try check(time: ago(age), leeway: leeway, maximumAge: .seconds(300))
            }
            #expect(refusal?.member == "auth_time")
        }
    }

    @Test(.rule("T-232"))
    func `a token without the time of the authentication is refused if its age is limited`() throws {
        let refusal = expectRefusal(.authTime) { try check(maximumAge: .seconds(300)) }
        #expect(refusal?.publicMessage.contains("Sign in") == false)
        try check()
    }

    @Test(.rule("T-232"))
    func `a token needs one of the accepted authentication context classes`() throws {
        try check(context: "phrh", acceptedACRs: ["phr", "phrh"])
        for context in [nil, "", "pwd", "PHR", "phr phrh"] as [TestJSON?] {
            let refusal = expectRefusal(.acr) { try check(context: context, acceptedACRs: ["phr", "phrh"]) }
            #expect(refusal?.member == "acr")
            #expect(refusal?.publicMessage.contains("Sign in") == false)
        }
    }
}
