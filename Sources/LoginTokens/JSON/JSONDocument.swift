// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A JSON text that was read strictly: its bytes, and a table of where each value stands in them.
///
/// Nothing is decoded until somebody asks: a header or a claims set is mostly compared, seldom read.
package final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    init(bytes: [UInt8], nodes: [JSONNode]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    /// How much memory it takes.
    var byteCount: Int { bytes.capacity + nodes.capacity * MemoryLayout<JSONNode>.stride }

    /// The outermost value.
    package var root: JSONValue { JSONValue(document: self, index: 0) }

    /// Reads `bytes` as one JSON text (RFC 8259).
    ///
    /// - Throws: `JSONError`, which says what is wrong and where, and quotes nothing.
    package static func read(_ bytes: [UInt8], limits: JSONLimits = .token) throws(JSONError) -> JSONDocument {
        var reader = JSONReader(bytes: bytes, limits: limits)
        return try reader.readDocument()
    }

    /// Whether a string or a member name is, byte for byte, `text`.
    ///
    /// Swift's `==` would also accept another Unicode spelling of the same characters, and an issuer in another
    /// spelling is another issuer (T-107).
    func string(_ node: JSONNode, equals text: String) -> Bool {
        guard node.mayBe(text.utf8.first ?? 0, count: text.utf8.count) else { return false }
        guard !node.hasEscapes else { return node.text(in: bytes).elementsEqual(text.utf8) }
        let bytes = bytes
        return isEqual(bytes.span.extracting(Int(node.start)..<Int(node.end)), text)
    }

    /// The index of the value of an object's member; nil if the object has none of this name.
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

/// One value or member name: what it is, and where it stands.
///
/// The table lists them in the order of the text. An object is followed by name, value, name, value …; an array by its
/// elements.
struct JSONNode: Sendable {
    enum Kind: UInt8 {
        case null, `true`, `false`, number, string, array, object
    }

    var kind: Kind
    /// Whether a string has escapes, so that its bytes are not its text.
    var hasEscapes = false
    /// Of a string, its first byte, by which many differ that have the same length; 0 where it is empty.
    var first: UInt8 = 0
    /// The first byte; of a string, the first after the quotation mark.
    var start: Int32
    /// The byte after the last; of a string, the closing quotation mark.
    var end: Int32
    /// The index after the last node inside this value.
    var next: Int32

    /// Whether this can be a string of `count` bytes that begins with this one.
    ///
    /// Of one with escapes the length tells: each stands for a byte or more, and is written with six of them at most for each. To
    /// resolve them would make a long name dear that is compared with many.
    func mayBe(_ first: UInt8, count: Int) -> Bool {
        let length = Int(end - start)
        return hasEscapes ? (count...6 * count).contains(length) : length == count && self.first == first
    }

    /// The text of a string or a member name, escapes resolved.
    func text(in bytes: [UInt8]) -> ArraySlice<UInt8> {
        let raw = bytes[Int(start)..<Int(end)]
        return hasEscapes ? JSONEscapes.resolve(raw)[...] : raw
    }
}

/// How much of a JSON text is acceptable.
package struct JSONLimits: Sendable {
    /// The whole text, in bytes; at most 2³¹ − 1.
    package var bytes: Int
    /// How deep arrays and objects may nest; the outermost counts as 1.
    package var depth: Int
    /// How many members one object may have.
    package var members: Int

    package init(bytes: Int, depth: Int, members: Int) {
        self.bytes = bytes
        self.depth = depth
        self.members = members
    }

    /// Headers and claims, whose bytes the token's own limits bound.
    package static let token = JSONLimits(
        bytes: Limits.tokenBytes,
        depth: Limits.jsonDepth,
        members: Limits.jsonMembers
    )

    /// A JWK set.
    package static let keySet = JSONLimits(
        bytes: Limits.keySetBytes,
        depth: Limits.jsonDepth,
        members: Limits.jsonMembers
    )
}

/// Why a text is not acceptable JSON.
///
/// Its description quotes nothing of the text.
package struct JSONError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in a few words.
    package let reason: String
    /// Where, in bytes from the start.
    package let offset: Int

    package var description: String { "\(reason) at byte \(offset)" }
}
