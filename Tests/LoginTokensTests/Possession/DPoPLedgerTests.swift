// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The single use of proofs.
@Suite struct DPoPLedgerTests {
    private let bench = ProofBench()

    // MARK: Once

    @Test(.rule("T-199"))
    func `a proof is accepted once, then refused as replayed`() async throws {
        let text = bench.proof()
        try await bench.verify(text)
        for _ in 0..<3 {
            let refusal = await expectRefused(.proofReplayed) { () async throws(VerificationError) in
                try await bench.verify(text)
            }
            #expect(refusal?.member == "jti")
        }
        try await bench.verify(bench.proof())
    }

    @Test(.rule("T-199"))
    func `another proof with the same key and ID is refused as replayed`() async throws {
        try await bench.verify(bench.proof { $0.claims["jti"] = "once" })
        await bench.expectRefusal(.proofReplayed) { $0.claims["jti"] = "once" }
    }

    @Test(.rule("T-199"))
    func `of 16 tasks that present one proof exactly one succeeds`() async {
        let (bench, text) = (bench, bench.proof())
        let codes = await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    do throws(VerificationError) {
                        try await bench.verify(text)
                        return "accepted"
                    } catch {
                        return error.code.rawValue
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == "accepted" } == 1)
        #expect(codes.count { $0 == "proof-replayed" } == 15)
    }

    @Test(.rule("T-199"))
    func `a client cannot use up the ID of another client's proof`() async throws {
        let url = "https://login.example/token"
        for key in [TestKey.proofRS256, .proofES256] {
            let text = TestProver(key: key, clock: bench.clock).proof(method: "POST", url: url) {
                $0.claims["jti"] = "guessed"
            }
            _ = try await bench.verifier.verify(DPoPRequest(method: "POST", url: url, proofs: [text]))
        }
    }

    // MARK: Once for several verifiers of a request

    /// Verifies a proof with one verifier after another, as resources do that protect the same route.
    private func verify(_ text: String, _ benches: [ProofBench]) async throws(VerificationError) {
        var recorded: [RecordedProof] = []
        for bench in benches {
            try await bench.verifier.verify(
                DPoPRequest(method: "GET", url: ProofBench.url, proofs: [text]),
                token: bench.token,
                confirmation: bench.confirmation,
                recorded: &recorded
            )
        }
    }

    @Test(.rule("T-199"))
    func `verifiers of one request that share a ledger record its proof once, and a second request is refused`()
        async throws
    {
        let ledger = StubLedger(.first)
        var stubbed = bench
        stubbed.ledger = ledger
        try await verify(bench.proof(), [stubbed, stubbed])
        #expect(ledger.uses == 1)
        let text = bench.proof()
        try await verify(text, [bench, bench])
        await expectRefused(.proofReplayed) { () async throws(VerificationError) in
            try await verify(text, [bench, bench])
        }
    }

    @Test(.rule("T-199"))
    func `verifiers of one request with a ledger each record its proof in both`() async throws {
        var other = bench
        other.ledger = InMemoryDPoPLedger()
        let text = bench.proof()
        try await verify(text, [bench, other])
        for bench in [bench, other] {
            await expectRefused(.proofReplayed) { () async throws(VerificationError) in try await bench.verify(text) }
        }
    }

    @Test(.rule("T-199"))
    func `another proof of the same request is recorded too`() async throws {
        var recorded: [RecordedProof] = []
        let texts = [bench.proof(), bench.proof()]
        for text in texts {
            try await bench.verifier.verify(
                DPoPRequest(method: "GET", url: ProofBench.url, proofs: [text]),
                token: bench.token,
                confirmation: bench.confirmation,
                recorded: &recorded
            )
        }
        for text in texts {
            await expectRefused(.proofReplayed) { () async throws(VerificationError) in try await bench.verify(text) }
        }
    }

    // MARK: Undecided

    @Test(.rule("T-199"))
    func `a full ledger makes proofs undecided, forgets none, and has room when one expires`() async throws {
        var bench = bench
        bench.ledger = InMemoryDPoPLedger(capacity: 2)
        let texts = (0..<3).map { _ in bench.proof() }
        try await bench.verify(texts[0])
        bench.clock.advance(by: .seconds(30))
        try await bench.verify(texts[1])
        let unavailable = await expectUndecided(.proofUndecided) { () async throws(VerificationError) in
            try await bench.verify(texts[2])
        }
        #expect(unavailable?.publicMessage.contains("Try again") == true)
        await expectRefused(.proofReplayed) { () async throws(VerificationError) in try await bench.verify(texts[0]) }
        bench.clock.advance(by: .seconds(30))
        try await bench.verify(bench.proof())
    }

    @Test(.rule("T-199"))
    func `a broken ledger makes a proof undecided, and its error is not shown`() async {
        var bench = bench
        bench.ledger = StubLedger(nil)
        let text = bench.proof()
        var reports: [CheckReport] = []
        let unavailable = await expectUndecided(.proofUndecided) { () async throws(VerificationError) in
            try await bench.verify(text) { reports.append($0) }
        }
        #expect(unavailable?.description.contains("password") == false)
        #expect(reports.last?.check == .singleUse && reports.last?.outcome == .skipped)
    }

    // MARK: Time

    @Test(.rule("T-199"), arguments: [59, 60])
    func `a proof that expires while its use is recorded is refused`(seconds: Int) async throws {
        var bench = bench
        let clock = bench.clock
        bench.ledger = StubLedger(.first) { clock.advance(by: .seconds(seconds)) }
        let text = bench.proof()
        guard seconds == 60 else {
            try await bench.verify(text)
            return
        }
        await expectRefused(.proofTooOld) { () async throws(VerificationError) in try await bench.verify(text) }
    }

    private func digest(_ id: String) -> ProofDigest { ProofDigest(keyThumbprint: "key", id: id) }

    @Test(.rule("T-199"))
    func `expired proofs are removed`() {
        var proofs = UsedProofs(capacity: 10_000)
        for second in 0..<1000 {
            #expect(proofs.use(digest("\(second)"), until: Double(second + 60), now: Double(second)) == .first)
        }
        #expect(proofs.count == 60)
    }

    @Test(.rule("T-199"))
    func `a proof counts as used after the clock was ahead for a moment and was set back`() {
        var proofs = UsedProofs(capacity: 10)
        #expect(proofs.use(digest("a"), until: 60, now: 0) == .first)
        #expect(proofs.use(digest("b"), until: 86_460, now: 86_400) == .first)
        #expect(proofs.use(digest("a"), until: 60, now: 1) == .replayed)
        // A proof made before the first one could have been removed with it.
        #expect(proofs.use(digest("c"), until: 60, now: 1) == .replayed)
        #expect(proofs.use(digest("c"), until: 61, now: 1) == .first)
    }

    @Test(.rule("T-199"))
    func `a proof counts as used after the clock was set back`() {
        var proofs = UsedProofs(capacity: 10)
        #expect(proofs.use(digest("a"), until: 3660, now: 3600) == .first)
        for now in [0.0, 3599, 3659] { #expect(proofs.use(digest("a"), until: 3660, now: now) == .replayed) }
    }
}
