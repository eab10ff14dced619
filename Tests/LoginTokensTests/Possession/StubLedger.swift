// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A ledger that always gives the same answer, and counts the uses.
final class StubLedger: DPoPLedger {
    struct Broken: Error {
        let secret = "postgresql://user:password@host"
    }

    private let answer: ProofUse?
    private let count = Mutex(0)

    /// The number of uses.
    var uses: Int { count.withLock { $0 } }

    /// Creates a ledger; without an answer it is broken.
    init(_ answer: ProofUse?) {
        self.answer = answer
    }

    func use(_ proof: ProofDigest, until expiry: Date, now: Date) async throws -> ProofUse {
        count.withLock { $0 += 1 }
        guard let answer else { throw Broken() }
        return answer
    }
}
