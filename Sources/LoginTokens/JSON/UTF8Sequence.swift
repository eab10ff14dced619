// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Validation of UTF-8 by table 3-7 of the Unicode Standard: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Sequence {
    /// Returns the length of the sequence at `offset`, whose first byte is at least 0x80; nil if it is not well-formed.
    static func length(in bytes: [UInt8], at offset: Int) -> Int? {
        // The range of the second byte excludes overlong forms, surrogates and values above U+10FFFF.
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[offset] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return nil }
        for byte in bytes[(offset + 2)..<(offset + length)] where !(0x80...0xBF).contains(byte) { return nil }
        return length
    }
}
