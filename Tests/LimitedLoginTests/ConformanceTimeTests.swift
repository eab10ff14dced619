// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The times of a Limited Login token.
///
/// They are given in seconds from now.
@Suite struct ConformanceTimeTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(.rule("T-123"))
    func `exp == now is refused: expired`() throws {
        expectRefusal(.expired) { try verify(exp: 0) }
        try verify(exp: 1)
    }

    @Test(.rule("T-123"), arguments: [1, 60, 300])
    func `exp == now - leeway is refused, a second later is accepted`(leeway: Int) throws {
        let lenient = try FacebookBench(leeway: .seconds(leeway))
        expectRefusal(.expired) { try verify(lenient, exp: -leeway, iat: -900) }
        try verify(lenient, exp: -leeway + 1, iat: -600)
    }

    @Test(.rule("T-123"))
    func `the leeway is 30 s by default`() throws {
        let policy = try TokenPolicy(provider: .facebook, audiences: [bench.issuer.audience])
        let lenient = try Bench(issuer: bench.issuer, policy: policy)
        try lenient.verify { $0.claims["exp"] = .number("\(bench.now - 29)") }
        expectRefusal(.expired) { try lenient.verify { $0.claims["exp"] = .number("\(bench.now - 30)") } }
    }

    @Test(
        .rule("T-124", "T-126"),
        arguments: ["1760003540", "", true, [1_760_003_540], -1, 1e300] as [TestJSON]
    )
    func `exp string is refused: claim-type`(time: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["exp"] = time } }
    }

    @Test(.rule("T-125"), arguments: ["1760000000.5", "1.7600000005e9", "1760000001e0"])
    func `exp fractional is accepted`(time: String) throws {
        try bench.verify { $0.claims["exp"] = .number(time) }
    }

    @Test(.rule("T-125"))
    func `exp fractional is compared with its fraction`() throws {
        bench.issuer.clock.advance(by: .milliseconds(500))
        expectRefusal(.expired) { try bench.verify { $0.claims["exp"] = 1_760_000_000.5 } }
        try bench.verify { $0.claims["exp"] = 1_760_000_000.75 }
    }

    @Test(.rule("T-122"))
    func `exp missing is refused: missing-claim`() {
        expectRefusal(.missingClaim) { try bench.verify { $0.claims["exp"] = nil } }
    }

    @Test(.rule("T-127"))
    func `exp that is not after iat is refused: expired`() throws {
        let lenient = try FacebookBench(leeway: .seconds(60))
        expectRefusal(.expired) { try verify(lenient, exp: 30, iat: 30) }
        try verify(lenient, exp: 31, iat: 30)
    }

    @Test(.rule("T-129"))
    func `iat 11 min old, exp OK, is accepted without a maximum age`() throws {
        let policy = try TokenPolicy(provider: .facebook, audiences: [bench.issuer.audience])
        try Bench(issuer: bench.issuer, policy: policy).verify { $0.claims["iat"] = .number("\(bench.now - 660)") }
        try verify(FacebookBench(maximumAge: nil), iat: -660)
    }

    @Test(.rule("T-129"))
    func `iat 11 min old, exp OK, is refused at sign-in: too-old`() throws {
        let issuer = bench.issuer
        let verifier = try LimitedLoginVerifier(appIDs: [issuer.audience], keys: issuer.keys, clock: issuer.clock)
        let text = bench.token { $0.claims["iat"] = .number("\(bench.now - 660)") }
        expectRefusal(.tooOld) {
            try verifier.verify(text, nonce: .exactly(FacebookBench.nonce), with: issuer.keys)
        }
    }

    @Test(.rule("T-129"), arguments: [0, 30, 300])
    func `iat 10 min and the leeway old is accepted, a second older is refused: too-old`(leeway: Int) throws {
        let lenient = try FacebookBench(leeway: .seconds(leeway))
        try verify(lenient, iat: -600 - leeway)
        expectRefusal(.tooOld) { try verify(lenient, iat: -601 - leeway) }
    }

    @Test(.rule("T-129"))
    func `iat in future 5 min is refused: issued-in-future`() throws {
        expectRefusal(.issuedInFuture) { try verify(iat: 300) }
        try verify(FacebookBench(leeway: .seconds(300)), iat: 300)
    }

    @Test(.rule("T-129"), arguments: [0, 30])
    func `iat in the future by the leeway is accepted, a second more is refused: issued-in-future`(leeway: Int) throws {
        let lenient = try FacebookBench(leeway: .seconds(leeway))
        try verify(lenient, iat: leeway)
        expectRefusal(.issuedInFuture) { try verify(lenient, iat: leeway + 1) }
    }

    @Test(.rule("T-129"))
    func `iat missing is refused: missing-claim`() {
        expectRefusal(.missingClaim) { try bench.verify { $0.claims["iat"] = nil } }
    }

    @Test(.rule("T-128"), arguments: [0, 30])
    func `nbf future is refused beyond the leeway: not-yet-valid`(leeway: Int) throws {
        let lenient = try FacebookBench(leeway: .seconds(leeway))
        try lenient.verify { $0.claims["nbf"] = .number("\(bench.now + leeway)") }
        expectRefusal(.notYetValid) { try lenient.verify { $0.claims["nbf"] = .number("\(bench.now + leeway + 1)") } }
    }

    @Test(.rule("T-128"))
    func `nbf string is refused: claim-type`() {
        expectRefusal(.claimType) { try bench.verify { $0.claims["nbf"] = "1760000000" } }
    }

    private func verify(_ other: FacebookBench? = nil, exp: Int = 3540, iat: Int = -60) throws {
        let bench = other ?? bench
        try bench.verify {
            $0.claims["exp"] = .number("\(bench.now + exp)")
            $0.claims["iat"] = .number("\(bench.now + iat)")
        }
    }
}
