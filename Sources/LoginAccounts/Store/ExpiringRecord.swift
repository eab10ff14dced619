// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A row with a lifetime.
protocol ExpiringRecord: StoredRecord {
    /// The time at which the row was created.
    var createdAt: StoreTime { get }

    /// The time at which it expires.
    var expiresAt: StoreTime { get }
}

extension ExpiringRecord {
    /// Whether the row has expired, or was created in the future by a server whose clock was ahead.
    ///
    /// The conditions of statements are ``StoreColumn/isAfter(_:)`` and ``StoreColumn/isPossibleCreation(at:)``.
    func isExpired(at now: StoreTime) -> Bool { expiresAt <= now || createdAt > .latestCreation(now) }
}

extension StoreColumn {
    /// The condition that the time in the column is not in the future; see ``StoreTime/latestCreation(_:)``.
    func isPossibleCreation(at now: StoreTime) -> StoreCondition {
        isAtMost(StoreTime.latestCreation(now).milliseconds)
    }
}
