// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import Configuration
internal import Foundation

/// Reads the configuration: at the start, and again whenever the file has changed.
struct ConfigurationFileReader: Sendable {
    let flags: [String: String]
    let environment: [String: String]

    func values(_ file: (any ConfigSnapshot)?) -> ConfigurationValues {
        ConfigurationValues(flags: flags, environment: environment, file: file)
    }

    /// The configuration, without what is said of tweaks by their IDs.
    func configuration(_ file: (any ConfigSnapshot)?) throws(ConfigurationFault) -> ServiceConfiguration {
        try ServiceConfiguration(values(file), stateDirectory: stateDirectory)
    }

    /// What to say of a tweak that there is not, whoever names it; nil where all are.
    func unknownTweak(_ file: (any ConfigSnapshot)?, of ids: [String]) -> String? {
        let names = (file as? ServiceFile)?.names.sorted() ?? []
        for name in names + flags.keys.sorted() where name.hasPrefix("tweaks.") {
            if let fault = ConfigurationNames.fault(of: name, tweaks: ids) { return fault }
        }
        let variables = environment.keys.filter { $0.hasPrefix(ConfigurationKey.variable("tweaks.")) }.sorted()
        return ConfigurationNames.fault(of: variables, among: ids.map { ConfigurationKey.variable("tweaks." + $0) })
    }

    /// Where the service keeps what is its own: what systemd says, or else as the XDG specification has it.
    private var stateDirectory: String {
        if let directory = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(directory) }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/verify-token" }
        let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
        return home + "/.local/state/verify-token"
    }
}
#endif
