// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The escapes of JSON strings (RFC 8259 §7).
enum JSONEscapes {
    /// Checks the escape that begins at `offset`, and returns the offset after it.
    ///
    /// Surrogates must come in pairs. A lone surrogate is no character, and parsers treat it differently.
    static func check(_ bytes: [UInt8], at offset: Int) throws(JSONError) -> Int {
        guard offset + 1 < bytes.count else {
            throw JSONError(reason: "unterminated escape sequence", offset: offset)
        }
        if simple(bytes[offset + 1]) != nil { return offset + 2 }
        guard bytes[offset + 1] == UInt8(ascii: "u"), let unit = unit(bytes, at: offset) else {
            throw JSONError(reason: "invalid escape sequence", offset: offset)
        }
        guard UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) else { return offset + 6 }
        guard UTF16.isLeadSurrogate(unit), let low = self.unit(bytes, at: offset + 6), UTF16.isTrailSurrogate(low)
        else {
            throw JSONError(reason: "unpaired surrogate", offset: offset)
        }
        return offset + 12
    }

    /// Returns the text of `raw` with escapes resolved.
    ///
    /// `raw` must have passed ``check(_:at:)``.
    static func resolve(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        let raw = Array(raw)
        var text: [UInt8] = []
        text.reserveCapacity(raw.count)
        var offset = 0
        while offset < raw.count {
            guard raw[offset] == UInt8(ascii: "\\") else {
                text.append(raw[offset])
                offset += 1
                continue
            }
            if let byte = simple(raw[offset + 1]) {
                text.append(byte)
                offset += 2
            } else {
                let (scalar, length) = scalar(raw, at: offset)
                text += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                offset += length
            }
        }
        return text
    }

    /// Returns the character of the escape `\uXXXX` or surrogate pair at `offset`, and the length of the escape.
    private static func scalar(_ raw: [UInt8], at offset: Int) -> (Unicode.Scalar, length: Int) {
        let unit = UInt32(unit(raw, at: offset) ?? 0)
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        let low = UInt32(self.unit(raw, at: offset + 6) ?? 0xDC00)
        return (Unicode.Scalar(0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF)) ?? "\u{FFFD}", 12)
    }

    /// Returns the byte that a two-character escape denotes.
    private static func simple(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// Returns the UTF-16 code unit of the escape `\uXXXX` at `offset`.
    private static func unit(_ bytes: [UInt8], at offset: Int) -> UInt16? {
        guard offset + 6 <= bytes.count, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[(offset + 2)..<(offset + 6)] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
