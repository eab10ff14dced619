// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// Parts of a policy in the form in which a command or a configuration states them.
extension AccessTokenPolicy {
    /// Returns the required values that texts state.
    ///
    /// - Parameter requirements: Texts of the form `claim=value`. The name ends at the first equals sign. If several name
    ///   one claim, one of their values suffices.
    /// - Returns: The accepted values, by the name of the claim.
    /// - Throws: ``PolicyError`` for a text without a name or a value.
    package static func requiredValues(_ requirements: [String]) throws(PolicyError) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for requirement in requirements {
            let parts = requirement.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count == 2, !parts.contains("") else {
                throw PolicyError("\(quoted(requirement)) is not <claim>=<value>")
            }
            values[parts[0], default: []].append(parts[1])
        }
        return values
    }

    /// Returns the signature algorithms that texts name.
    ///
    /// - Parameter names: The names of JSON Web Algorithms, such as `ES256`.
    /// - Returns: The algorithms; nil if there is no text, for those of the issuer.
    /// - Throws: ``PolicyError`` for an unknown name.
    package static func algorithms(_ names: [String]) throws(PolicyError) -> Set<SignatureAlgorithm>? {
        var algorithms: Set<SignatureAlgorithm> = []
        for name in names {
            guard let algorithm = SignatureAlgorithm(rawValue: name) else {
                let all = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw PolicyError("\(quoted(name)) is none of \(all)")
            }
            algorithms.insert(algorithm)
        }
        return algorithms.isEmpty ? nil : algorithms
    }
}
