// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A writer that produces JSON (RFC 8259) value by value, in the given order.
///
/// It serves output with a fixed member order and hot paths: `JSONEncoder` takes longer to encode a result than the
/// signature check itself takes.
package struct JSONWriter: Sendable {
    private enum Position { case first, afterName, afterValue }

    /// The text written so far.
    package private(set) var bytes: [UInt8] = []

    private let isIndented: Bool
    private var depth = 0
    private var position = Position.first

    /// Creates a writer for one value.
    ///
    /// - Parameter isIndented: Whether each value is written on its own indented line; otherwise there is no
    ///   whitespace.
    package init(isIndented: Bool = false) {
        self.isIndented = isIndented
    }

    /// Returns the JSON text of one object.
    package static func object(_ members: (inout Self) throws -> Void) rethrows -> [UInt8] {
        var json = Self()
        try json.addObject(members)
        return json.bytes
    }

    /// Writes an object.
    package mutating func addObject(_ members: (inout Self) throws -> Void) rethrows {
        try add(from: "{", to: "}", members)
    }

    /// Writes an array.
    package mutating func addArray(_ elements: (inout Self) throws -> Void) rethrows {
        try add(from: "[", to: "]", elements)
    }

    /// Writes a string.
    package mutating func add(_ text: String) {
        separate()
        quote(text)
    }

    /// Writes a value that is already JSON, unchanged.
    package mutating func add(json: some Sequence<UInt8>) {
        separate()
        bytes += json
    }

    /// Writes a member name; its value must follow.
    package mutating func add(name: String) {
        add(name)
        bytes.append(UInt8(ascii: ":"))
        if isIndented { bytes.append(UInt8(ascii: " ")) }
        position = .afterName
    }

    /// Writes a string member; writes nothing if the value is nil.
    package mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        add(name: name)
        add(text)
    }

    /// Writes a member whose value is already JSON, unchanged.
    package mutating func add(_ name: String, json: some Sequence<UInt8>) {
        add(name: name)
        add(json: json)
    }

    private mutating func add(
        from start: Unicode.Scalar,
        to end: Unicode.Scalar,
        _ content: (inout Self) throws -> Void
    ) rethrows {
        separate()
        bytes.append(UInt8(ascii: start))
        depth += 1
        position = .first
        try content(&self)
        depth -= 1
        if position == .afterValue { breakLine() }
        bytes.append(UInt8(ascii: end))
        position = .afterValue
    }

    private mutating func separate() {
        if position == .afterValue { bytes.append(UInt8(ascii: ",")) }
        if position != .afterName, depth > 0 { breakLine() }
        position = .afterValue
    }

    private mutating func breakLine() {
        guard isIndented else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
    }

    /// Writes a string, escaping quotation marks, backslashes and control characters, the only characters that require
    /// it (§7).
    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isPlain = withUTF8(of: text, upTo: text.utf8.count) { endOfPlainText(in: $0, from: 0) == $0.count }
        if isPlain {
            bytes += text.utf8
        } else {
            text.utf8.forEach { escape($0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n") where isIndented: bytes += "\\n".utf8
        case 0..<0x20: bytes += "\\u00\(hexadecimal([byte]))".utf8
        default: bytes.append(byte)
        }
    }
}
