// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Compares two byte strings in a time that depends on their lengths alone, never on where they first differ.
package func constantTimeEquals(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    guard first.count == second.count else { return false }
    return unsafe CRYPTO_memcmp(first, second, first.count) == 0
}
