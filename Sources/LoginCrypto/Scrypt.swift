// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A function that takes long and needs memory, so that nobody guesses many passwords: scrypt (RFC 7914).
package struct Scrypt: Sendable, Hashable {
    /// The binary logarithm of the cost N.
    package let costLog2: Int

    /// The block size r.
    package let blockSize: Int

    /// The parallelization p.
    package let parallelization: Int

    /// How many bytes come out of it.
    package static let byteCount = 32

    /// No more memory than 1 GiB, whatever a row that somebody has changed says.
    private static let mostMemory = 1 << 30

    /// A function; nil where a parameter is out of range, or it would need more than 1 GiB.
    ///
    /// - Parameters:
    ///   - costLog2: The binary logarithm of the cost, 1 … 24.
    ///   - blockSize: The block size, 1 … 32.
    ///   - parallelization: The parallelization, 1 … 16.
    package init?(costLog2: Int, blockSize: Int, parallelization: Int) {
        guard (1...24).contains(costLog2), (1...32).contains(blockSize), (1...16).contains(parallelization),
            Self.memory(costLog2, blockSize, parallelization) <= Self.mostMemory
        else { return nil }
        self.costLog2 = costLog2
        self.blockSize = blockSize
        self.parallelization = parallelization
    }

    /// What it needs, in bytes: RFC 7914 §6, and two blocks for what libcrypto computes in.
    private static func memory(_ costLog2: Int, _ blockSize: Int, _ parallelization: Int) -> Int {
        128 * blockSize * ((1 << costLog2) + parallelization + 2)
    }

    /// The hash of a password.
    ///
    /// - Parameters:
    ///   - password: The password; 1 MiB at most.
    ///   - salt: What makes the hash another one for each password.
    /// - Returns: 32 bytes.
    package func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
        hash(password, salt: salt, byteCount: Self.byteCount)
    }

    /// The same with another length, for the vectors of the specification.
    func hash(_ password: [UInt8], salt: [UInt8], byteCount: Int) -> [UInt8] {
        precondition(max(password.count, salt.count) <= 1 << 20, "a password has 1 MiB at most")
        // An empty Swift array may have no address, and libcrypto takes that for "no password", not for an empty one.
        let text = (password.isEmpty ? [0] : password).map { CChar(bitPattern: $0) }
        // Left to itself, libcrypto allows 32 MiB, which is not enough from N = 2^15 on.
        let memory = Self.memory(costLog2, blockSize, parallelization)
        return withOpenSSL {
            var output = [UInt8](repeating: 0, count: byteCount)
            let status = unsafe EVP_PBE_scrypt(
                text,
                password.count,
                salt,
                salt.count,
                1 << UInt64(costLog2),
                UInt64(blockSize),
                UInt64(parallelization),
                UInt64(memory),
                &output,
                byteCount
            )
            // Fails only where memory has run out: going on with a hash of zeros would let everybody in.
            precondition(status == 1, "libcrypto could not compute a hash")
            return output
        }
    }
}
