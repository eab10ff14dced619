// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import LoginProviders

/// The names that are set in a configuration, and the checks that each of them is known and has an effect.
struct ConfigurationNames: Sendable {
    private typealias Kind = ServiceConfiguration.ProviderSettings.Kind

    /// The settings that only some kinds of providers have.
    private static let settings: [(kinds: [Kind], keys: [ConfigurationKey])] = [
        (
            [.facebook],
            [
                .providerApps, .providerAppSecret, .providerPermissions, .providerReason, .providerTracking,
                .providerGraphVersion,
            ]
        ),
        (
            [.openid],
            [
                .providerIssuer, .providerAuthenticationTime, .providerBrowserAlgorithm, .providerAppAlgorithm,
                DocumentKeys.provider.discoveryURL, DocumentKeys.provider.discoveryIssuer,
                .providerTrustedAudiences, .providerTokenType,
            ]
        ),
        ([.microsoft], [.providerTenants]),
        ([.microsoft, .openid], [.providerAuthentication, .providerClientKey, .providerClientKeyID]),
        ([.google, .apple, .microsoft, .openid], [.providerAlgorithms]),
        ([.google, .line, .microsoft, .openid], [.providerScopes]),
        (
            [.google, .apple, .line, .microsoft, .openid],
            [.providerClientID, .providerSecret, .providerAudiences, .providerEmailDomains]
        ),
        (
            [.google, .apple, .line, .openid],
            [.providerNonce, .providerPKCE, .providerCodeInjection, .providerUserInfo]
        ),
    ]

    /// The keys in the file, and those from the command line.
    private let keys: [String]
    /// The environment variables.
    private let variables: [String]

    /// Creates the names.
    ///
    /// - Parameters:
    ///   - file: The file; nil if there is none.
    ///   - flags: The values from the command line, by key name.
    ///   - environment: The environment.
    init(file: (any ConfigSnapshot)?, flags: [String: String], environment: [String: String]) {
        keys = ((file as? ServiceFile)?.names.sorted() ?? []) + flags.keys.sorted()
        variables = environment.keys.sorted()
    }

    /// Rejects settings of a provider, a policy or an API that no list contains, since they would have no effect.
    ///
    /// A name in an overridden list is accepted: a flag can remove a provider whose settings remain in the file.
    func checkListed(_ prefix: String, in list: ConfigurationKey, of values: ConfigurationValues)
        throws(ConfigurationFault)
    {
        let listed = try values.everyList(list)
        for key in keys where key.hasPrefix(prefix) {
            let name = String(key.dropFirst(prefix.count).prefix { $0 != "." })
            guard !listed.contains(name) else { continue }
            let nearest = Self.nearest(to: name, of: listed).map { "; did you mean \($0)?" } ?? ""
            let shown = Self.oneLine(name)
            throw ConfigurationFault("\(prefix)\(shown): \(list.name) does not contain \(shown)\(nearest)")
        }
        let settings = ConfigurationKey.all.filter { $0.name.hasPrefix(prefix) }
        let known = listed.flatMap { name in settings.map { $0.of(name) } }
        if let fault = Self.fault(ofVariables: variables, prefix, among: known) { throw ConfigurationFault(fault) }
    }

    /// Rejects settings that the kind of a provider does not have, since they would have no effect.
    func checkKind(of provider: ServiceConfiguration.ProviderSettings) throws(ConfigurationFault) {
        for (kinds, settings) in Self.settings where !kinds.contains(provider.kind) {
            for key in settings.map({ $0.of(provider.name) }) {
                guard let name = first(of: key) else { continue }
                let allowed = kinds.map(\.rawValue).joined(separator: " or ")
                throw ConfigurationFault("\(name) can be set only for providers of the kind \(allowed)")
            }
        }
    }

    /// Rejects reasons for permissions that logins do not request, which no page would explain.
    ///
    /// A permission in an overridden list is accepted, as the name of a provider is.
    func checkReasons(of provider: ServiceConfiguration.ProviderSettings, in values: ConfigurationValues)
        throws(ConfigurationFault)
    {
        let (reason, list) = (
            ConfigurationKey.providerReason.of(provider.name), ConfigurationKey.providerPermissions.of(provider.name)
        )
        let requested = try values.everyList(list) + provider.permissions.map(\.rawValue)
        if let name = first(of: reason, except: requested.map { reason.of($0).name }) {
            throw ConfigurationFault("\(name): \(list.name) does not contain this permission")
        }
    }

