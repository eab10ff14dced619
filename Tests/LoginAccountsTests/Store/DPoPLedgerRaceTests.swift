// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import TestSupport
import Testing

@testable import LoginAccounts
@testable import LoginTokens

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One proof that many clients present to two servers at the same time.
@Suite(.rule("E16", "T-199")) struct DPoPLedgerRaceTests {
    private let clients = 16

    /// Presents a proof at both servers, and returns the uses.
    private func race(_ proof: ProofDigest, at now: Date, _ servers: StorePair) async -> [ProofUse] {
        let ledgers = [StoredDPoPLedger(store: servers.one), StoredDPoPLedger(store: servers.other)]
        let results = await Race.run(
            (0..<clients).map { index -> Race.Contender<ProofUse> in
                let ledger = ledgers[index % 2]
                return { try await ledger.use(proof, until: now + 60, now: now) }
            }
        )
        #expect(Race.refusals(results) == [])
        return Race.winners(results)
    }

    @Test(arguments: StoreUnderTest.all)
    func `E16: a proof that 16 clients present to two servers concurrently is accepted once`(_ store: StoreUnderTest)
        async throws
    {
        let servers = try await store.pair()
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        for round in 1...Race.rounds {
            let uses = await race(ProofDigest(keyThumbprint: "key", id: "\(round)"), at: now, servers)
            #expect(uses.count { $0 == .first } == 1)
            #expect(uses.count { $0 == .replayed } == clients - 1)
        }
    }
}
