// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginText
internal import LoginTokens

extension JSONWebKey {
    /// The names of the key's algorithms, in the order in which the options list them.
    var algorithmNames: [String] {
        SignatureAlgorithm.allCases.filter(algorithms.contains).map(\.rawValue)
    }
}

extension JSONWebKeySet {
    /// The IDs that several different keys of one algorithm share, each with the number of these keys.
    ///
    /// A token that names such an ID is verified with each of them, or refused if there are more than
    /// ``Limits/keysPerID``.
    var sharedKeyIDs: [(keyID: String, count: Int)] {
        var shared: [(keyID: String, count: Int)] = []
        for keyID in keys.compactMap(\.keyID) where !shared.contains(where: { isEqual($0.keyID, keyID) }) {
            let named = keys.filter { $0.keyID.map { isEqual($0, keyID) } ?? false }
            let counts = SignatureAlgorithm.allCases.map { algorithm in
                Set(named.filter { $0.algorithms.contains(algorithm) }.map(\.thumbprint)).count
            }
            if let count = counts.max(), count > 1 { shared.append((keyID, count)) }
        }
        return shared
    }

    /// Notes on what a reader of the set may not expect: shared IDs, keys that are listed several times, and ignored
    /// members.
    var notes: [String] {
        let shared = sharedKeyIDs.map { keyID, count in
            let effect = count > Limits.keysPerID ? "refused (key-ambiguous)" : "verified with each of them"
            return "\(count) different keys have the ID \(quoted(keyID)): a token that names it is \(effect)"
        }
        let repeated = keys.indices.compactMap { index in
            let thumbprint = keys[index].thumbprint
            let count = keys.count { $0.thumbprint == thumbprint }
            let isFirst = !keys[..<index].contains { $0.thumbprint == thumbprint }
            return count > 1 && isFirst ? "the key \(thumbprint) is listed \(count) times, and is one key" : nil
        }
        let ignored = keys.flatMap { key in
            key.notes.map { "key \(key.keyID.map { quoted($0) } ?? "without an ID"): \($0)" }
        }
        return shared + repeated + ignored
    }
}
#endif
