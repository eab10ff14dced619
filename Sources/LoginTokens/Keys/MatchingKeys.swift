// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The keys of a set that may have signed a token: one, unless several different keys have the ID that it names.
///
/// A key that a set lists several times is one key, identified by its thumbprint (RFC 7638).
struct MatchingKeys {
    let first: JSONWebKey
    private var others: [JSONWebKey] = []

    /// Creates the keys with one key.
    init(_ key: JSONWebKey) {
        first = key
    }

    /// The number of different keys.
    var count: Int { 1 + others.count }

    /// Adds a key unless it is already there.
    mutating func insert(_ key: JSONWebKey) {
        if !contains(thumbprint: key.thumbprint) { others.append(key) }
    }

    /// Returns whether one of the keys has this thumbprint.
    func contains(thumbprint: String) -> Bool {
        isEqual(first.thumbprint, thumbprint) || others.contains { isEqual($0.thumbprint, thumbprint) }
    }

    /// Returns whether all keys of `other` are among these.
    func contains(_ other: MatchingKeys) -> Bool {
        contains(thumbprint: other.first.thumbprint) && other.others.allSatisfy { contains(thumbprint: $0.thumbprint) }
    }

    /// Returns the first key that meets a condition; nil if none does.
    func first(where condition: (JSONWebKey) -> Bool) -> JSONWebKey? {
        condition(first) ? first : others.first(where: condition)
    }
}
