// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A strictly parsed JSON text: its bytes, and a table with the position of each value.
///
/// Values are decoded on demand, because most members of a header or a claims set are only compared.
package final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    init(bytes: [UInt8], nodes: [JSONNode]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    /// The memory use, in bytes.
    var byteCount: Int { bytes.capacity + nodes.capacity * MemoryLayout<JSONNode>.stride }

    /// The outermost value.
    package var root: JSONValue { JSONValue(document: self, index: 0) }

    /// Parses `bytes` as one JSON text (RFC 8259).
    ///
    /// - Throws: `JSONError`, with the reason and the offset; it quotes nothing of the text.
    package static func read(_ bytes: [UInt8], limits: JSONLimits = .token) throws(JSONError) -> JSONDocument {
        var reader = JSONReader(bytes: bytes, limits: limits)
        return try reader.readDocument()
    }

    /// Returns whether a string or member name equals `text`, byte for byte.
    ///
    /// Swift's `==` would also accept canonically equivalent Unicode, and an issuer in another normalization form is
    /// another issuer (T-107).
    func string(_ node: JSONNode, equals text: String) -> Bool {
        guard node.mayBe(text.utf8.first ?? 0, count: text.utf8.count) else { return false }
        guard !node.hasEscapes else { return node.text(in: bytes).elementsEqual(text.utf8) }
        let bytes = bytes
        return isEqual(bytes.span.extracting(Int(node.start)..<Int(node.end)), text)
    }

    /// Returns the node index of a member's value; nil if the object has no member of this name.
    func member(_ name: String, of object: Int) -> Int? {
        let nodes = nodes
        let end = Int(nodes[object].next)
        let count = name.utf8.count
        let first = name.utf8.first ?? 0
        var current = object + 1
        while current < end {
            let node = nodes[current]
            if node.mayBe(first, count: count), string(node, equals: name) { return current + 1 }
            current = Int(nodes[current + 1].next)
        }
        return nil
    }
}

/// One value or member name: its kind and its position.
///
/// The table lists the nodes in the order of the text. An object is followed by name, value, name, value …; an array by
/// its elements.
struct JSONNode: Sendable {
    enum Kind: UInt8 {
        case null, `true`, `false`, number, string, array, object
    }

    var kind: Kind
    /// Whether a string contains escapes, so that its bytes differ from its text.
    var hasEscapes = false
    /// The first byte of a string, or 0 if it is empty; it distinguishes many strings of the same length.
    var first: UInt8 = 0
    /// The offset of the first byte; for a string, of the byte after the opening quotation mark.
    var start: Int32
    /// The offset after the last byte; for a string, of the closing quotation mark.
    var end: Int32
    /// The index after the last node inside this value.
    var next: Int32

    /// Returns whether this can be a string of `count` bytes that begins with `first`.
    ///
    /// For a string with escapes only the length is tested: each byte of the text takes between one and six bytes in
    /// the source. Resolving the escapes for each comparison would make a long name expensive that is compared with
    /// many others.
    func mayBe(_ first: UInt8, count: Int) -> Bool {
        let length = Int(end - start)
        return hasEscapes ? (count...6 * count).contains(length) : length == count && self.first == first
    }

    /// Returns the text of a string or a member name, with escapes resolved.
    func text(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        let raw = bytes[Int(start)..<Int(end)]
        return hasEscapes ? JSONEscapes.resolve(raw)[...] : raw
    }
}

/// The limits of an acceptable JSON text.
package struct JSONLimits: Sendable {
    /// The maximum size, in bytes; at most 2³¹ − 1.
    package var bytes: Int
    /// The maximum nesting depth of arrays and objects; the outermost counts as 1.
    package var depth: Int
    /// The maximum number of members of an object.
    package var members: Int

    package init(bytes: Int, depth: Int, members: Int) {
        self.bytes = bytes
        self.depth = depth
        self.members = members
    }

    /// The limits for headers and claims, whose size a ``TokenLimits`` bounds further.
    package static let token = JSONLimits(
        bytes: Limits.tokenBytesRange.upperBound,
        depth: Limits.jsonDepth,
        members: Limits.jsonMembers
    )

    /// The limits for a JWK set with the default number of keys.
    package static let keySet = KeySetLimits.standard.json
}

/// An error for a text that is not acceptable JSON.
///
/// Its description quotes nothing of the text.
package struct JSONError: Error, Sendable, CustomStringConvertible {
    /// The reason, in a few words.
    package let reason: String
    /// The offset of the error, in bytes.
    package let offset: Int

    package var description: String { "\(reason) at byte \(offset)" }
}
