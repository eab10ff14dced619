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
    /// The conditions of statements are ``StoreCondition/valid(at:)``.
    func isExpired(at now: StoreTime) -> Bool { expiresAt <= now || createdAt > .latestCreation(now) }
}

extension StoreCondition {
    /// The conditions that a row with a lifetime has not expired, and was not created in the future; see
    /// ``StoreTime/latestCreation(_:)``.
    ///
    /// - Parameter now: The current time; nil for no conditions.
    /// - Returns: The conditions, on the columns that all tables of such rows have.
    static func valid(at now: StoreTime?) -> [Self] {
        guard let now else { return [] }
        return [
            StoreColumn.integer("expires_at").isAfter(now),
            StoreColumn.integer("created_at").isAtMost(StoreTime.latestCreation(now).milliseconds),
        ]
    }
}
