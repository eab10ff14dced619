// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Base64url without padding (RFC 7515 §2, RFC 4648 §5), and only its canonical form.
///
/// Each byte string has exactly one spelling here: padding, the characters of plain base64, white space, and unused low
/// bits that are not zero are refused. Otherwise one token would have many spellings, and a replay cache or a log that
/// knows one would not know the others.
package enum Base64URL {
    /// Decodes `text`; nil if it is not canonical base64url.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let remainder = text.count % 4
        guard remainder != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var buffer: UInt32 = 0
        var pending = 0
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            pending += 1
            if pending == 4 {
                bytes.append(UInt8(truncatingIfNeeded: buffer >> 16))
                bytes.append(UInt8(truncatingIfNeeded: buffer >> 8))
                bytes.append(UInt8(truncatingIfNeeded: buffer))
                pending = 0
            }
        }
        switch remainder {
        case 2:
            guard buffer & 0x0F == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: buffer >> 4))
        case 3:
            guard buffer & 0x03 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: buffer >> 10))
            bytes.append(UInt8(truncatingIfNeeded: buffer >> 2))
        default:
            break
        }
        return bytes
    }

    /// Encodes `bytes`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 3)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> UInt32(bits) & 0x3F)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(6 - bits) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// For each byte its value, or 255.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
