// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A value of a column.
///
/// There are only kinds that all databases share: a time is milliseconds since 1970, a Boolean is 1 or 0, and a
/// structured value is JSON in a text.
public enum StoreValue: Sendable {
    /// Null.
    case null
    /// An integer.
    case integer(Int64)
    /// A text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
}

extension StoreValue {
    /// The integer; nil if this is another kind of value.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The text; nil if this is another kind of value.
    public var text: String? { if case .text(let value) = self { value } else { nil } }

    /// The bytes; nil if this is another kind of value.
    public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}

extension StoreValue: Hashable {
    /// Whether both have the same kind and the same value.
    ///
    /// Texts are compared byte by byte, as databases do.
    ///
    /// Swift treats two canonically equivalent Unicode texts as equal. A subject in another spelling would then be
    /// another user's.
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.integer(let first), .integer(let second)): first == second
        case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
        case (.bytes(let first), .bytes(let second)): first == second
        default: false
        }
    }

    /// Feeds the kind and the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value):
            hasher.combine(1)
            hasher.combine(value)
        case .text(let value):
            hasher.combine(2)
            for byte in value.utf8 { hasher.combine(byte) }
        case .bytes(let value):
            hasher.combine(3)
            hasher.combine(value)
        }
    }
}

extension StoreValue: Redacted {
    /// The type, without the value, which may be personal.
    public var description: String {
        switch self {
        case .null: "null"
        case .integer: "an integer"
        case .text: "a text"
        case .bytes: "bytes"
        }
    }
}
