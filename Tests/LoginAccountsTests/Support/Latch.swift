// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Dispatch

/// A latch that blocks a thread until it is opened.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { _ = semaphore.wait(timeout: .now() + 30) }

    func open() { semaphore.signal() }
}
