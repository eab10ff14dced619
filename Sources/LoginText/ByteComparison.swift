// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Returns whether `bytes` are exactly the UTF-8 of `text`.
///
/// Do not use it for secrets: its duration reveals where they differ.
package func isEqual(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { bytes in
        let status = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe isEqual(bytes, $0) }
        return unsafe status ?? bytes.elementsEqual(text.utf8)
    }
}

/// Returns whether both strings are equal byte for byte, unlike Swift's `==`, which treats canonically equivalent
/// Unicode as equal.
///
/// Do not use it for secrets: its duration reveals where they differ.
package func isEqual(_ first: String, _ second: String) -> Bool {
    let status = unsafe first.utf8.withContiguousStorageIfAvailable { first in
        unsafe isEqual(first.span, second)
    }
    return status ?? first.utf8.elementsEqual(second.utf8)
}

/// Returns whether both byte strings are equal.
///
/// Do not use it for secrets: its duration reveals where they differ.
package func isEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    unsafe first.withUnsafeBufferPointer { first in
        unsafe second.withUnsafeBufferPointer { unsafe isEqual(first, $0) }
    }
}

private func isEqual(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    // An empty buffer may have a null address.
    guard let one = first.baseAddress, let other = second.baseAddress else { return first.isEmpty }
    return unsafe memcmp(one, other, first.count) == 0
}
