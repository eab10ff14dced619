// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A ledger that always gives the same answer, counts the uses, and may take its time.
final class StubLedger: DPoPLedger {
    struct Broken: Error {
        let secret = "postgresql://user:password@host"
    }

    private let answer: ProofUse?
    private let beforeAnswering: @Sendable () -> Void
    private let count = Mutex(0)

    /// The number of uses.
    var uses: Int { count.withLock { $0 } }

    /// Creates a ledger; without an answer it is broken.
    init(_ answer: ProofUse?, beforeAnswering: @escaping @Sendable () -> Void = {}) {
        self.answer = answer
        self.beforeAnswering = beforeAnswering
    }

    func use(_ proof: ProofDigest, until expiry: Date, now: Date) async throws -> ProofUse {
        count.withLock { $0 += 1 }
        beforeAnswering()
        guard let answer else { throw Broken() }
        return answer
    }
}
