// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Encodes all characters except the unreserved ones, as for a path segment.
    package static func encode(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns whether a byte is an unreserved character (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "-._~".utf8.contains(byte)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
