// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Synchronization

/// Eight tasks count to 160 000 under contention: behind a mutex, or, when `UNGUARDED` is defined, without one.
///
/// The thread sanitizer must be silent about the first and report the second.
final class Counter: @unchecked Sendable {
    #if UNGUARDED
    var value = 0
    func increment() { value += 1 }
    #else
    private let mutex = Mutex(0)
    var value: Int { mutex.withLock { $0 } }
    func increment() { mutex.withLock { $0 += 1 } }
    #endif
}

@main struct Canary {
    static func main() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...8 { group.addTask { for _ in 1...20_000 { counter.increment() } } }
        }
        print(counter.value)
    }
}
