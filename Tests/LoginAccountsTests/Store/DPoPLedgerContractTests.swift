// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts
@testable import LoginTokens

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The promises of a ledger of DPoP proofs, for the ledger in memory and for those of all stores.
@Suite(.rule("T-199")) struct DPoPLedgerContractTests {
    private let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func digest(_ id: String, of key: String = "key") -> ProofDigest {
        ProofDigest(keyThumbprint: key, id: id)
    }

    // MARK: All ledgers

    @Test(arguments: LedgerUnderTest.all)
    func `a proof is accepted once, and counts as used until it expires`(_ kind: LedgerUnderTest) async throws {
        let ledger = try await kind.make()
        #expect(try await ledger.use(digest("a"), until: now + 60, now: now) == .first)
        for seconds in [0, 30, 59.9] {
            #expect(try await ledger.use(digest("a"), until: now + 60, now: now + seconds) == .replayed)
        }
    }

    @Test(arguments: LedgerUnderTest.all)
    func `proofs with another key or another ID are accepted`(_ kind: LedgerUnderTest) async throws {
        let ledger = try await kind.make()
        for proof in [digest("a"), digest("b"), digest("a", of: "another key")] {
            #expect(try await ledger.use(proof, until: now + 60, now: now) == .first)
        }
    }

    @Test(arguments: LedgerUnderTest.all)
    func `a proof counts as used in the millisecond in which it expires`(_ kind: LedgerUnderTest) async throws {
        let ledger = try await kind.make()
        let expiry = now + 60.0006
        #expect(try await ledger.use(digest("a"), until: expiry, now: now) == .first)
        #expect(try await ledger.use(digest("a"), until: expiry, now: now + 60.0003) == .replayed)
    }

    @Test(arguments: LedgerUnderTest.all)
    func `a proof counts as used after the clock was set back by an hour`(_ kind: LedgerUnderTest) async throws {
        let ledger = try await kind.make()
        #expect(try await ledger.use(digest("a"), until: now + 60, now: now) == .first)
        #expect(try await ledger.use(digest("a"), until: now + 60, now: now - 3600) == .replayed)
    }

    /// A proof that is ahead of the clock is accepted for longest: for the leeway and the maximum age.
    @Test(arguments: LedgerUnderTest.all, [(0, 60), (30, 60), (60, 300)])
    func `a used proof is refused as replayed in every second in which it would be accepted, and then as too old`(
        _ kind: LedgerUnderTest,
        _ times: (Int, Int)
    ) async throws {
        let (ahead, age) = times
        let prover = TestProver()
        let url = "https://login.example/token"
        let text = prover.proof(method: "POST", url: url) { token in
            let issued = Int(prover.clock.now.timeIntervalSince1970) + ahead
            token.claims["iat"] = .number("\(issued)")
        }
        let verifier = DPoPVerifier(
            policy: try DPoPPolicy(maximumAge: .seconds(age), leeway: .seconds(ahead)),
            ledger: try await kind.make(),
            clock: prover.clock
        )
        func verify() async throws(VerificationError) -> DPoPProof {
            try await verifier.verify(DPoPRequest(method: "POST", url: url, proofs: [text]))
        }
        _ = try await verify()
        for _ in 1..<ahead + age {
            prover.clock.advance(by: .seconds(1))
            await expectRefused(.proofReplayed, verify)
        }
        prover.clock.advance(by: .milliseconds(875))
        await expectRefused(.proofReplayed, verify)
        prover.clock.advance(by: .milliseconds(125))
        await expectRefused(.proofTooOld, verify)
    }

    // MARK: Stores

    @Test(arguments: StoreError.Code.all)
    func `a store that fails makes a proof undecided, and its error is not shown`(_ code: StoreError.Code) async {
        let store = BreakableStore()
        store.failure = code
        let prover = TestProver()
        let verifier = DPoPVerifier(ledger: StoredDPoPLedger(store: store), clock: prover.clock)
        let url = "https://login.example/token"
        let request = DPoPRequest(method: "POST", url: url, proofs: [prover.proof(method: "POST", url: url)])
        let unavailable = await expectUndecided(.proofUndecided) { () async throws(VerificationError) in
            try await verifier.verify(request)
        }
        #expect(unavailable?.description.contains("disk") == false)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a proof that a verifier with another policy accepts for longer counts as used`(_ store: StoreUnderTest)
        async throws
    {
        let ledger = StoredDPoPLedger(store: try await store.make())
        #expect(try await ledger.use(digest("a"), until: now + 60, now: now) == .first)
        #expect(try await ledger.use(digest("a"), until: now + 600, now: now + 61) == .replayed)
    }

    @Test(.rule("SWEEP-1"), arguments: StoreUnderTest.all)
    func `a sweep deletes a proof half an hour after it has expired`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ledger = StoredDPoPLedger(store: fixture.store)
        let used = fixture.clock.now
        #expect(try await ledger.use(digest("a"), until: used + 60, now: used) == .first)
        fixture.clock.advance(by: .seconds(60 + 1799))
        #expect(try await fixture.auth.sweep().removed.isEmpty)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.auth.sweep().removed == [DPoPProofRecord.table.name: 1])
        #expect(try await ledger.use(digest("a"), until: used + 9000, now: fixture.clock.now) == .first)
    }
}

/// A kind of ledger in this build.
struct LedgerUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// Makes an empty ledger for one test.
    let make: @Sendable () async throws -> any DPoPLedger

    static let all: [Self] = [Self(testDescription: "no store") { InMemoryDPoPLedger() }] + ofStores

    private static let ofStores: [Self] = StoreUnderTest.all.map { store in
        Self(testDescription: store.name) { StoredDPoPLedger(store: try await store.make()) }
    }
}