    /// Rejects unknown tweaks.
    ///
    /// - Parameter ids: The IDs of the tweaks.
    /// - Throws: ``ConfigurationFault``, which names the first unknown tweak.
    func checkTweaks(_ ids: [String]) throws(ConfigurationFault) {
        let fault =
            keys.lazy.compactMap { Self.fault(of: $0, tweaks: ids) }.first
            ?? Self.fault(ofVariables: variables, "tweaks.", among: ids.map { ConfigurationKey.tweaks.of($0) })
        if let fault { throw ConfigurationFault(fault) }
    }

    /// Returns the first name that matches a key, as error messages quote it; nil if there is none.
    private func first(of key: ConfigurationKey, except names: [String] = []) -> String? {
        let exceptions = names.map { ConfigurationKey.variable($0) }
        let name =
            keys.first { key.matches($0) && !names.contains($0) }
            ?? variables.first { key.matches(variable: $0) && !exceptions.contains($0) }
        return name.map { printable(String($0.prefix(128))) }
    }
}

extension ConfigurationNames {
    /// Returns the error message for an unknown name; nil if the name is known.
    ///
    /// - Parameters:
    ///   - written: The name.
    ///   - tweaks: The IDs of the tweaks; nil if they are not known yet.
    /// - Returns: The error message, or nil.
    static func fault(of written: String, tweaks: [String]? = nil) -> String? {
        let prefix = "tweaks."
        if written.hasPrefix(prefix), let tweaks {
            let id = String(written.dropFirst(prefix.count))
            if tweaks.contains(id) { return nil }
            return unknown(written, nearest: nearest(to: id, of: tweaks).map { prefix + $0 })
        }
        guard !ConfigurationKey.all.contains(where: { $0.matches(written) }) else { return nil }
        return unknown(written, nearest: nearestKey(to: written))
    }

    /// Returns the error message for the first environment variable that names no key; nil if there is none.
    ///
    /// - Parameters:
    ///   - variables: The names of environment variables.
    ///   - prefix: The common beginning of the keys. Only variables that begin with it are checked.
    ///   - known: The keys.
    /// - Returns: The error message, or nil.
    static func fault(
        ofVariables variables: [String],
        _ prefix: String = "",
        among known: [ConfigurationKey] = ConfigurationKey.all
    ) -> String? {
        let (prefix, path) = (ConfigurationKey.variable(prefix), ConfigurationKey.variable("config"))
        let written = variables.sorted().first { variable in
            variable.hasPrefix(prefix) && variable != path && !known.contains { $0.matches(variable: variable) }
        }
        return written.map {
            // A variable with a placeholder would not be accepted.
            let names = known.map { ConfigurationKey.variable($0.name) }.filter { !$0.contains("<") }
            return unknown($0, nearest: nearest(to: $0, of: names))
        }
    }

    private static func unknown(_ written: String, nearest: String?) -> String {
        let name = oneLine(written)
        return "unknown key \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// Returns the key that was probably meant, with its placeholders filled from the name.
    private static func nearestKey(to written: String) -> String? {
        let parts = written.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let known = ConfigurationKey.all.map { key in
            let names = key.name.split(separator: ".").map(String.init)
            guard names.count == parts.count else { return key.name }
            return zip(names, parts).map { $0.hasPrefix("<") ? $1 : $0 }.joined(separator: ".")
        }
        return nearest(to: written, of: known)
    }

    /// Returns the most similar name; nil if none is similar enough.
    static func nearest(to written: String, of names: [String]) -> String? {
        // A longer name is not a typing error, and is slow to compare.
        guard written.utf8.count <= 128 else { return nil }
        let best = names.map { (name: $0, distance: distance(written, $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= max(2, written.count / 3) else { return nil }
        return best.name
    }

    /// Returns the name from which a written one differs by two letters at most, or by `-file` at the end; nil if there
    /// is none.
    static func misspelling(of written: String, among names: [String]) -> String? {
        let written = written.replacing(/-file$/, with: "")
        guard written.utf8.count <= 128 else { return nil }
        return names.first { distance(written, $0) <= 2 }
    }

    /// Returns the Levenshtein distance in bytes.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var row = Array(0...second.count)
        for (i, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in second.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[second.count]
    }

    /// Returns a name from the configuration as error messages quote it.
    private static func oneLine(_ text: String) -> String {
        printable(String(text.prefix(64)))
    }
}
#endif
