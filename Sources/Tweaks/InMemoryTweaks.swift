// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A persistence in memory: values last until the process ends.
public final class InMemoryTweaks: TweakPersistence {
    private let ledger = Mutex(TweakLedger())

    /// Creates an empty persistence.
    public init() {}

    /// Returns the number of changes.
    public func revision() async throws(TweakError) -> Int64 { ledger.withLock { $0.revision } }

    /// Returns the overrides.
    public func load() async throws(TweakError) -> TweakOverrides { ledger.withLock { $0.overrides } }

    /// Sets or resets one tweak.
    public func set(_ id: String, to value: String?, expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        try ledger.withLock { ledger throws(TweakError) in
            try ledger.set(id, to: value, expecting: revision, by: author)
        }
    }

    /// Sets or resets several tweaks.
    public func set(_ values: [String: String?], expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        try ledger.withLock { ledger throws(TweakError) in
            try ledger.set(values, expecting: revision, by: author)
        }
    }

    /// Records that an operator runs an action.
    public func recordAction(_ id: String, by author: String) async throws(TweakError) {
        ledger.withLock { $0.recordAction(id, by: author) }
    }

    /// Returns the latest changes and actions, newest first: 200 at most.
    public func history(limit: Int) async throws(TweakError) -> [TweakChange] { ledger.withLock { $0.latest(limit) } }
}
