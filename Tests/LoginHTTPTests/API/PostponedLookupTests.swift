// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTesting
import TestSupport
import Testing

@testable import LoginHTTP

/// Tokens whose unknown key can be looked up later, which is no outage.
@Suite struct PostponedLookupTests {
    @Test func `an access token is undecided until its key can be looked up, and the log has no error`() async throws {
        let bench = try ResourceBench()
        postpone(bench.keys)
        let fixture = try await LoginFixture()
        fixture.options.resources.replaceAll(with: ["orders": bench.resource])
        let token = bench.issuer.accessToken()
        try await fixture.run(logger: bench.log.logger) { client in
            let body = #"{"token":"\#(token)","policy":"orders"}"#
            let verdict = try await client.refused(.keysUnavailable, .post, "/v1/verify", body)
            #expect(verdict.headers[.retryAfter] == "17")
            let answer = try await client.refused(.keysUnavailable, .get, "/v1/forward-auth/orders", bearer: token)
            #expect(answer.headers[.retryAfter] == "17")
        }
        #expect(bench.log.lines.allSatisfy { !$0.hasPrefix("error") })
    }

    @Test func `an ID token is undecided until its key can be looked up, and the log has no error`()
        async throws
    {
        let fixture = try await LoginFixture()
        let log = LogLines()
        postpone(fixture.keys)
        try await fixture.run(logger: log.logger) { client in
            let body = #"{"token":"\#(fixture.google.token(nonce: "n-1"))","policy":"app","nonce":"n-1"}"#
            let verdict = try await client.refused(.keysUnavailable, .post, "/v1/verify", body)
            #expect(verdict.headers[.retryAfter] == "17")
        }
        #expect(log.lines.allSatisfy { !$0.hasPrefix("error") })
    }

    private func postpone(_ keys: SwitchableKeys) {
        keys.areUnavailable.change { $0 = true }
        keys.retryAfter.change { $0 = .milliseconds(16_500) }
    }
}
#endif
