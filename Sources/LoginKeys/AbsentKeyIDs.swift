// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// The key IDs that recent lookups did not find, oldest first.
///
/// The list is bounded. ``KeyCacheState`` decides for how long it is true.
struct AbsentKeyIDs: Sendable {
    private var keyIDs: [String] = []

    func contains(_ keyID: String) -> Bool { keyIDs.contains { isEqual($0, keyID) } }

    mutating func insert(_ keyID: String) {
        keyIDs.removeAll { isEqual($0, keyID) }
        if keyIDs.count >= Limits.absentKeyIDs { keyIDs.removeFirst() }
        keyIDs.append(keyID)
    }

    mutating func removeAll() { keyIDs.removeAll() }
}
