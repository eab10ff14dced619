// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// A client, a token that is bound to its key, and a verifier, so that a test only sets what is special about its proof.
struct ProofBench: Sendable {
    static let url = "https://api.example/v1/me"

    let clock = ManualClock()
    let prover: TestProver
    var policy: DPoPPolicy
    var ledger: any DPoPLedger = InMemoryDPoPLedger()
    var token = "the access token"
    var confirmation: TokenConfirmation

    var verifier: DPoPVerifier { DPoPVerifier(policy: policy, ledger: ledger, clock: clock) }

    init(key: TestKey = .proofES256, policy: DPoPPolicy = .standard) {
        prover = TestProver(key: key, clock: clock)
        self.policy = policy
        confirmation = TokenConfirmation(keyThumbprint: prover.keyThumbprint, certificateThumbprint: nil)
    }

    /// Makes a proof for the token.
    func proof(nonce: String? = nil, _ change: (inout TestToken) -> Void = { _ in }) -> String {
        prover.proof(method: "GET", url: Self.url, token: token, nonce: nonce, change)
    }

    /// Verifies proofs together with the token.
    @discardableResult
    func verify(
        _ proofs: String...,
        method: String = "GET",
        url: String = Self.url,
        certificate: ClientCertificate? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> DPoPProof? {
        let request = DPoPRequest(method: method, url: url, proofs: proofs, certificate: certificate)
        return try await verifier.verify(request, token: token, confirmation: confirmation, explain: explain)
    }

    /// Expects that a changed proof is refused.
    @discardableResult
    func expectRefusal(
        _ code: VerificationCode,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout TestToken) -> Void
    ) async -> TokenRefusal? {
        let text = proof(change)
        return await expectRefused(code, sourceLocation: sourceLocation) { () async throws(VerificationError) in
            try await verify(text)
        }
    }
}
