// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Limited Login tokens that are bound to a key of the app.
@Suite struct LimitedLoginPossessionTests {
    private let bench: FacebookBench
    private let prover: TestProver
    private let dpop: DPoPVerifier

    init() throws {
        bench = try FacebookBench()
        prover = TestProver(clock: bench.issuer.clock)
        dpop = DPoPVerifier(ledger: InMemoryDPoPLedger(), clock: bench.issuer.clock)
    }

    @Test(.rule("T-197"))
    func `a Limited Login token with cnf.jkt is accepted with a proof by this key, and refused without one`()
        async throws
    {
        let text = bench.token { $0.claims["cnf"] = prover.confirmation }
        let token = try bench.verify(text: text)
        let confirmation = token.claims.confirmation
        #expect(confirmation.keyThumbprint == token.claims.cnfJkt)
        let url = "https://api.example/sign-in"
        let proof = prover.proof(method: "POST", url: url, token: text)
        try await dpop.verify(
            DPoPRequest(method: "POST", url: url, proofs: [proof]),
            token: text,
            confirmation: confirmation
        )
        await expectRefused(.proofRequired) { () async throws(VerificationError) in
            try await dpop.verify(
                DPoPRequest(method: "POST", url: url, proofs: []),
                token: text,
                confirmation: confirmation
            )
        }
    }

    @Test(.rule("F1.39")) func `a Limited Login token that is bound to a key identifies the user without a proof`()
        throws
    {
        let token = try bench.verify(text: bench.token { $0.claims["cnf"] = prover.confirmation })
        #expect(token.claims.cnfJkt == prover.keyThumbprint && token.profile.notes.isEmpty)
        #expect(token.profile.userID == token.claims.sub)
    }

    @Test(.rule("T-201"))
    func `a Limited Login token whose cnf cannot be read is not bearer where possession is checked`() throws {
        let token = try bench.verify(claims: ["cnf": ["jkt": ""]])
        #expect(token.claims.cnfJkt == nil && token.claims.confirmation.isBound)
        expectRefusal(.confirmationUnsupported) { try token.claims.confirmation.check() }
    }

    @Test func `a Limited Login token without cnf is not bound`() throws {
        #expect(try !bench.verify().claims.confirmation.isBound)
    }
}
