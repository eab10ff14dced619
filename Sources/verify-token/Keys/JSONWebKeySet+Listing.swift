// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginTokens

extension JSONWebKey {
    /// The names of the key's algorithms, in the order in which the options list them.
    var algorithmNames: [String] {
        SignatureAlgorithm.allCases.filter(algorithms.contains).map(\.rawValue)
    }
}

extension JSONWebKeySet {
    /// The IDs that several usable keys of one algorithm share.
    ///
    /// A token that names such an ID is refused.
    var ambiguousKeyIDs: [String] {
        var seen: Set<String> = []
        var ambiguous: [String] = []
        for key in keys {
            for name in key.algorithmNames where !seen.insert("\(name) \(key.keyID ?? "")").inserted {
                if let keyID = key.keyID, !ambiguous.contains(keyID) { ambiguous.append(keyID) }
            }
        }
        return ambiguous
    }
}
#endif
