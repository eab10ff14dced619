// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Reads the directives of one `Cache-Control` field, one after the other (RFC 9111 §5.2).
///
/// It is as lenient as the standard asks recipients to be: empty elements, white space around commas and around `=`, and
/// arguments in quotation marks, commas included. A quotation begins right after `=` and nowhere else.
struct CacheDirectives {
    /// One directive.
    struct Directive {
        /// The name, in lower case.
        var name: String
        /// What follows `=`, without quotation marks; nil without `=`.
        var argument: [UInt8]?
    }

    /// Whether the field ended within a quotation.
    private(set) var endsInsideQuotation = false

    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    /// The next directive; nil at the end.
    mutating func next() -> Directive? {
        guard position < bytes.count else { return nil }
        let name = text(upTo: [UInt8(ascii: "="), UInt8(ascii: ",")])
        var directive = Directive(name: String(decoding: name.map(Self.lowercased), as: UTF8.self))
        if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
            position += 1
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            let quotation = quotation()
            let rest = text(upTo: [UInt8(ascii: ",")])
            // A quotation with something behind it is no argument; an empty one is never taken for a number.
            directive.argument = rest.isEmpty ? quotation ?? [] : quotation == nil ? rest : []
        }
        position += 1
        return directive
    }

    /// The bytes from here to one of `ends`, without white space around them.
    private mutating func text(upTo ends: [UInt8]) -> [UInt8] {
        let start = position
        while position < bytes.count, !ends.contains(bytes[position]) { position += 1 }
        let text = bytes[start..<position].drop(while: Self.isSpace)
        return Array(text[..<(text.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? text.startIndex)])
    }

    /// The text of a quotation that begins here, escapes resolved (RFC 9110 §5.6.4); nil if none does.
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
