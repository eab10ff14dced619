// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import LoginText
internal import SystemPackage

/// An error in the configuration, which names the key and the reason, but never a secret.
package struct ConfigurationFault: Error, CustomStringConvertible, Hashable {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The values of the configuration from flags, the environment and the file, in order of precedence.
struct ConfigurationValues: Sendable {
    private let layers: [(layer: Layer, snapshot: any ConfigSnapshot)]
    private let credentials: String?

    private enum Layer: Sendable {
        case flags, environment, file

        /// Returns the name of a key in this source, for error messages.
        func place(of name: String) -> String {
            switch self {
            case .flags: "--set \(name)"
            case .environment: ConfigurationKey.variable(name)
            case .file: name
            }
        }

        /// The remedy for a value that is not to be set, for error messages.
        var removal: String {
            switch self {
            case .flags: "leave out the option"
            case .environment: "unset the variable"
            case .file: "remove the key"
            }
        }
    }

    /// Creates the values.
    ///
    /// - Parameters:
    ///   - flags: The values from the command line, by key name.
    ///   - environment: The environment, of which only `VERIFY_TOKEN_…` and systemd's `CREDENTIALS_DIRECTORY` are used.
    ///   - file: The file; nil if there is none.
    init(flags: [String: String], environment: [String: String], file: (any ConfigSnapshot)?) {
        let own = environment.filter { $0.key.hasPrefix(ConfigurationKey.variable("")) }
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, value) in flags { values[Self.key(name)] = ConfigValue(.string(value), isSecret: false) }
        layers =
            [
                (.flags, InMemoryProvider(values: values).snapshot()),
                (
                    .environment,
                    EnvironmentVariablesProvider(environmentVariables: own).prefixKeys(with: ["verify", "token"])
                        .snapshot()
                ),
            ] + (file.map { [(.file, $0)] } ?? [])
        credentials = environment["CREDENTIALS_DIRECTORY"]
    }

    private static func key(_ name: String) -> AbsoluteConfigKey {
        AbsoluteConfigKey(name.split(separator: ".").map(String.init))
    }

    /// Returns the string value of a key; nil if no source sets it.
    func text(_ key: ConfigurationKey) throws(ConfigurationFault) -> String? {
        try found(key.name)?.value
    }

    /// Returns the list value of a key; nil if no source sets it, and empty only if a source says so.
    func list(_ key: ConfigurationKey) throws(ConfigurationFault) -> [String]? {
        for (layer, snapshot) in layers {
            if let list = try Self.list(key, layer, snapshot) { return list }
        }
        return nil
    }

    /// Returns the elements of a list from all sources, including overridden ones.
    func everyList(_ key: ConfigurationKey) throws(ConfigurationFault) -> [String] {
        var all: [String] = []
        for (layer, snapshot) in layers { all += try Self.list(key, layer, snapshot) ?? [] }
        return all
    }

    /// Returns whether any source sets a key.
    func isSet(_ key: ConfigurationKey) throws(ConfigurationFault) -> Bool {
        for (layer, snapshot) in layers {
            if let list = try? snapshot.value(forKey: Self.key(key.name), type: .stringArray), list.value != nil {
                return true
            }
            if try Self.text(key.name, layer, snapshot) != nil { return true }
        }
        return false
    }

    /// Returns whether a key is set by a source with a higher precedence than every source that sets the other.
    func isSet(_ key: ConfigurationKey, before other: ConfigurationKey) throws(ConfigurationFault) -> Bool {
        for (layer, snapshot) in layers {
            if try Self.text(other.name, layer, snapshot) != nil { return false }
            if try Self.text(key.name, layer, snapshot) != nil { return true }
        }
        return false
    }

    /// Returns the Boolean value of a key; false if no source sets it.
    func flag(_ key: ConfigurationKey) throws(ConfigurationFault) -> Bool {
        guard let (value, place) = try found(key.name) else { return false }
        switch value {
        case "true": return true
        case "false": return false
        default: throw ConfigurationFault("\(place) must be true or false")
        }
    }

    /// Returns the integer value of a key, checked against the key's range; nil if no source sets it.
    func number(_ key: ConfigurationKey) throws(ConfigurationFault) -> Int? {
        guard case .number(let range) = key.kind else { preconditionFailure("\(key.name) does not take a number") }
        guard let (value, place) = try found(key.name) else { return nil }
        guard let number = Int(value), range.contains(number) else {
            throw ConfigurationFault("\(place) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the value of a key, checked against the key's choices; nil if no source sets it.
    func choice(_ key: ConfigurationKey) throws(ConfigurationFault) -> String? {
        guard case .choice(let words) = key.kind else { preconditionFailure("\(key.name) does not take a choice") }
        guard let (value, place) = try found(key.name) else { return nil }
        guard words.contains(value) else {
            throw ConfigurationFault("\(place) must be one of \(words.joined(separator: ", "))")
        }
        return value
    }

    /// Returns the path of a secret file: the configured one, or the systemd credential with the key's name without
    /// `-file`.
    ///
    /// A credential that exists but cannot be used is not missing: the service would start without the secret, or with
    /// keys of its own. Whoever reads it reports the reason.
    ///
    /// - Parameter key: The key of the file.
    /// - Returns: The path; nil if the file is not configured, and there is no credential.
    /// - Throws: ``ConfigurationFault`` if nobody can tell whether there is one.
    func secretFile(_ key: ConfigurationKey) throws(ConfigurationFault) -> String? {
        if let path = try text(key) { return path }
        guard let credentials else { return nil }
        let path = credentials + "/" + key.credential
        do throws(Errno) {
            _ = try FilePath(path).stat(followTargetSymlink: false)
            return path
        } catch {
            guard error == .noSuchFileOrDirectory else {
                throw ConfigurationFault("the credential \(key.credential) is inaccessible: \(error)")
            }
            return nil
        }
    }

    /// Returns the paths of all secret files, by the names of their keys.
    ///
    /// - Parameters:
    ///   - providers: The names of the providers.
    ///   - apis: The names of the APIs.
    /// - Returns: The paths of the files that are configured, or are credentials of systemd.
    /// - Throws: ``ConfigurationFault`` if nobody can tell whether there is a credential.
    func secretFiles(of providers: [String], _ apis: [String]) throws(ConfigurationFault) -> [String: String] {
        var paths: [String: String] = [:]
        for key in ConfigurationKey.secretFiles(of: providers, apis) { paths[key.name] = try secretFile(key) }
        return paths
    }

    /// Rejects a credential of systemd whose name is almost that of a secret that is missing: it would have no effect,
    /// and the secret would count as not configured.
    ///
    /// - Throws: ``ConfigurationFault``, also if the directory of the credentials cannot be read.
    func checkCredentials() throws(ConfigurationFault) {
        guard let credentials else { return }
        guard !credentials.isEmpty, !credentials.hasBlankEnd else {
            throw ConfigurationFault(
                "CREDENTIALS_DIRECTORY is blank, or begins or ends with a space; unset the variable"
            )
        }
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: credentials) else {
            throw ConfigurationFault("CREDENTIALS_DIRECTORY: the directory does not exist, or is inaccessible")
        }
        let keys = try ConfigurationKey.secretFiles(of: everyList(.providers), everyList(.apis))
        var missing: [String] = []
        for key in keys {
            if try secretFile(key) == nil { missing.append(key.credential) }
        }
        let known = keys.map(\.credential)
        for file in files.sorted() where !known.contains(file) {
            guard let meant = ConfigurationNames.misspelling(of: file, among: missing) else { continue }
            throw ConfigurationFault("unknown credential \(ShownArgument(file)); did you mean \(meant)?")
        }
    }

    private func found(_ name: String) throws(ConfigurationFault) -> (value: String, place: String)? {
        for (layer, snapshot) in layers {
            guard let text = try Self.text(name, layer, snapshot) else { continue }
            let place = layer.place(of: name)
            guard !Self.isEmpty(text, layer) else {
                throw ConfigurationFault("\(place) must not be empty; \(layer.removal)")
            }
            guard !text.hasBlankEnd else {
                throw ConfigurationFault("\(place) begins or ends with a space or a line break; remove it")
            }
            return (text, place)
        }
        return nil
    }

    /// Whether a text or an element says nothing: it is empty, or null in the file, in one of the spellings of YAML 1.2
    /// (core schema).
    ///
    /// A template writes null for a variable that is unset. The parser gives the text, in quotes or not.
    private static func isEmpty(_ text: String, _ layer: Layer) -> Bool {
        text.isEmpty || layer == .file && ["~", "null", "Null", "NULL"].contains(text)
    }

    private static func list(_ key: ConfigurationKey, _ layer: Layer, _ snapshot: any ConfigSnapshot)
        throws(ConfigurationFault) -> [String]?
    {
        guard case .list(_, let empty) = key.kind else { preconditionFailure("\(key.name) does not take a list") }
        guard let list = try elements(of: key.name, layer, snapshot) else { return nil }
        let place = layer.place(of: key.name)
        if list.isEmpty, layer == .file, empty == .nothing { return [] }
        guard !list.isEmpty, list != [""] else {
            let word =
                empty.word.map { "write \(layer == .file ? "[\"\($0)\"]" : $0) for \(Self.meaning(of: $0)), or " } ?? ""
            throw ConfigurationFault("\(place) must not be empty; \(word)\(layer.removal)")
        }
        for element in list {
            guard !isEmpty(element, layer) else {
                throw ConfigurationFault("\(place) has an empty element; remove it, or set the variable it comes from")
            }
            guard !element.hasBlankEnd else {
                throw ConfigurationFault(
                    "\(place): \(ShownArgument(element)) begins or ends with a space or a line break; remove it"
                )
            }
        }
        guard let word = empty.word, list.contains(word) else { return list }
        guard list.count == 1 else {
            throw ConfigurationFault(
                "\(place): \(word) must be the only element, because it stands for \(Self.meaning(of: word))"
            )
        }
        return []
    }

    /// Returns the meaning of a word that states a list without elements.
    private static func meaning(of word: String) -> String { word == "*" ? "all" : "none" }

    /// Returns the elements as a source states them.
    private static func elements(of name: String, _ layer: Layer, _ snapshot: any ConfigSnapshot)
        throws(ConfigurationFault) -> [String]?
    {
        if layer == .file, let list = try? snapshot.value(forKey: key(name), type: .stringArray).value {
            guard case .stringArray(let list) = list.content else { return nil }
            return list
        }
        guard let text = try Self.text(name, layer, snapshot) else { return nil }
        guard layer != .file else {
            throw ConfigurationFault("\(name) must be a list, for example [\(text.isEmpty ? "a, b" : text)]")
        }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmingSpaces)
    }

    private static func text(_ name: String, _ layer: Layer, _ snapshot: any ConfigSnapshot)
        throws(ConfigurationFault) -> String?
    {
        let value: ConfigValue?
        do {
            value = try snapshot.value(forKey: key(name), type: .string).value
        } catch {
            throw ConfigurationFault("\(layer.place(of: name)) must be a single value, not a list")
        }
        guard case .string(let text)? = value?.content else { return nil }
        return text
    }
}

extension ConfigurationKey {
    /// The name of the systemd credential that can provide the file of the key.
    fileprivate var credential: String { name.replacing(/-file$/, with: "") }

    /// Returns the keys of secrets that providers and APIs of these names, and the service itself, can have.
    fileprivate static func secretFiles(of providers: [String], _ apis: [String]) -> [Self] {
        all.filter { $0.kind == .secretFile }.flatMap { key in
            switch key.name.prefix(while: { $0 != "." }) {
            case "provider": providers.map { key.of($0) }
            case "api": apis.map { key.of($0) }
            default: [key]
            }
        }
    }
}

extension Substring {
    /// The text without leading and trailing spaces.
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
#endif
