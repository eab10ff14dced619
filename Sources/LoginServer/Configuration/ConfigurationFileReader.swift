// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import LoginProviders
internal import Tweaks

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
        let configuration = try ServiceConfiguration(values, stateDirectory: stateDirectory)
        for provider in configuration.providers { try checkReasons(file, of: provider, in: values) }
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
        if let fault = unknownTweak(file, of: ids) { throw ConfigurationFault(fault) }
        try configuration.readTweaks(ids, in: values(file))
        do throws(TweakError) {
            try tweaks.validateFileValues(configuration.tweaks)
        } catch {
            throw ConfigurationFault("tweaks.\(error.detail)")
        }
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
        let reasons = listed.map { ConfigurationKey.variable(Self.reasons(of: $0)) }
        let variables = environment.keys.filter { variable in
            variable.hasPrefix(ConfigurationKey.variable(prefix)) && !reasons.contains { variable.hasPrefix($0) }
        }.sorted()
        let keys = ConfigurationKey.all.filter { $0.name.hasPrefix(prefix) }
        let known = listed.flatMap { name in keys.map { ConfigurationKey.variable($0.name(name)) } }
        if let fault = ConfigurationNames.fault(of: variables, among: known) { throw ConfigurationFault(fault) }
    }

    /// Rejects reasons for permissions that logins do not request, which no page would explain.
    ///
    /// A permission in an overridden list is accepted, as the name of a provider is.
    private func checkReasons(
        _ file: (any ConfigSnapshot)?,
        of provider: ServiceConfiguration.ProviderSettings,
        in values: ConfigurationValues
    ) throws(ConfigurationFault) {
        let prefix = Self.reasons(of: provider.name)
        let requested = try values.everyList(.providerPermissions, provider.name) + provider.permissions.map(\.rawValue)
        let known = requested.map { prefix + $0 }
        let variables = known.map { ConfigurationKey.variable($0) }
        let unknown =
            (names(in: file) + flags.keys.sorted()).first { $0.hasPrefix(prefix) && !known.contains($0) }
            ?? environment.keys.sorted()
            .first { $0.hasPrefix(ConfigurationKey.variable(prefix)) && !variables.contains($0) }
        guard let unknown else { return }
        let list = ConfigurationKey.providerPermissions.name(provider.name)
        throw ConfigurationFault("\(printable(String(unknown.prefix(128)))): \(list) does not contain this permission")
    }

    /// Returns the common beginning of the keys for a provider's reasons.
    private static func reasons(of provider: String) -> String {
        ConfigurationKey.providerReason.of(permission: "").name(provider)
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
