// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Synchronization

/// The file of the configuration: YAML of keys that there are, each once.
///
/// A file that breaks this is refused as a whole, at the start and when it has changed; then what was read before counts on.
struct ServiceFile: FileConfigSnapshot {
    /// The names that it has values for.
    let names: Set<String>

    private let values: YAMLSnapshot

    var providerName: String { values.providerName }
    var description: String { "file of the configuration, \(names.count) keys" }
    // Values may be secrets that somebody has put into the wrong place.
    var debugDescription: String { description }

    /// Who is told of what is wrong with the file.
    struct ParsingOptions: FileParsingOptions {
        static let `default` = Self()

        /// Is called whenever the file was read: with what is wrong, or nil.
        ///
        /// What reads the file anew keeps that to itself.
        var onReading: @Sendable (Fault?) -> Void = { _ in }
    }

    /// What is wrong with a file.
    struct Fault: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    init(data: RawSpan, providerName: String, parsingOptions: ParsingOptions) throws {
        do throws(Fault) {
            try self.init(data, providerName)
        } catch {
            parsingOptions.onReading(error)
            throw error
        }
        parsingOptions.onReading(nil)
    }

    private init(_ data: RawSpan, _ providerName: String) throws(Fault) {
        // The reader asks of each value whether it is a secret, and so tells which there are.
        let found = FoundNames()
        let secrets = SecretsSpecifier<String, Void>.dynamic { name, _ in found.add(name) }
        do {
            values = try YAMLSnapshot(
                data: data,
                providerName: providerName,
                parsingOptions: YAMLSnapshot.ParsingOptions(secretsSpecifier: secrets)
            )
        } catch {
            // What follows the first line quotes the file.
            let reason = "\(error)".split(whereSeparator: \.isNewline).first.map(String.init) ?? "it cannot be read"
            throw Fault(description: "no YAML that can be read: \(printable(String(reason.prefix(200))))")
        }
        for name in found.names {
            if let fault = ConfigurationNames.fault(of: name) { throw Fault(description: fault) }
        }
        if let twice = found.twice { throw Fault(description: "the key \(printable(twice)) stands there twice") }
        names = Set(found.names)
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try values.value(forKey: key, type: type)
    }

    private final class FoundNames: Sendable {
        private let all = Mutex<[String]>([])

        var names: [String] { all.withLock { $0 } }
        var twice: String? { Dictionary(grouping: names) { $0 }.first { $1.count > 1 }?.key }

        /// - Returns: That nothing of the file is printed.
        func add(_ name: String) -> Bool {
            all.withLock { $0.append(name) }
            return true
        }
    }
}
#endif
