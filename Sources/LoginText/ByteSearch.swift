// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Calls `body` with at most the first `limit` bytes of a text's UTF-8, without copying them if possible.
///
/// A token is longer than the blocks that allocators serve quickly, so a copy would be expensive. The function is
/// always inlined; otherwise each call would retain the values that `body` captures, such as keys shared among threads.
@inlinable
@inline(__always)
package func withUTF8<Result>(of text: String, upTo limit: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let result = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe body($0.span.extracting(first: limit)) }
    return result ?? body(Array(text.utf8.prefix(limit)).span)
}

/// Returns a copy of a range of a text's UTF-8.
///
/// `Array(text.utf8[range])` would copy byte by byte.
package func utf8Bytes(of text: String, in range: Range<Int>) -> [UInt8] {
    withUTF8(of: text, upTo: range.upperBound) { text in
        let part = text.extracting(range)
        return unsafe part.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

/// Returns a copy of bytes, without copying them one by one.
package func bytes(of bytes: Span<UInt8>) -> [UInt8] {
    unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
}

/// Returns the offset of the first `byte` in `bytes` at or after `start`; nil if there is none.
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
