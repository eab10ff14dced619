// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The fields of a form, as a query or a request body carries them (`application/x-www-form-urlencoded`).
///
/// Parsing is strict: a truncated escape or a byte sequence that is not UTF-8 makes the whole form invalid, because
/// parsers differ in how they correct them. A repeated field is stored twice, and ``only(_:)`` returns neither.
package struct FormFields: Sendable {
    /// The fields, in their order.
    package let all: [(name: String, value: String)]

    /// Creates a form from fields.
    package init(_ all: [(name: String, value: String)]) {
        self.all = all
    }

    /// Parses a query or a form body; nil if it is malformed or has too many fields.
    ///
    /// - Parameters:
    ///   - text: The bytes, without a leading `?`.
    ///   - count: The maximum number of fields.
    package init?(reading text: some Collection<UInt8>, atMost count: Int = 64) {
        var all: [(name: String, value: String)] = []
        for field in text.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard all.count < count, let name = Self.decoded(parts[0]),
                let value = parts.count > 1 ? Self.decoded(parts[1]) : ""
            else { return nil }
            all.append((name, value))
        }
        self.all = all
    }

    /// Returns the value of the only field with this name; nil if there is none, or more than one.
    package func only(_ name: String) -> String? {
        let values = all.filter { isEqual($0.name, name) }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    /// Returns whether a field has this name.
    package func has(_ name: String) -> Bool {
        all.contains { isEqual($0.name, name) }
    }

    /// The encoded form; a space becomes `%20`, which every parser accepts, also in a query.
    package var encoded: String {
        all.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    private static func decoded(_ text: some Collection<UInt8>) -> String? {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.decode(spaced).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension FormFields: Redacted {
    /// The number of fields; their contents may be secret.
    package var description: String { "\(all.count) fields" }
}
