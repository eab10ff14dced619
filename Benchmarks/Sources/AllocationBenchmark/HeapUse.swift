// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import CCountedMalloc
import Foundation

/// Counts of heap allocations.
struct HeapUse: CustomStringConvertible {
    /// The number of allocated blocks.
    let allocations: Double
    /// The number of these blocks that OpenSSL allocated.
    let openSSLAllocations: Double
    let bytes: Double

    /// The allocations of all threads since the process started.
    static var now: Self {
        let counts = CCountedMalloc_counts()
        return Self(
            allocations: Double(counts.allocations),
            openSSLAllocations: Double(counts.openssl_allocations),
            bytes: Double(counts.bytes)
        )
    }

    /// Returns the average allocations per call, measured after a warm-up.
    static func each(_ body: () throws -> Void) rethrows -> Self {
        let times = 1000
        for _ in 0..<100 { try body() }
        let before = now
        for _ in 0..<times { try body() }
        let all = now - before
        return Self(
            allocations: all.allocations / Double(times),
            openSSLAllocations: all.openSSLAllocations / Double(times),
            bytes: all.bytes / Double(times)
        )
    }

    /// Returns the allocations between two measurements.
    static func - (later: Self, earlier: Self) -> Self {
        Self(
            allocations: later.allocations - earlier.allocations,
            openSSLAllocations: later.openSSLAllocations - earlier.openSSLAllocations,
            bytes: later.bytes - earlier.bytes
        )
    }

    var description: String {
        String(format: "%.1f in all, %.1f by OpenSSL; %.0f bytes", allocations, openSSLAllocations, bytes)
    }
}
