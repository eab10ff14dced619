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

    /// What it is asked for each time, once everything that is made only once is there.
    static func each(_ body: () throws -> Void) rethrows -> Self {
        let times = 1000
        for _ in 0..<100 { try body() }
        return try during {
            for _ in 0..<times { try body() }
        }.divided(by: Double(times))
    }

    /// What it is asked for in the meantime.
    static func during(_ body: () throws -> Void) rethrows -> Self {
        let before = CCountedMalloc_counts()
        try body()
        let after = CCountedMalloc_counts()
        return Self(
            allocations: Double(after.allocations - before.allocations),
            openSSLAllocations: Double(after.openssl_allocations - before.openssl_allocations),
            bytes: Double(after.bytes - before.bytes)
        )
    }

    var description: String {
        String(format: "%.1f in all, %.1f by OpenSSL; %.0f bytes", allocations, openSSLAllocations, bytes)
    }

    private func divided(by times: Double) -> Self {
        Self(allocations: allocations / times, openSSLAllocations: openSSLAllocations / times, bytes: bytes / times)
    }
}
