// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Returns the offset of the first byte at or after `start` that is not plain text in a JSON string (RFC 8259 §7).
///
/// Such bytes are control characters, quotation marks, backslashes and non-ASCII bytes. If there is none, the result is
/// the end of `bytes`.
@inlinable
package func endOfPlainText(in bytes: Span<UInt8>, from start: Int) -> Int {
    precondition((0...bytes.count).contains(start), "a search begins in the bytes or at their end")
    return unsafe bytes.withUnsafeBytes { bytes in
        var position = start
        while position + 8 <= bytes.count {
            let special = unsafe Eight(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)).notPlain
            guard special == 0 else { return position + special.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < bytes.count, unsafe Eight(UInt64(bytes[position]) | Eight.spaces << 8).notPlain == 0 {
            position += 1
        }
        return position
    }
}

/// Eight bytes of a text that are examined together; the first is the least significant.
///
/// Source: the test for a zero byte in a word, "Bit Twiddling Hacks", Sean Eron Anderson.
@usableFromInline
struct Eight {
    @usableFromInline
    let bytes: UInt64

    @inlinable
    init(_ bytes: UInt64) {
        self.bytes = UInt64(littleEndian: bytes)
    }

    /// The highest bit of each byte that is not plain text, reliable up to the first such byte; later bits may be set
    /// wrongly.
    @inlinable
    var notPlain: UInt64 {
        let control = bytes &- Self.each(0x20)
        let special = zeros(bytes ^ Self.each(UInt8(ascii: "\""))) | zeros(bytes ^ Self.each(UInt8(ascii: "\\")))
        return (bytes | control & ~bytes | special) & Self.each(0x80)
    }

    @inlinable
    static var spaces: UInt64 { 0x0020_2020_2020_2020 }

    @inlinable
    func zeros(_ word: UInt64) -> UInt64 {
        (word &- Self.each(1)) & ~word
    }

    @inlinable
    static func each(_ byte: UInt8) -> UInt64 {
        UInt64(byte) &* 0x0101_0101_0101_0101
    }
}
