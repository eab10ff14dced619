// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Returns unpredictable bytes from libcrypto's random number generator.
///
/// - Parameter count: The number of bytes; 1 to 4096.
/// - Returns: The bytes.
package func randomBytes(count: Int) -> [UInt8] {
    precondition((1...4096).contains(count), "ask for 1 to 4096 random bytes at a time")
    return withOpenSSL {
        var output = [UInt8](repeating: 0, count: count)
        let status = unsafe RAND_bytes(&output, Int32(count))
        // Continuing with predictable bytes would be worse than ending the process.
        precondition(status == 1, "libcrypto has no source of randomness")
        return output
    }
}
