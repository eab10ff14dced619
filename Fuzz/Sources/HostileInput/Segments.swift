// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// The segments of a token.
///
/// Decoding and encoding use Foundation, so that no code of the library takes part in the attack on it.
public struct Segments: Sendable {
    /// The segments in their encoded form; at least one.
    public var texts: [[UInt8]]

    /// Splits a text at its dots.
    public init(_ token: [UInt8]) {
        texts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    }

    /// The segments joined with dots.
    public var joined: [UInt8] { Array(texts.joined(separator: [UInt8(ascii: ".")])) }

    /// Returns the decoded segment; nil if it is not canonical base64url.
    public func decoded(_ index: Int) -> [UInt8]? {
        texts.indices.contains(index) ? Self.decode(texts[index]) : nil
    }

    /// Changes the decoded bytes of a segment and encodes them again; a segment that cannot be decoded stays unchanged.
    public mutating func change(_ index: Int, _ change: ([UInt8]) -> [UInt8]) {
        guard let bytes = decoded(index) else { return }
        texts[index] = Self.encode(change(bytes))
    }

    /// Encodes as base64url without padding (RFC 7515 §2).
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        Data(bytes).base64EncodedData().filter { $0 != UInt8(ascii: "=") }.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
    }

    /// Decodes canonical base64url; nil for anything else.
    ///
    /// Encodes the result again to find out whether the input was canonical.
    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        var plain = text.map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        while !plain.count.isMultiple(of: 4) { plain.append(UInt8(ascii: "=")) }
        guard let bytes = Data(base64Encoded: Data(plain)).map(Array.init), encode(bytes) == text else { return nil }
        return bytes
    }

    /// The characters of base64url.
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
