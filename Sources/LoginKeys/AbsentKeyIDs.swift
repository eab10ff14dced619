// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The key IDs that recent lookups did not find, oldest first.
///
/// The list is bounded, and each entry expires.
struct AbsentKeyIDs: Sendable {
    private var entries: [(keyID: String, until: Duration)] = []

    func contains(_ keyID: String, at now: Duration) -> Bool {
        entries.contains { $0.keyID == keyID && now < $0.until }
    }

    mutating func insert(_ keyID: String, at now: Duration) {
        entries.removeAll { $0.keyID == keyID || now >= $0.until }
        if entries.count >= Limits.absentKeyIDs { entries.removeFirst() }
        entries.append((keyID, now + Limits.absentKeyIDLifetime))
    }

    mutating func removeAll() { entries.removeAll() }
}
