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

/// Server nonces.
@Suite struct DPoPNoncesTests {
    private let secret = [UInt8](repeating: 7, count: 32)

    private func bench() throws -> ProofBench {
        ProofBench(policy: try DPoPPolicy(nonces: DPoPNonces(secret: secret)))
    }

    @Test(.rule("T-200"))
    func `a proof with the current nonce is accepted`() async throws {
        let bench = try bench()
        let nonce = try #require(bench.verifier.nonce)
        #expect(nonce.utf8.count == 22)
        try await bench.verify(bench.proof(nonce: nonce))
    }

    @Test(.rule("T-200"))
    func `a proof without a nonce, or with one that was never issued, is refused`() async throws {
        let bench = try bench()
        for nonce in [nil, "", "made-up-by-the-client", "AAAAAAAAAAAAAAAAAAAAAA"] {
            let text = bench.proof(nonce: nonce)
            let refusal = await expectRefused(.proofNonce) { () async throws(VerificationError) in
                try await bench.verify(text)
            }
            #expect(refusal?.member == "nonce")
        }
    }

    @Test(.rule("T-200"))
    func `a nonce is accepted for at least its lifetime, and at most twice as long`() async throws {
        let bench = try bench()
        // 1,760,000,000 is 20 seconds after the beginning of a minute.
        let nonce = bench.verifier.nonce
        bench.clock.advance(by: .seconds(39))
        #expect(bench.verifier.nonce == nonce)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.verifier.nonce != nonce)
        bench.clock.advance(by: .seconds(59))
        try await bench.verify(bench.proof(nonce: nonce))
        bench.clock.advance(by: .seconds(1))
        let late = bench.proof(nonce: nonce)
        await expectRefused(.proofNonce) { () async throws(VerificationError) in try await bench.verify(late) }
    }

    @Test(.rule("T-200"))
    func `a nonce of a server whose clock is ahead is accepted`() async throws {
        let bench = try bench()
        bench.clock.advance(by: .seconds(60))
        let nonce = bench.verifier.nonce
        bench.clock.advance(by: .seconds(-60))
        try await bench.verify(bench.proof(nonce: nonce))
    }

    @Test(.rule("T-200"), arguments: [1, 4_000_000_000])
    func `with a nonce, the clock of the client does not matter`(time: Int) async throws {
        let bench = try bench()
        let text = bench.proof(nonce: bench.verifier.nonce) { $0.claims["iat"] = .number(String(time)) }
        try await bench.verify(text)
    }

    @Test(.rule("T-200"))
    func `a proof with a nonce is accepted once, as long as the nonce is accepted`() async throws {
        let bench = try bench()
        let text = bench.proof(nonce: bench.verifier.nonce) { $0.claims["iat"] = 1 }
        try await bench.verify(text)
        bench.clock.advance(by: .seconds(99))
        await expectRefused(.proofReplayed) { () async throws(VerificationError) in try await bench.verify(text) }
    }

    @Test(.rule("T-200"))
    func `servers agree on the nonce exactly if they have the same secret`() throws {
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        let nonce = try DPoPNonces(secret: secret).nonce(at: now)
        #expect(try DPoPNonces(secret: secret).nonce(at: now) == nonce)
        #expect(try DPoPNonces(secret: [UInt8](repeating: 8, count: 32)).nonce(at: now) != nonce)
    }

    @Test(.rule("T-200"))
    func `a short secret and a lifetime out of range are refused`() {
        #expect(throws: PolicyError.self) { try DPoPNonces(secret: [UInt8](repeating: 7, count: 31)) }
        for lifetime in [Duration.seconds(9), .seconds(601)] {
            #expect(throws: PolicyError.self) { try DPoPNonces(secret: secret, lifetime: lifetime) }
        }
    }

    @Test(.rule("T-200"), arguments: [-Double.infinity, -1e300, -1, 0, 1e300, .infinity, .nan])
    func `any time has a nonce`(seconds: Double) throws {
        let nonces = try DPoPNonces(secret: secret)
        #expect(nonces.nonce(at: Date(timeIntervalSince1970: seconds)).utf8.count == 22)
        #expect(nonces.expiry(of: "", now: seconds) == nil)
    }

    @Test func `a policy without nonces has none`() {
        #expect(ProofBench().verifier.nonce == nil)
    }

    @Test func `descriptions do not show the secret`() throws {
        let nonces = try DPoPNonces(secret: secret)
        #expect("\(nonces) \(String(reflecting: nonces))".contains("7, 7") == false)
        var text = ""
        dump(try DPoPPolicy(nonces: nonces), to: &text)
        #expect(!text.contains("7\n"))
    }
}
