// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Lends the UTF-8 of a text, or of a long one its first `limit` bytes, without copying it.
///
/// To copy a token takes as long as to read its claims: it is longer than what the allocator has at hand.
@inlinable
package func withUTF8<Result>(of text: String, upTo limit: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let result = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe body($0.span.extracting(first: limit)) }
    return result ?? body(Array(text.utf8.prefix(limit)).span)
}

/// The offset of the first `byte` in `bytes`, from `start` on; nil if there is none.
package func firstOffset(of byte: UInt8, in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
    let rest = bytes.extracting(droppingFirst: start)
    let distance = unsafe rest.withUnsafeBufferPointer { rest -> Int? in
        guard let base = unsafe UnsafeRawPointer(rest.baseAddress),
            let found = unsafe memchr(base, Int32(byte), rest.count)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - base
    }
    return distance.map { start + $0 }
}

/// Whether `bytes` are the UTF-8 of `text`, and nothing else.
///
/// Not for secrets: how long it takes tells where they differ.
package func isEqual(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { bytes in
        let status = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe isEqual(bytes, $0) }
        return unsafe status ?? bytes.elementsEqual(text.utf8)
    }
}

/// Whether both are the same text, byte for byte: Swift's `==` takes two Unicode spellings of a text for equal.
///
/// Not for secrets: how long it takes tells where they differ.
package func isEqual(_ first: String, _ second: String) -> Bool {
    let status = unsafe first.utf8.withContiguousStorageIfAvailable { first in
        unsafe isEqual(first.span, second)
    }
    return status ?? first.utf8.elementsEqual(second.utf8)
}

/// Whether both are the same bytes.
///
/// Not for secrets: how long it takes tells where they differ.
package func isEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    unsafe first.withUnsafeBufferPointer { first in
        unsafe second.withUnsafeBufferPointer { unsafe isEqual(first, $0) }
    }
}

private func isEqual(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    // An empty buffer may have no address.
    guard let one = first.baseAddress, let other = second.baseAddress else { return first.isEmpty }
    return unsafe memcmp(one, other, first.count) == 0
}

/// The offset of the first byte in `bytes`, from `start` on, that does not stand for itself in a JSON string (RFC 8259 §7).
///
/// That is a control character, a quotation mark, a backslash, or what is not ASCII. The end of `bytes` if there is none.
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

/// Eight bytes of a text, looked at together; the first is the lowest.
///
/// Source: the words without a zero byte, "Bit Twiddling Hacks", Sean Eron Anderson.
private struct Eight {
    private let bytes: UInt64

    init(_ bytes: UInt64) {
        self.bytes = UInt64(littleEndian: bytes)
    }

    /// The highest bit of each byte that is not plain text, up to the first one; of those after it, some bits may be set wrongly.
    var notPlain: UInt64 {
        let control = bytes &- Self.each(0x20)
        let special = zeros(bytes ^ Self.each(UInt8(ascii: "\""))) | zeros(bytes ^ Self.each(UInt8(ascii: "\\")))
        return (bytes | control & ~bytes | special) & Self.each(0x80)
    }

    static let spaces: UInt64 = 0x0020_2020_2020_2020

    private func zeros(_ word: UInt64) -> UInt64 {
        (word &- Self.each(1)) & ~word
    }

    private static func each(_ byte: UInt8) -> UInt64 {
        UInt64(byte) &* 0x0101_0101_0101_0101
    }
}
