// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The instructions for verifications and workers.
extension KeyCacheState {
    /// A fetch of the keys.
    struct Fetch: Sendable, Hashable {
        /// The number, which increases with each fetch.
        let number: Int
        /// The time at which the fetch began.
        let startedAt: Duration
        /// The URL of the key set; nil if it has to be discovered.
        let url: EndpointURL?
    }

    /// The instruction for a verification.
    enum Instruction: Sendable {
        case keys(KeySnapshot)
        case unavailable(VerificationUnavailable)
        /// Wait for the end of a fetch, and ask again with this reason.
        case wait(Wait)
    }

    /// The reason of a verification's wait.
    enum Wait: Sendable, Hashable {
        /// A fetch that may have begun before the verification.
        case anyFetch
        /// The fetch with this number, the first one that can contain the key.
        case lookup(Int)
        /// None: the verification has reached the limit of its wait.
        case limit
    }

    /// A task that performs the steps, one at a time.
    enum Worker: Sendable {
        /// The service, from `run()` until it is stopped.
        ///
        /// It renews keys ahead of time.
        case service
        /// The task that a call starts if no service runs.
        ///
        /// It performs the steps that are due, and ends.
        case backgroundTask
    }

    /// The instruction for a worker.
    enum Step: Sendable, Hashable {
        /// Load the stored keys.
        case restore
        case fetch(Fetch)
        /// Nothing is due before this time, unless the worker is woken.
        case sleep(until: Duration)
        /// Nothing is due: the background task ends, and a later call starts the next one.
        case end
    }
}
