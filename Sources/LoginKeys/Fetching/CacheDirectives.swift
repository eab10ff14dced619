// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A parser of the directives of one `Cache-Control` field (RFC 9111 §5.2).
///
/// It is as lenient as the standard requires of recipients: it accepts empty elements, white space around commas and
/// around `=`, and quoted arguments, commas included. A quoted string begins right after `=` and nowhere else.
struct CacheDirectives {
    /// One directive.
    struct Directive {
        /// The name, in lowercase.
        var name: String
        /// The argument after `=`, without quotation marks; nil without `=`.
        var argument: [UInt8]?
    }

    /// Whether the field ended within a quoted string.
    private(set) var endsInsideQuotation = false

    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    /// Returns the next directive; nil at the end.
    mutating func next() -> Directive? {
        guard position < bytes.count else { return nil }
        let name = text(upTo: [UInt8(ascii: "="), UInt8(ascii: ",")])
        var directive = Directive(name: String(decoding: name.map(Self.lowercased), as: UTF8.self))
        if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
            position += 1
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            let quotation = quotation()
            let rest = text(upTo: [UInt8(ascii: ",")])
            // A quoted string with text after it is invalid. It counts as an empty argument, which is never a number.
            directive.argument = rest.isEmpty ? quotation ?? [] : quotation == nil ? rest : []
        }
        position += 1
        return directive
    }

    /// Returns the bytes from the current position to one of `ends`, without surrounding white space.
    private mutating func text(upTo ends: [UInt8]) -> [UInt8] {
        let start = position
        while position < bytes.count, !ends.contains(bytes[position]) { position += 1 }
        let text = bytes[start..<position].drop(while: Self.isSpace)
        return Array(text[..<(text.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? text.startIndex)])
    }

    /// Returns the content of a quoted string at the current position, without escapes (RFC 9110 §5.6.4); nil if there
    /// is none.
    private mutating func quotation() -> [UInt8]? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return text }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { break }
                byte = bytes[position]
                position += 1
            }
            text.append(byte)
        }
        endsInsideQuotation = true
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
