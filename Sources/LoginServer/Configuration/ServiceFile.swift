// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import Synchronization

/// The configuration file: YAML in which every key is known and occurs once.
///
/// Any other file is rejected as a whole. After a change, the previous configuration then stays in effect.
struct ServiceFile: ConfigSnapshot, CustomStringConvertible, CustomDebugStringConvertible {
    /// The dotted names of the keys in the file.
    let names: Set<String>

    private let values: YAMLSnapshot

    var providerName: String { values.providerName }
    var description: String { "configuration file with \(names.count) keys" }
    // A value may be a secret that was written into the file by mistake.
    var debugDescription: String { description }

    /// An error in the file.
    struct Fault: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Parses the content of a file.
    ///
    /// - Parameter content: The content.
    /// - Throws: ``Fault`` if it is no YAML, or has a key that is unknown or set twice, or an empty mapping.
    init(_ content: [UInt8]) throws(Fault) {
        let (parsed, found) = try Self.parsed(content)
        for name in found.names {
            if let fault = ConfigurationNames.fault(of: name) { throw Fault(description: fault) }
        }
        if let twice = found.twice { throw Fault(description: "the key \(printable(twice)) is set twice") }
        // The parser does not report empty mappings, so a restriction could be removed by accident. With a key in each,
        // it reports more names.
        let filled = try? Self.parsed(Self.fillingEmptyMappings(of: content))
        guard filled?.found.names.count == found.names.count else {
            throw Fault(
                description:
                    "the file has an empty mapping {}, which sets nothing: remove the key, or write the text in quotes"
            )
        }
        values = parsed
        names = Set(found.names)
    }

    /// Parses a file, without a check of the names.
    private static func parsed(_ content: [UInt8]) throws(Fault) -> (values: YAMLSnapshot, found: FoundNames) {
        // The parser asks for each value whether it is a secret; the callback collects the names.
        let found = FoundNames()
        let secrets = SecretsSpecifier<String, Void>.dynamic { name, _ in found.add(name) }
        let data = Data(content)
        do {
            let values = try YAMLSnapshot(
                data: data.bytes,
                providerName: "configuration file",
                parsingOptions: YAMLSnapshot.ParsingOptions(secretsSpecifier: secrets)
            )
            return (values, found)
        } catch {
            // The lines after the first quote the file.
            let reason =
                "\(error)".split(whereSeparator: \.isNewline).first.map(String.init) ?? "the file cannot be parsed"
            throw Fault(description: "invalid YAML: \(printable(String(reason.prefix(200))))")
        }
    }

    /// Returns the file with a key in each `{` that only blanks, line breaks and comments separate from its `}`.
    ///
    /// In a quoted text or a comment, the key changes neither the structure nor the number of names.
    private static func fillingEmptyMappings(of content: [UInt8]) -> [UInt8] {
        var filled: [Unicode.Scalar] = []
        // Whether a `}` follows, here and at the beginning of the next line. The text is read backwards, because a
        // comment extends to the end of its line.
        var (isBeforeEnd, isNextLineBeforeEnd) = (false, false)
        for scalar in String(decoding: content, as: UTF8.self).unicodeScalars.reversed() {
            switch scalar {
            case "{":
                if isBeforeEnd { filled.append("x") }
                isBeforeEnd = false
            case "}": isBeforeEnd = true
            case "#": isBeforeEnd = isNextLineBeforeEnd
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": isNextLineBeforeEnd = isBeforeEnd
            // A byte order mark may begin a line.
            case "\u{FEFF}": break
            default: isBeforeEnd = isBeforeEnd && scalar.properties.isWhitespace
            }
            filled.append(scalar)
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: filled.reversed())
        return Array(String(text).utf8)
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try values.value(forKey: key, type: type)
    }

    private final class FoundNames: Sendable {
        private let all = Mutex<[String]>([])

        var names: [String] { all.withLock { $0 } }
        var twice: String? { Dictionary(grouping: names) { $0 }.first { $1.count > 1 }?.key }

        /// Adds a name.
        ///
        /// - Returns: `true`: every value is treated as a secret and never printed.
        func add(_ name: String) -> Bool {
            all.withLock { $0.append(name) }
            return true
        }
    }
}
#endif
