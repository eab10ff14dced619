// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Compares two byte strings in a time that depends only on their lengths, never on their contents.
package func constantTimeEquals(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    unsafe first.withUnsafeBufferPointer { first in
        unsafe second.withUnsafeBufferPointer { unsafe constantTimeEquals(first, $0) }
    }
}

/// Compares two byte strings in a time that depends only on their lengths.
package func constantTimeEquals(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    constantTimeEquals(first.span, second.span)
}

/// Compares bytes with the UTF-8 of a text in a time that depends only on their lengths.
package func constantTimeEquals(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { bytes in
        let status = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe constantTimeEquals(bytes, $0) }
        return unsafe status ?? constantTimeEquals(bytes.span, Array(text.utf8).span)
    }
}

private func constantTimeEquals(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
    guard first.count == second.count else { return false }
    return unsafe first.isEmpty || CRYPTO_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
}
