// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

@testable internal import LoginTokens

/// Reads JSON as `JSONReader` does, byte by byte: slow and simple.
///
/// It is the first version of that reader, before it was optimized, and its specification: both return the same table,
/// or the same error at the same byte.
struct ClearJSONReader {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var nodes: [JSONNode] = []

    private init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Returns the table of the values in `bytes`.
    static func read(_ bytes: [UInt8], limits: JSONLimits = .token) throws(JSONError) -> [JSONNode] {
        var reader = ClearJSONReader(bytes: bytes, limits: limits)
        return try reader.readDocument()
    }

    private mutating func readDocument() throws(JSONError) -> [JSONNode] {
        guard bytes.count <= limits.bytes else { throw error("more than \(limits.bytes) bytes") }
        skipWhitespace()
        try readValue(depth: 1)
        skipWhitespace()
        guard position == bytes.count else { throw error("unexpected text after the value") }
        return nodes
    }

    // MARK: Values

    private mutating func readValue(depth: Int) throws(JSONError) {
        guard let byte = peek else { throw error("expected a value, but the text ends") }
        switch byte {
        case UInt8(ascii: "{"): try readObject(depth: depth)
        case UInt8(ascii: "["): try readArray(depth: depth)
        case UInt8(ascii: "\""): try readString()
        case UInt8(ascii: "t"): try readLiteral("true", .true)
        case UInt8(ascii: "f"): try readLiteral("false", .false)
        case UInt8(ascii: "n"): try readLiteral("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        default: throw error("expected a value")
        }
    }

    private mutating func readObject(depth: Int) throws(JSONError) {
        let object = try open(.object, depth: depth)
        var names: [ArraySlice<UInt8>] = []
        if !consume(UInt8(ascii: "}")) {
            repeat {
                skipWhitespace()
                guard peek == UInt8(ascii: "\"") else { throw error("expected a member name") }
                guard names.count < limits.members else {
                    throw error("more than \(limits.members) members in an object")
                }
                let offset = position
                let name = try readName()
                // At most `limits.members` names, each resolved once: comparing all pairs is faster than hashing, and
                // no input can make it slow.
                guard !names.contains(where: { $0.count == name.count && $0.elementsEqual(name) }) else {
                    throw error("duplicate member name", at: offset)
                }
                names.append(name)
                skipWhitespace()
                guard consume(UInt8(ascii: ":")) else { throw error("expected a colon") }
                skipWhitespace()
                try readValue(depth: depth + 1)
                skipWhitespace()
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "}")) else { throw error("expected a comma or the end of the object") }
        }
        close(object)
    }

    private mutating func readArray(depth: Int) throws(JSONError) {
        let array = try open(.array, depth: depth)
        if !consume(UInt8(ascii: "]")) {
            repeat {
                skipWhitespace()
                try readValue(depth: depth + 1)
                skipWhitespace()
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "]")) else { throw error("expected a comma or the end of the array") }
        }
        close(array)
    }

    private mutating func readLiteral(_ text: String, _ kind: JSONNode.Kind) throws(JSONError) {
        let start = position
        guard bytes[start...].starts(with: text.utf8) else { throw error("expected a value") }
        position += text.utf8.count
        append(kind, start: start)
    }

    /// RFC 8259 §6: no sign but minus, no leading zero, digits on both sides of the point.
    private mutating func readNumber() throws(JSONError) {
        let start = position
        _ = consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) { try readDigits() }
        if consume(UInt8(ascii: ".")) { try readDigits() }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            try readDigits()
        }
        append(.number, start: start)
    }

    private mutating func readDigits() throws(JSONError) {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw error("expected a digit") }
    }

    // MARK: Strings

    private mutating func readString() throws(JSONError) {
        position += 1
        let start = position
        var hasEscapes = false
        while let byte = peek, byte != UInt8(ascii: "\"") {
            switch byte {
            case ..<0x20:
                throw error("unescaped control character in a string")
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position = try JSONEscapes.check(bytes, at: position)
            case 0x80...:
                guard let length = UTF8Sequence.length(in: bytes, at: position) else { throw error("invalid UTF-8") }
                position += length
            default:
                position += 1
            }
        }
        append(.string, start: start, hasEscapes: hasEscapes)
        guard consume(UInt8(ascii: "\"")) else { throw error("unterminated string") }
    }

    /// Reads a member name, and returns its text with escapes resolved.
    private mutating func readName() throws(JSONError) -> ArraySlice<UInt8> {
        try readString()
        let name = nodes[nodes.count - 1]
        let raw = bytes[Int(name.start)..<Int(name.end)]
        return name.hasEscapes ? JSONEscapes.resolve(raw)[...] : raw
    }

    // MARK: Positions

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func append(_ kind: JSONNode.Kind, start: Int, hasEscapes: Bool = false) {
        nodes.append(
            JSONNode(
                kind: kind,
                hasEscapes: hasEscapes,
                start: Int32(start),
                end: Int32(position),
                next: Int32(nodes.count + 1)
            )
        )
    }

    private mutating func open(_ kind: JSONNode.Kind, depth: Int) throws(JSONError) -> Int {
        guard depth <= limits.depth else { throw error("more than \(limits.depth) levels of nesting") }
        append(kind, start: position)
        position += 1
        skipWhitespace()
        return nodes.count - 1
    }

    private mutating func close(_ index: Int) {
        nodes[index].end = Int32(position)
        nodes[index].next = Int32(nodes.count)
    }

    private func error(_ reason: String, at offset: Int? = nil) -> JSONError {
        JSONError(reason: reason, offset: offset ?? position)
    }
}
