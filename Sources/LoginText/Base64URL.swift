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
        decode(Array(text).span)
    }

    /// Decodes `text`; nil if it is not canonical base64url.
    ///
    /// Most of a token is base64url. So four characters are taken at a time, and only at the end is looked whether all of them
    /// were of the alphabet: what is not has a bit that survives until then.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let (groups, rest) = text.count.quotientAndRemainder(dividingBy: 4)
        guard rest != 1 else { return nil }
        let byteCount = groups * 3 + max(rest - 1, 0)
        var seen: UInt32 = 0
        let values = Self.values
        // Each group is written as four bytes, of which the next overwrites the last. No more room is asked for than that takes:
        // allocators have small blocks at hand, and glibc those of up to 1,032 bytes, which most payloads fit.
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
                    // What is left of the last character is no byte, and must be zero.
                    seen |= bits << UInt32(8 * (rest - 1)) == 0 ? bits : notOfAlphabet
                }
            }
            count = byteCount
        }
        return seen & notOfAlphabet == 0 ? bytes : nil
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

    /// For each of the four places in a group, and for each byte, its value where it belongs in the group's 24 bits, which are the
    /// highest of 32.
    private static let values: [UInt32] = (0..<4).flatMap { place in
        var values = [UInt32](repeating: notOfAlphabet, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt32(value) << (26 - 6 * place) }
        return values
    }

    /// A bit that no value has.
    private static let notOfAlphabet: UInt32 = 1
}

/// Bytes in an alphabet of characters that stand for so many bits each (RFC 4648), without padding.
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
