// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A value of one column.
///
/// There are no more kinds than every database has alike: a time is milliseconds since 1970, a yes or no is 1 or 0, and what has
/// a structure of its own is JSON in a text.
public enum StoreValue: Sendable {
    /// Nothing.
    case null
    /// A whole number.
    case integer(Int64)
    /// A text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
}

extension StoreValue: Hashable {
    /// Whether both are of one kind and hold the same; texts are compared byte by byte, as databases do.
    ///
    /// Swift takes two Unicode spellings of a text for one, so that a subject in the other spelling would be somebody else's.
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.integer(let first), .integer(let second)): first == second
        case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
        case (.bytes(let first), .bytes(let second)): first == second
        default: false
        }
    }

    /// Feeds the kind and the bytes to a hasher.
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
