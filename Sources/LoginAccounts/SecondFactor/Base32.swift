// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// Base32 (RFC 4648 §6) for the secrets of one-time passwords: without padding when encoded.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        encoded(bytes, in: alphabet, bits: 5)
    }

    /// Decodes text that a user or another program wrote: letters of either case, with spaces, hyphens and padding.
    ///
    /// - Parameter text: The text, of 1024 bytes at most.
    /// - Returns: The bytes; nil if the text has another character, or non-zero trailing bits.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= 1024 else { return nil }
        var digits: [UInt8] = []
        var isPadded = false
        for byte in text.utf8 where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-") {
            if byte == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            guard !isPadded, let digit = digit(byte) else { return nil }
            digits.append(digit)
        }
        // 1, 3 and 6 digits do not encode whole bytes.
        guard [0, 2, 4, 5, 7].contains(digits.count % 8) else { return nil }
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for digit in digits {
            buffer = (buffer << 5 | UInt32(digit)) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return buffer & ((1 << UInt32(bits)) - 1) == 0 ? bytes : nil
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: byte - 0x41
        case 0x61...0x7A: byte - 0x61
        case 0x32...0x37: byte - 0x32 + 26
        default: nil
        }
    }
}
