// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation

/// A reader of the configuration, used at the start and after each change of the file.
struct ConfigurationFileReader: Sendable {
    let flags: [String: String]
    let environment: [String: String]

    func values(_ file: (any ConfigSnapshot)?) -> ConfigurationValues {
        ConfigurationValues(flags: flags, environment: environment, file: file)
    }

    /// Returns the configuration, without the values of `tweaks.<id>`.
    func configuration(_ file: (any ConfigSnapshot)?) throws(ConfigurationFault) -> ServiceConfiguration {
        let values = values(file)
        try checkNames(file, .providers, "provider.", in: values)
        try checkNames(file, .policies, "policy.", in: values)
        return try ServiceConfiguration(values, stateDirectory: stateDirectory)
    }

    /// Rejects settings of a provider or a policy that no list contains, since they would have no effect.
    ///
    /// A name in an overridden list is accepted: a flag can remove a provider whose settings remain in the file.
    private func checkNames(
        _ file: (any ConfigSnapshot)?,
        _ list: ConfigurationKey,
        _ prefix: String,
        in values: ConfigurationValues
    ) throws(ConfigurationFault) {
        let listed = try values.everyList(list)
        for key in names(in: file) + flags.keys.sorted() where key.hasPrefix(prefix) {
            let name = String(key.dropFirst(prefix.count).prefix { $0 != "." })
            guard !listed.contains(name) else { continue }
            let nearest = ConfigurationNames.nearest(to: name, of: listed).map { "; did you mean \($0)?" } ?? ""
            let shown = printable(String(name.prefix(64)))
            throw ConfigurationFault("\(prefix)\(shown): \(list.name) does not contain \(shown)\(nearest)")
        }
        let variables = environment.keys.filter { $0.hasPrefix(ConfigurationKey.variable(prefix)) }.sorted()
        let keys = ConfigurationKey.all.filter { $0.name.hasPrefix(prefix) }
        let known = listed.flatMap { name in keys.map { ConfigurationKey.variable($0.name(name)) } }
        if let fault = ConfigurationNames.fault(of: variables, among: known) { throw ConfigurationFault(fault) }
    }

    private func names(in file: (any ConfigSnapshot)?) -> [String] { (file as? ServiceFile)?.names.sorted() ?? [] }

    /// Returns the error message for the first unknown tweak in any source; nil if all are known.
    func unknownTweak(_ file: (any ConfigSnapshot)?, of ids: [String]) -> String? {
        for name in names(in: file) + flags.keys.sorted() where name.hasPrefix("tweaks.") {
            if let fault = ConfigurationNames.fault(of: name, tweaks: ids) { return fault }
        }
        let variables = environment.keys.filter { $0.hasPrefix(ConfigurationKey.variable("tweaks.")) }.sorted()
        return ConfigurationNames.fault(of: variables, among: ids.map { ConfigurationKey.variable("tweaks." + $0) })
    }

    /// The state directory: `STATE_DIRECTORY` as set by systemd, or a directory below `XDG_STATE_HOME`.
    private var stateDirectory: String {
        if let directory = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(directory) }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/verify-token" }
        let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
        return home + "/.local/state/verify-token"
    }
}
#endif
