// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Dispatch

/// A latch that blocks a thread until it is opened.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the thread for at most 30 seconds.
    ///
    /// - Returns: Whether the latch was opened.
    @discardableResult
    func wait() -> Bool { semaphore.wait(timeout: .now() + 30) == .success }

    func open() { semaphore.signal() }
}
