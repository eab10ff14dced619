// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The values from the command line, by key name.
package struct ServiceFlags: Sendable {
    let values: [String: String]

    /// Creates the values.
    ///
    /// - Parameters:
    ///   - assignments: The arguments of `--set`, each `key=value`.
    ///   - options: The values of the options that set a key.
    /// - Throws: ``ConfigurationFault`` if an assignment has no equals sign, a key is unknown, or a key has two values.
    package init(assignments: [String], options: [(ConfigurationKey, String?)]) throws(ConfigurationFault) {
        var pairs: [(String, String)] = []
        for assignment in assignments {
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count == 2 else {
                throw ConfigurationFault("--set must be KEY=VALUE, for example listen=127.0.0.1:8080")
            }
            if let fault = ConfigurationNames.fault(of: parts[0]) { throw ConfigurationFault("--set: \(fault)") }
            pairs.append((parts[0], parts[1]))
        }
        for case (let key, let value?) in options { pairs.append((key.name, value)) }
        var values: [String: String] = [:]
        for (name, value) in pairs where values.updateValue(value, forKey: name) != nil {
            throw ConfigurationFault("--set \(name): the key is set more than once")
        }
        self.values = values
    }
}
#endif
