// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The limits that a policy raises, up to their maximum.
@Suite struct TokenLimitsTests {
    private static let fill = TestJSON.string(String(repeating: "x", count: 20_000))

    @Test(.rule("T-080", "T-081"), arguments: [-1, 0, 4095, 65_537, Int.min, Int.max])
    func `limits out of range are refused by name`(size: Int) {
        let tokenBytes = #expect(throws: PolicyError.self) { try TokenLimits(tokenBytes: size) }
        #expect(tokenBytes?.description == "invalid policy: token bytes: \(size) is not from 16384 to 65536")
        let headerBytes = #expect(throws: PolicyError.self) { try TokenLimits(headerBytes: size) }
        #expect(headerBytes?.description == "invalid policy: header bytes: \(size) is not from 4096 to 16384")
    }

    @Test(.rule("T-080", "T-081"))
    func `the ends of the ranges are accepted, and the least values are the default`() throws {
        let largest = try TokenLimits(tokenBytes: 65_536, headerBytes: 16_384)
        #expect(largest.tokenBytes == 65_536 && largest.headerBytes == 16_384)
        #expect(try TokenLimits(tokenBytes: 16_384, headerBytes: 4096) == .standard)
        #expect(TokenLimits.largest.tokenBytes == 65_536 && TokenLimits.largest.headerBytes == 16_384)
    }

    @Test(.rule("T-080"))
    func `an access token of more than 16 KiB needs a policy with a larger limit`() throws {
        expectRefusal(.tooLarge) { try AccessTokenBench().verify { $0.claims["roles"] = [Self.fill] } }
        let bench = try AccessTokenBench(limits: TokenLimits(tokenBytes: 32 * 1024))
        #expect(try bench.verify { $0.claims["roles"] = [Self.fill] }.roles.count == 1)
    }

    @Test(.rule("T-240"))
    func `a token and an answer of more than 16 KiB need an introspection policy with a larger limit`() async throws {
        let token = String(repeating: "x", count: 20_000)
        for (limits, isLarge) in [(TokenLimits.standard, false), (try TokenLimits(tokenBytes: 32 * 1024), true)] {
            let bench = try IntrospectionBench(limits: limits)
            bench.answer { $0["fill"] = Self.fill }
            let introspector = try bench.introspector()
            guard isLarge else {
                await expectRefused(.tooLarge) { () async throws(VerificationError) in
                    try await introspector.verify(token)
                }
                await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
                    try await introspector.verify(IntrospectionBench.token)
                }
                continue
            }
            _ = try await introspector.verify(token)
            #expect(bench.transport.requests.last?.responseLimit == 32 * 1024)
        }
    }

    @Test(.rule("T-175"), .rule("T-080"))
    func `a token of more than 16 KiB is cached with a policy that accepts it`() throws {
        let (issuer, cache) = (TestIssuer(), VerifiedTokenCache())
        let text = issuer.token { $0.claims["fill"] = Self.fill }
        for (limits, isLarge) in [(try TokenLimits(tokenBytes: 32 * 1024), true), (TokenLimits.standard, false)] {
            let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience], limits: limits)
            let verifier = TokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock, cache: cache)
            for _ in 0..<2 {
                guard isLarge else {
                    expectRefusal(.tooLarge) { try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys) }
                    continue
                }
                _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
            }
            #expect(cache.status.hits == 1)
        }
    }

    @Test(.rule("T-193"))
    func `the size of a proof is fixed, and no setting is named`() async {
        let refusal = await ProofBench().expectRefusal(.proofMalformed) { $0.claims["fill"] = Self.fill }
        #expect(refusal?.description.contains("too-large: the token has more than 16384 bytes") == true)
        #expect(refusal?.description.contains("can be up to") == false)
    }
}
