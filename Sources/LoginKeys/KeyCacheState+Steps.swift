// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// What verifications and workers are told.
extension KeyCacheState {
    /// One fetch of the keys.
    struct Fetch: Sendable, Hashable {
        /// Later ones have higher numbers.
        let number: Int
        /// When it began.
        let startedAt: Duration
        /// The address of the keys; nil where it has to be discovered.
        let url: EndpointURL?
    }

    /// What a verification is told.
    enum Answer: Sendable {
        case keys(KeySnapshot)
        case unavailable(KeysUnavailable)
        /// Ask again when a fetch has ended, saying what was waited for.
        case wait(Wait)
    }

    /// What a verification has waited for.
    enum Wait: Sendable, Hashable {
        /// A fetch that may have begun before the verification did.
        case anyFetch
        /// The fetch of this number, the first that can have brought the key.
        case look(Int)
        /// Nothing more: its time is up.
        case limit
    }

    /// Performs the steps, one worker at a time.
    enum Worker: Sendable {
        /// The service, from `run()` until it is stopped. It renews keys ahead of time.
        case service
        /// The task that a call starts where no service runs. It does what is due, and ends.
        case backgroundTask
    }

    /// What a worker is told.
    enum Step: Sendable, Hashable {
        /// Load the stored keys.
        case restore
        case fetch(Fetch)
        /// Nothing has to be done before that time, unless the worker is woken.
        case sleep(until: Duration)
        /// Nothing is due: the background task ends, and a later call starts the next one.
        case end
    }
}
