// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Tokens and bodies of requests that need a limit above the default.
@Suite struct LargeTokenTests {
    @Test(.rule("T-080"), arguments: [(TokenLimits.standard, "refused"), (TokenLimits.largest, "verified")])
    func `an API with a larger limit accepts larger tokens, and larger bodies with them`(
        _ limits: TokenLimits,
        _ verdict: String
    ) async throws {
        let bench = try ResourceBench(limits: limits)
        let token = bench.issuer.accessToken { $0.claims["fill"] = .string(String(repeating: "x", count: 30_000)) }
        let fixture = try await LoginFixture()
        fixture.options.resources.replaceAll(with: ["orders": bench.resource])
        let body = #"{"token":"\#(token)","policy":"orders"}"#
        try await fixture.run { client in
            let answer = try await client.ask(.post, "/v1/verify", body)
            #expect(try answer.text("verdict") == verdict)
            if verdict == "refused" { #expect(try answer.text("code") == "too-large") }
            let padded = body + String(repeating: " ", count: 65_536)
            let status = try await client.ask(.post, "/v1/verify", padded).status
            #expect(status == (verdict == "refused" ? .contentTooLarge : .ok))
            let longest = String(repeating: " ", count: 4 * limits.tokenBytes)
            try await client.refused(.invalidRequest, .post, "/v1/verify", longest)
            try await client.refused(.tooLarge, .post, "/v1/verify", longest + " ")
        }
    }
}
#endif
