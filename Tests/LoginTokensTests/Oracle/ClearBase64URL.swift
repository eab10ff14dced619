// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Decodes base64url as `Base64URL` does, bit by bit: slow and simple.
enum ClearBase64URL {
    /// Decodes `text`; nil if it is not canonical base64url.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bits: [UInt8] = []
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            for place in (0..<6).reversed() { bits.append(UInt8(value >> place & 1)) }
        }
        let whole = bits.count / 8 * 8
        // Less than one character of bits may be left over, and these must be zero.
        guard bits.count - whole < 6, bits[whole...].allSatisfy({ $0 == 0 }) else { return nil }
        return stride(from: 0, to: whole, by: 8).map { start in
            bits[start..<(start + 8)].reduce(0) { $0 << 1 | $1 }
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
