// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Canonical base64url without padding (RFC 7515 §2, RFC 4648 §5).
///
/// Each byte string has exactly one encoding: padding, the characters of plain base64, whitespace, and nonzero unused
/// bits are refused. Otherwise one token would have several spellings, and a replay cache or a log would not recognize
/// them as the same.
package enum Base64URL {
    /// Decodes `text`; nil if it is not canonical base64url.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        decode(Array(text).span)
    }

    /// Decodes `text`; nil if it is not canonical base64url.
    ///
    /// This is a hot path, because most of a token is base64url. It decodes four characters at a time, and checks only
    /// at the end that all were in the alphabet: any other character sets a bit that is preserved until then.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let (groups, rest) = text.count.quotientAndRemainder(dividingBy: 4)
        guard rest != 1 else { return nil }
        let byteCount = groups * 3 + max(rest - 1, 0)
        var seen: UInt32 = 0
        let values = Self.values
        // Each group is written as four bytes, and the next group overwrites the fourth. The capacity is no larger than
        // this requires, because allocators serve small blocks faster: glibc up to 1,032 bytes, enough for most
        // payloads.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: groups * 3 + 4) { output, count in
            let output = UnsafeMutableRawBufferPointer(output)
            unsafe text.withUnsafeBufferPointer { text in
                unsafe values.withUnsafeBufferPointer { values in
                    func value(_ place: Int, _ offset: Int) -> UInt32 {
                        unsafe values[place &* 256 &+ Int(text[offset])]
                    }
                    var (input, start) = (0, 0)
                    for _ in 0..<groups {
                        let bits =
                            value(0, input) | value(1, input &+ 1) | value(2, input &+ 2) | value(3, input &+ 3)
                        seen |= bits
                        unsafe output.storeBytes(of: bits.bigEndian, toByteOffset: start, as: UInt32.self)
                        (input, start) = (input &+ 4, start &+ 3)
                    }
                    guard rest > 0 else { return }
                    let bits = value(0, input) | value(1, input &+ 1) | (rest == 3 ? value(2, input &+ 2) : 0)
                    unsafe output.storeBytes(of: bits.bigEndian, toByteOffset: start, as: UInt32.self)
                    // The unused bits of the last character must be zero.
                    seen |= bits << UInt32(8 * (rest - 1)) == 0 ? bits : notOfAlphabet
                }
            }
            count = byteCount
        }
        return seen & notOfAlphabet == 0 ? bytes : nil
    }

    /// Describes why a text is not canonical base64url.
    ///
    /// - Parameter text: A text that `decode` refuses.
    /// - Returns: The end of a sentence about the text, which quotes nothing of it.
    package static func fault(in text: some Collection<UInt8>) -> String {
        if text.contains(UInt8(ascii: "+")) || text.contains(UInt8(ascii: "/")) {
            return "contains + or /: it was encoded in base64, not in base64url"
        }
        if text.contains(UInt8(ascii: "%")) { return "contains %: percent-encoding was not decoded" }
        let characters = Array(text)
        if characters.last == UInt8(ascii: "=") { return "ends with =: padding was added" }
        guard characters.allSatisfy(alphabet.contains) else { return "is not canonical base64url" }
        guard characters.count % 4 != 1 else {
            return "has \(characters.count) characters, a length that base64url cannot have: it was cut off"
        }
        return "has unused bits that are not zero: it was cut off, or its last character was changed"
    }

    /// Encodes `bytes`.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        encode(Array(bytes))
    }

    /// Encodes `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        encoded(bytes, in: alphabet, bits: 6)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// For each of the four positions in a group and each character, its value shifted to its position in the group.
    ///
    /// A group has 24 bits, stored in the highest bits of 32.
    private static let values: [UInt32] = (0..<4).flatMap { place in
        var values = [UInt32](repeating: notOfAlphabet, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt32(value) << (26 - 6 * place) }
        return values
    }

    /// A bit that no value of a valid character sets.
    private static let notOfAlphabet: UInt32 = 1
}

/// Encodes bytes with an alphabet whose characters represent `width` bits each (RFC 4648), without padding.
package func encoded(_ bytes: [UInt8], in alphabet: [UInt8], bits width: Int) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 8 / width + 1)
    let mask = UInt32(alphabet.count - 1)
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
        buffer = buffer << 8 | UInt32(byte)
        bits += 8
        while bits >= width {
            bits -= width
            text.append(alphabet[Int(buffer >> UInt32(bits) & mask)])
        }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << UInt32(width - bits) & mask)]) }
    return String(decoding: text, as: UTF8.self)
}
