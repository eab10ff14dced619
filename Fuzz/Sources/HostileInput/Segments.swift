// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// What stands between the dots of a token.
///
/// It decodes and encodes by Foundation, so that nothing of the library has a part in attacking it.
public struct Segments: Sendable {
    /// The segments as they are written; at least one.
    public var texts: [[UInt8]]

    /// Cuts a text at its dots.
    public init(_ token: [UInt8]) {
        texts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    }

    /// The text again.
    public var joined: [UInt8] { Array(texts.joined(separator: [UInt8(ascii: ".")])) }

    /// What a segment stands for; nil if that is not canonical base64url.
    public func decoded(_ index: Int) -> [UInt8]? {
        texts.indices.contains(index) ? Self.decode(texts[index]) : nil
    }

    /// Changes what a segment stands for, and encodes it as it should be; a segment that stands for nothing stays.
    public mutating func change(_ index: Int, _ change: ([UInt8]) -> [UInt8]) {
        guard let bytes = decoded(index) else { return }
        texts[index] = Self.encode(change(bytes))
    }

    /// Base64url without padding (RFC 7515 §2).
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        Data(bytes).base64EncodedData().filter { $0 != UInt8(ascii: "=") }.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
    }

    /// What canonical base64url stands for; nil for all else.
    ///
    /// Whether the form is canonical shows when it is encoded again.
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
