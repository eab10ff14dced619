// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// The parameters of scrypt (RFC 7914), a password hash that is slow and needs memory to prevent guessing.
package struct Scrypt: Sendable, Hashable {
    /// The binary logarithm of the cost N.
    package let costLog2: Int

    /// The block size r.
    package let blockSize: Int

    /// The parallelization p.
    package let parallelization: Int

    /// The length of the hash, in bytes.
    package static let byteCount = 32

    /// The maximum memory, 1 GiB, which also limits parameters from a manipulated database row.
    private static let mostMemory = 1 << 30

    /// Creates parameters; nil if one is out of range, or if they require more than 1 GiB.
    ///
    /// - Parameters:
    ///   - costLog2: The binary logarithm of the cost N, 1 to 24.
    ///   - blockSize: The block size r, 1 to 32.
    ///   - parallelization: The parallelization p, 1 to 16.
    package init?(costLog2: Int, blockSize: Int, parallelization: Int) {
        guard (1...24).contains(costLog2), (1...32).contains(blockSize), (1...16).contains(parallelization),
            Self.memory(costLog2, blockSize, parallelization) <= Self.mostMemory
        else { return nil }
        self.costLog2 = costLog2
        self.blockSize = blockSize
        self.parallelization = parallelization
    }

    /// Returns the required memory in bytes: by RFC 7914 §6, plus two blocks of working memory for libcrypto.
    private static func memory(_ costLog2: Int, _ blockSize: Int, _ parallelization: Int) -> Int {
        128 * blockSize * ((1 << costLog2) + parallelization + 2)
    }

    /// Returns the hash of a password.
    ///
    /// - Parameters:
    ///   - password: The password; at most 1 MiB.
    ///   - salt: The salt; at most 1 MiB.
    /// - Returns: 32 bytes.
    package func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
        hash(password, salt: salt, byteCount: Self.byteCount)
    }

    /// Returns a hash of another length, for the test vectors of the specification.
    func hash(_ password: [UInt8], salt: [UInt8], byteCount: Int) -> [UInt8] {
        precondition(max(password.count, salt.count) <= 1 << 20, "a password has 1 MiB at most")
        // An empty Swift array may have a null address, which libcrypto interprets as "no password", not as an empty
        // one.
        let text = (password.isEmpty ? [0] : password).map { CChar(bitPattern: $0) }
        // The default limit of libcrypto is 32 MiB, which is too little from N = 2^15 on.
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
            // This fails only if memory is exhausted. Continuing with a hash of zeros would accept every password.
            precondition(status == 1, "libcrypto could not compute a hash")
            return output
        }
    }
}
