// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import LoginText
internal import Tweaks

/// A reader of the configuration, used at the start and after each change of the file.
struct ConfigurationFileReader: Sendable {
    let flags: [String: String]
    let environment: [String: String]

    func values(_ file: (any ConfigSnapshot)?) -> ConfigurationValues {
        ConfigurationValues(flags: flags, environment: environment, file: file)
    }

    func names(_ file: (any ConfigSnapshot)?) -> ConfigurationNames {
        ConfigurationNames(file: file, flags: flags, environment: environment)
    }

    /// Returns the configuration, without the values of `tweaks.<id>`.
    func configuration(_ file: (any ConfigSnapshot)?) throws(ConfigurationFault) -> ServiceConfiguration {
        let values = values(file)
        let names = names(file)
        try names.checkListed("provider.", in: .providers, of: values)
        try names.checkListed("policy.", in: .policies, of: values)
        try names.checkListed("api.", in: .apis, of: values)
        try values.checkCredentials()
        let configuration = try ServiceConfiguration(values, stateDirectory: stateDirectory)
        for provider in configuration.providers {
            try names.checkKind(of: provider)
            try names.checkReasons(of: provider, in: values)
        }
        return configuration
    }

    /// Adds the values of the tweaks to a configuration, and validates them.
    ///
    /// - Parameters:
    ///   - tweaks: The tweaks, which are not changed.
    ///   - file: The file; nil if there is none.
    ///   - configuration: The configuration.
    /// - Throws: ``ConfigurationFault`` for the first unknown tweak or invalid value in any source.
    func readTweaks(
        _ tweaks: Tweaks,
        in file: (any ConfigSnapshot)?,
        into configuration: inout ServiceConfiguration
    ) throws(ConfigurationFault) {
        let ids = tweaks.ids
        try names(file).checkTweaks(ids)
        try configuration.readTweaks(ids, in: values(file))
        do throws(TweakError) {
            try tweaks.validateFileValues(configuration.tweaks)
        } catch {
            throw ConfigurationFault("tweaks.\(error.detail)")
        }
    }

    /// The state directory: `STATE_DIRECTORY` as set by systemd, or a directory below `XDG_STATE_HOME`.
    ///
    /// A variable that is set but blank is an error: elsewhere the service would begin a store without accounts. The
    /// exception is `XDG_STATE_HOME`, of which the XDG Base Directory Specification says that an empty value counts as
    /// unset, and that a relative path is ignored.
    private var stateDirectory: String {
        get throws(ConfigurationFault) {
            if let directories = environment["STATE_DIRECTORY"] {
                let first = String(directories.prefix { $0 != ":" })
                return try Self.checked(first, "STATE_DIRECTORY")
            }
            if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/verify-token" }
            let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
            return try Self.checked(home, "HOME") + "/.local/state/verify-token"
        }
    }

    private static func checked(_ directory: String, _ variable: String) throws(ConfigurationFault) -> String {
        guard !directory.isEmpty, !directory.hasBlankEnd else {
            throw ConfigurationFault("\(variable) is blank, or begins or ends with a space; unset the variable")
        }
        return directory
    }
}
#endif
