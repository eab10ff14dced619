// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A JSON value inside a strictly parsed token or other document.
///
/// The value is a view: strings and numbers are decoded on access. Access as the wrong type returns nil, never a
/// conversion: `"1"` is not a number, and `1` is not a Boolean.
public struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    /// A JSON type.
    public enum Kind: String, Sendable, Hashable {
        /// `null`
        case null
        /// `true` or `false`
        case boolean
        /// A number of any size and precision
        case number
        /// A string
        case string
        /// An array
        case array
        /// An object
        case object
    }

    /// The JSON type of this value.
    public var kind: Kind {
        switch node.kind {
        case .null: .null
        case .true, .false: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The text of a string; nil for any other type.
    public var string: String? {
        guard node.kind == .string else { return nil }
        return String(decoding: node.text(in: document.bytes), as: UTF8.self)
    }

    /// The value of a Boolean; nil for any other type.
    public var boolean: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The `Double` nearest to a number; nil for any other type, and for a number outside the range of `Double`.
    public var number: Double? {
        guard node.kind == .number else { return nil }
        if let integer = JSONInteger.short(source) { return Double(integer) }
        guard let value = Double(sourceText), value.isFinite else { return nil }
        return value
    }

    /// An integer that fits in `Int`, in any notation (`21`, `21.0`, `2.1e1`); otherwise nil.
    public var integer: Int? {
        guard node.kind == .number else { return nil }
        return JSONInteger.short(source) ?? JSONInteger.exactly(sourceText)
    }

    /// The elements of an array; nil for any other type.
    public var elements: [JSONValue]? {
        node.kind == .array ? children : nil
    }

    /// Returns whether this is an array all of whose elements meet a condition, without a list of them.
    func isArray(of condition: (JSONValue) -> Bool) -> Bool {
        guard node.kind == .array else { return false }
        var current = index + 1
        while current < Int(node.next) {
            guard condition(JSONValue(document: document, index: current)) else { return false }
            current = Int(document.nodes[current].next)
        }
        return true
    }

    /// The members of an object in the order of the text; nil for any other type.
    public var members: [(name: String, value: JSONValue)]? {
        guard node.kind == .object else { return nil }
        let children = children
        return stride(from: 0, to: children.count, by: 2).map { (children[$0].string ?? "", children[$0 + 1]) }
    }

    /// Returns the object member with this name, compared byte for byte; nil if there is none, or if this is not an
    /// object.
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(name: String) -> JSONValue? {
        guard node.kind == .object, let member = document.member(name, of: index) else { return nil }
        return JSONValue(document: document, index: member)
    }

    /// Returns whether this is a string equal to `text`, byte for byte.
    package func isString(_ text: String) -> Bool {
        node.kind == .string && document.string(node, equals: text)
    }

    /// Returns whether this is a string equal to one of `texts`, byte for byte.
    func isString(among texts: [String]) -> Bool {
        texts.contains { isString($0) }
    }

    /// The UTF-8 bytes of a string; nil for any other type.
    var utf8: ArraySlice<UInt8>? {
        node.kind == .string ? node.text(in: document.bytes) : nil
    }

    /// The JSON source of the value; for a string, without the quotation marks.
    package var source: ArraySlice<UInt8> { document.bytes[Int(node.start)..<Int(node.end)] }

    private var node: JSONNode { document.nodes[index] }

    /// The source of the value as a `String`.
    private var sourceText: String { String(decoding: source, as: UTF8.self) }

    /// The nodes directly inside this one; for an object, alternating names and values.
    private var children: [JSONValue] {
        var children: [JSONValue] = []
        var current = index + 1
        while current < Int(node.next) {
            children.append(JSONValue(document: document, index: current))
            current = Int(document.nodes[current].next)
        }
        return children
    }
}

extension JSONValue: Equatable {
    /// Returns whether both values are equal: numbers by value, strings byte for byte, objects regardless of member
    /// order.
    public static func == (first: JSONValue, second: JSONValue) -> Bool {
        guard first.kind == second.kind else { return false }
        switch first.kind {
        case .null: return true
        case .boolean: return first.boolean == second.boolean
        case .number: return first.sourceText == second.sourceText || first.hasSameNumber(as: second)
        case .string: return first.utf8 == second.utf8
        case .array: return first.elements == second.elements
        case .object:
            guard let members = first.members, members.count == second.members?.count else { return false }
            return members.allSatisfy { second[$0.name] == $0.value }
        }
    }

    private func hasSameNumber(as other: JSONValue) -> Bool {
        if let integer, let otherInteger = other.integer { return integer == otherInteger }
        guard let number, let otherNumber = other.number else { return false }
        return number == otherNumber
    }
}

extension JSONValue: Redacted {
    /// The type only: the content of a token is personal data, and must not reach a log.
    public var description: String { "JSON \(kind.rawValue)" }
}

extension JSONValue: Encodable {
    /// Encodes the value.
    ///
    /// Numbers outside the range of `Double` are encoded as `null`.
    public func encode(to encoder: any Encoder) throws {
        switch kind {
        case .array:
            var container = encoder.unkeyedContainer()
            for element in elements ?? [] { try container.encode(element) }
        case .object:
            var container = encoder.container(keyedBy: MemberName.self)
            for member in members ?? [] { try container.encode(member.value, forKey: MemberName(member.name)) }
        case .null, .boolean, .number, .string:
            var container = encoder.singleValueContainer()
            if let string {
                try container.encode(string)
            } else if let boolean {
                try container.encode(boolean)
            } else if let integer {
                try container.encode(integer)
            } else if let number {
                try container.encode(number)
            } else {
                try container.encodeNil()
            }
        }
    }

    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}
