// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// Reads JSON in one pass, and strictly.
///
/// RFC 8259 leaves to the reader what JOSE must not leave open: duplicate member names (RFC 7515 §4, RFC 7519 §4),
/// invalid UTF-8, lone surrogates, depth. Two programs that resolve these differently see two tokens in one; so all of
/// them are errors here.
///
/// The tests have a reader that is slower and easier to follow, and compare the two on random and on hostile texts.
struct JSONReader {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var nodes: [JSONNode] = []

    init(bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        // A claims set has about one value in twelve bytes; more room is made where one has more.
        nodes.reserveCapacity(min(bytes.count, limits.bytes) / 12 + 4)
    }

    mutating func readDocument() throws(JSONError) -> JSONDocument {
        guard bytes.count <= limits.bytes else { throw error("more than \(limits.bytes) bytes") }
        skipWhitespace()
        try readValue(depth: 1)
        skipWhitespace()
        guard position == bytes.count else { throw error("something follows the value") }
        return JSONDocument(bytes: bytes, nodes: nodes)
    }

    // MARK: Values

    private mutating func readValue(depth: Int) throws(JSONError) {
        guard let byte = peek else { throw error("the text ends where a value should stand") }
        switch byte {
        case UInt8(ascii: "\""): try readString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        case UInt8(ascii: "{"): try readObject(depth: depth)
        case UInt8(ascii: "["): try readArray(depth: depth)
        case UInt8(ascii: "t"): try readLiteral("true", .true)
        case UInt8(ascii: "f"): try readLiteral("false", .false)
        case UInt8(ascii: "n"): try readLiteral("null", .null)
        default: throw error("no value begins like this")
        }
    }

    private mutating func readObject(depth: Int) throws(JSONError) {
        let object = try open(.object, depth: depth)
        if !consume(UInt8(ascii: "}")) {
            var names = MemberNames(object: object)
            repeat {
                skipWhitespace()
                guard peek == UInt8(ascii: "\"") else { throw error("a member name should stand here") }
                guard names.count < limits.members else {
                    throw error("more than \(limits.members) members in an object")
                }
                let offset = position
                try readString()
                guard names.addLast(of: nodes, in: bytes) else {
                    throw error("a member name stands twice in an object", at: offset)
                }
                skipWhitespace()
                guard consume(UInt8(ascii: ":")) else { throw error("a colon should stand here") }
                skipWhitespace()
                try readValue(depth: depth + 1)
                skipWhitespace()
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "}")) else { throw error("a comma or the end of the object should stand here") }
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
            guard consume(UInt8(ascii: "]")) else { throw error("a comma or the end of the array should stand here") }
        }
        close(array)
    }

    private mutating func readLiteral(_ text: String, _ kind: JSONNode.Kind) throws(JSONError) {
        let start = position
        guard bytes[start...].starts(with: text.utf8) else { throw error("no value begins like this") }
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
        guard position > start else { throw error("a digit should stand here") }
    }

    // MARK: Strings

    private mutating func readString() throws(JSONError) {
        position += 1
        let start = position
        var hasEscapes = false
        while true {
            position = endOfPlainText(in: bytes.span, from: position)
            guard let byte = peek, byte != UInt8(ascii: "\"") else { break }
            switch byte {
            case ..<0x20:
                throw error("a control character stands in a string")
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position = try JSONEscapes.check(bytes, at: position)
            default:
                guard let length = UTF8Sequence.length(in: bytes, at: position) else { throw error("invalid UTF-8") }
                position += length
            }
        }
        append(.string, start: start, hasEscapes: hasEscapes)
        guard consume(UInt8(ascii: "\"")) else { throw error("the text ends inside a string") }
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
        guard depth <= limits.depth else { throw error("nested more than \(limits.depth) deep") }
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

/// The names of one object's members, to find the one that stands there twice.
///
/// There are at most `JSONLimits.members` of them: comparing each with each is quicker than hashing, and no input can make it
/// slow.
private struct MemberNames {
    private(set) var count = 0

    /// The index of the object's node; its members follow.
    private let object: Int

    /// A bit for each kind of name that was seen: most names are the first of their kind, and then there is nothing to compare.
    private var kinds: UInt64 = 0

    /// The names, escapes resolved, each once; nil as long as none has an escape, and each is what its bytes are.
    private var texts: [ArraySlice<UInt8>]?

    init(object: Int) {
        self.object = object
    }

    /// Adds the name that is the last of `nodes`; false if it was there before.
    mutating func addLast(of nodes: [JSONNode], in bytes: [UInt8]) -> Bool {
        let name = nodes[nodes.count - 1]
        count += 1
        if texts == nil, name.hasEscapes {
            texts = indices(in: nodes).map { nodes[$0].text(in: bytes) }
        }
        if texts != nil {
            let text = name.text(in: bytes)
            guard texts?.contains(where: { isEqual($0.span, text.span) }) == false else { return false }
            texts?.append(text)
            return true
        }
        let kind = Self.kind(of: name)
        defer { kinds |= kind }
        guard kinds & kind != 0 else { return true }
        let length = Int(name.end - name.start)
        return !indices(in: nodes).contains { other in
            nodes[other].mayBe(name.first, count: length) && nodes[other].isSameText(as: name, in: bytes)
        }
    }

    /// The indices of the names before the last.
    private func indices(in nodes: [JSONNode]) -> some Sequence<Int> {
        sequence(first: object + 1) { Int(nodes[$0 + 1].next) }.prefix(count - 1)
    }

    /// The kind of a name, by its length and its first byte.
    private static func kind(of name: JSONNode) -> UInt64 {
        let sum = UInt64(name.first) + 11 * UInt64(name.end - name.start)
        return 1 << (sum % 64)
    }
}
