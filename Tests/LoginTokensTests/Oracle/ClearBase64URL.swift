// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Decodes base64url as `Base64URL` does, one bit after the other: slow and clear.
enum ClearBase64URL {
    /// What `text` stands for; nil if it is not the one spelling of any bytes.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bits: [UInt8] = []
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            for place in (0..<6).reversed() { bits.append(UInt8(value >> place & 1)) }
        }
        let whole = bits.count / 8 * 8
        // What is left is less than a character, or a character too many; and it is zero.
        guard bits.count - whole < 6, bits[whole...].allSatisfy({ $0 == 0 }) else { return nil }
        return stride(from: 0, to: whole, by: 8).map { start in
            bits[start..<(start + 8)].reduce(0) { $0 << 1 | $1 }
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
