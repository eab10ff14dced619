// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Lends the UTF-8 of a text, or of a long one its first `limit` bytes, without copying it.
///
/// A token is longer than what an allocator has at hand, so a copy would cost more than it seems. Always inlined, because else
/// each call would retain what `body` uses, keys that threads share among it.
@inlinable
@inline(__always)
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
