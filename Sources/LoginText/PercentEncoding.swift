// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Encodes all characters except the unreserved ones, as for a path segment.
    package static func encode(_ text: String) -> String { encode(text, except: isUnreserved) }

    /// Encodes the bytes of a text in UTF-8, except those that stay literal.
    package static func encode(_ text: String, except isLiteral: (UInt8) -> Bool) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isLiteral(byte) { result.append(byte) } else { result += encode(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes one byte, in upper case (RFC 3986 §2.1).
    package static func encode(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
    }

    /// Decodes a text; nil if a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let text = Array(text)
        var result: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%") {
                guard let byte = byte(in: text, at: index) else { return nil }
                result.append(byte)
                index += 3
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    /// Returns the byte that the two hexadecimal digits after the `%` at `index` encode; nil if there are none.
    package static func byte(in text: [UInt8], at index: Int) -> UInt8? {
        guard index + 2 < text.count, let high = value(text[index + 1]), let low = value(text[index + 2]) else {
            return nil
        }
        return high << 4 | low
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns whether a byte is an unreserved character (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-._~".utf8.contains(byte)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
