// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The code of the article "Proof of possession".
@Suite struct ProofOfPossessionArticleTests {
    private struct Request {
        let method: String
        let path: String
        let dpopFields: [String]
        let clientCertField: String
    }

    @Test func `the article's verifier accepts a proof with its token`() async throws {
        let bench = try Bench()
        let prover = TestProver(clock: bench.issuer.clock)
        let text = bench.issuer.token { $0.claims["cnf"] = prover.confirmation }
        let token = try bench.verify(text: text)
        let clock = bench.issuer.clock
        let dpop = DPoPVerifier(ledger: InMemoryDPoPLedger(), clock: clock)
        let proof = prover.proof(method: "GET", url: "https://api.example/v1/me", token: text)
        let request = Request(method: "GET", path: "/v1/me?a=b", dpopFields: [proof], clientCertField: "")

        // For each request, after its token was verified.
        let presented = DPoPRequest(
            method: request.method,
            url: "https://api.example" + request.path,
            proofs: request.dpopFields
        )
        try await dpop.verify(presented, token: text, confirmation: token.confirmation)
    }

    @Test func `the article's nonces are sent and required`() async throws {
        let (secret, ledger, clock) = ([UInt8](repeating: 7, count: 32), InMemoryDPoPLedger(), ManualClock())
        let policy = try DPoPPolicy(nonces: DPoPNonces(secret: secret))
        let dpop = DPoPVerifier(policy: policy, ledger: ledger, clock: clock)
        #expect(dpop.nonce != nil)
    }

    @Test func `the article's certificate is compared with the token's`() throws {
        let token = try Bench().verify {
            $0.claims["cnf"] = ["x5t#S256": "gI6P3pFxHHQlgWEXDZTYEX4nm5qPXuB5DVlAX7xNE1E"]
        }
        let request = Request(method: "GET", path: "/", dpopFields: [], clientCertField: ":MAA=:")
        let certificate = try ClientCertificate(clientCertField: request.clientCertField)
        let refusal = #expect(throws: TokenRefusal.self) {
            try token.confirmation.check(certificate: certificate)
        }
        #expect(refusal?.code == .certificateBinding)
    }
}
