// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
import LoginText
internal import TestSupport
internal import Testing

/// The time of a comparison must not reveal how much of a secret was right.
@Suite(.serialized) struct ConstantTimeTests {
    private static let size = 1 << 20
    private let secret = [UInt8](repeating: 0x5A, count: size)

    /// Returns the secret with one bit of one byte changed.
    private func wrong(at place: Int) -> [UInt8] {
        var other = secret
        other[place] ^= 1
        return other
    }

    /// Returns the ratio of the time to refuse a difference at the end to that at the beginning.
    ///
    /// Both are measured in turn, and the shortest time of each counts: other load can only make a turn longer.
    private func ratio(rounds: Int = 15, _ isEqual: ([UInt8], [UInt8]) -> Bool) -> Double {
        let (early, late) = (wrong(at: 0), wrong(at: Self.size - 1))
        var (shortestEarly, shortestLate) = (Duration.seconds(3600), Duration.seconds(3600))
        for _ in 0..<rounds {
            shortestEarly = min(shortestEarly, processorTime { #expect(!isEqual(secret, early)) })
            shortestLate = min(shortestLate, processorTime { #expect(!isEqual(secret, late)) })
        }
        return shortestLate / shortestEarly
    }

    @Test(.rule("T-148"))
    func `comparing values that differ in the first byte takes as long as in the last`() {
        let measured = ratio(constantTimeEquals)
        #expect((0.5...2).contains(measured), "late : early = \(measured)")
    }

    @Test(.rule("T-148"))
    func `the measurement detects a comparison that stops at the first difference`() {
        let measured = ratio(rounds: 3) { $0 == $1 }
        #expect(measured > 10, "late : early = \(measured)")
    }
}
