// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import CCountedMalloc
import Foundation

/// What the heap was asked for.
struct HeapUse: CustomStringConvertible {
    /// Blocks.
    let allocations: Double
    /// Those of them that OpenSSL asked for.
    let openSSLAllocations: Double
    let bytes: Double

    /// By all threads, since the process began.
    static var now: Self {
        let counts = CCountedMalloc_counts()
        return Self(
            allocations: Double(counts.allocations),
            openSSLAllocations: Double(counts.openssl_allocations),
            bytes: Double(counts.bytes)
        )
    }

    /// What it is asked for each time, once everything that is made only once is there.
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

    /// What it was asked for between two moments.
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
