// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A strict JSON parser that works in a single pass.
///
/// RFC 8259 leaves several cases to the parser that JOSE must not leave open: duplicate member names (RFC 7515 §4, RFC
/// 7519 §4), invalid UTF-8, lone surrogates, nesting depth. Two programs that treat these differently read two
/// different tokens from the same text, so all of them are errors here.
///
/// The tests contain a slower, simpler parser, and compare the two on random and on malicious texts.
struct JSONReader {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var nodes: [JSONNode] = []
    /// The resolved names with escapes of all open objects, those of the innermost object last.
    private var resolvedNames: [[UInt8]] = []

    init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        // A claims set has at most about one name or value per sixteen bytes. If there are more, the array grows.
        nodes.reserveCapacity(min(bytes.count, limits.bytes) / 16 + 2)
    }

    mutating func readDocument() throws(JSONError) -> JSONDocument {
        guard bytes.count <= limits.bytes else { throw error("more than \(limits.bytes) bytes") }
        skipWhitespace()
        try readValue(depth: 1)
        skipWhitespace()
        guard position == bytes.count else { throw error("unexpected text after the value") }
        return JSONDocument(bytes: bytes, nodes: nodes)
    }

    // MARK: Values

    private mutating func readValue(depth: Int) throws(JSONError) {
        guard let byte = peek else { throw error("expected a value, but the text ends") }
        switch byte {
        case UInt8(ascii: "\""): try readString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        case UInt8(ascii: "{"): try readObject(depth: depth)
        case UInt8(ascii: "["): try readArray(depth: depth)
        case UInt8(ascii: "t"): try readLiteral("true", .true)
        case UInt8(ascii: "f"): try readLiteral("false", .false)
        case UInt8(ascii: "n"): try readLiteral("null", .null)
        default: throw error("expected a value")
        }
    }

    private mutating func readObject(depth: Int) throws(JSONError) {
        let object = try open(.object, depth: depth)
        if !consume(UInt8(ascii: "}")) {
            var names = MemberNames(object: object, firstResolved: resolvedNames.count)
            defer { if !resolvedNames.isEmpty { resolvedNames.removeSubrange(names.firstResolved...) } }
            repeat {
                skipWhitespace()
                guard peek == UInt8(ascii: "\"") else { throw error("expected a member name") }
                guard names.count < limits.members else {
                    throw error("more than \(limits.members) members in an object")
                }
                let offset = position
                try readString()
                if names.add(nodes[nodes.count - 1], last: bytes[position - 2]), isLastNameTwice(in: names) {
                    throw error("duplicate member name", at: offset)
                }
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

    /// Reads a number (RFC 8259 §6): no sign except minus, no leading zero, digits on both sides of the decimal point.
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
        let start = position + 1
        position = endOfPlainText(in: bytes.span, from: start)
        // For most strings, this reaches the closing quotation mark.
        let hasEscapes = peek == UInt8(ascii: "\"") ? false : try readRestOfString()
        append(.string, start: start, hasEscapes: hasEscapes)
        position += 1
    }

    /// Reads the rest of a string, from the first byte that is not plain ASCII text to the closing quotation mark.
    ///
    /// - Returns: Whether the string contains escapes.
    private mutating func readRestOfString() throws(JSONError) -> Bool {
        var hasEscapes = false
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                return hasEscapes
            case ..<0x20:
                throw error("unescaped control character in a string")
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position = try JSONEscapes.check(bytes, at: position)
            default:
                guard let length = UTF8Sequence.length(in: bytes, at: position) else { throw error("invalid UTF-8") }
                position += length
            }
            position = endOfPlainText(in: bytes.span, from: position)
        }
        throw error("unterminated string")
    }

    /// Returns whether the name in the last node already occurs in its object.
    ///
    /// Each name with escapes is resolved only once, regardless of the number of comparisons.
    private mutating func isLastNameTwice(in names: MemberNames) -> Bool {
        let last = nodes.count - 1
        let name = nodes[last]
        let text = name.text(in: bytes)
        var other = names.object + 1
        while other < last {
            let node = nodes[other]
            if !node.hasEscapes, node.mayBe(text.first ?? 0, count: text.count),
                isEqual(node.text(in: bytes).span, text.span)
            {
                return true
            }
            other = Int(nodes[other + 1].next)
        }
        for other in resolvedNames[names.firstResolved...] where isEqual(other.span, text.span) { return true }
        if name.hasEscapes { resolvedNames.append(Array(text)) }
        return false
    }

    // MARK: Positions

    @inline(__always)
    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    @inline(__always)
    private mutating func consume(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func skipWhitespace() {
        while let byte = peek, byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    @inline(__always)
    private mutating func append(_ kind: JSONNode.Kind, start: Int, hasEscapes: Bool = false) {
        nodes.append(
            JSONNode(
                kind: kind,
                hasEscapes: hasEscapes,
                first: kind == .string && start < position ? bytes[start] : 0,
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

/// The member names of one object, for detecting duplicates.
///
/// There are at most `JSONLimits.members` names. Pairwise comparison is faster than hashing, and no input can make it
/// slow.
private struct MemberNames {
    /// The index of the object's node; its members follow.
    let object: Int

    /// The index of the object's first name with escapes in the list for all open objects.
    let firstResolved: Int

    var count = 0

    /// A 64-bit filter of the names seen so far: most names set a new bit, and then need no comparison.
    private var kinds: UInt64 = 0

    /// Whether any name so far has escapes, so that its bytes differ from its text.
    private var hasEscapes = false

    init(object: Int, firstResolved: Int) {
        self.object = object
        self.firstResolved = firstResolved
    }

    /// Adds a name.
    ///
    /// - Parameters:
    ///   - name: The node of the name.
    ///   - last: The last byte of the name; any value if the name is empty.
    /// - Returns: Whether an earlier name may be equal.
    mutating func add(_ name: JSONNode, last: UInt8) -> Bool {
        // With these factors, hardly any two claims of the major providers set the same bit.
        let length = UInt32(name.end - name.start)
        let kind = UInt64(1) << UInt64((UInt32(name.first) &+ 5 &* length &+ 6 &* UInt32(last)) % 64)
        let isSeen = kinds & kind != 0
        count += 1
        kinds |= kind
        hasEscapes = hasEscapes || name.hasEscapes
        return isSeen || hasEscapes
    }
}
