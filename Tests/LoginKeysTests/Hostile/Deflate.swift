// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Compressed data that expands to a multiple of its size (RFC 1951): zeros, 258 of them in 13 bits.
enum Deflate {
    /// Returns raw deflate data.
    ///
    /// - Parameter runs: The number of runs of 258 zeros, after the first zero.
    /// - Returns: The data.
    static func zeros(runs: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var (held, count) = (0, 0)
        func put(_ bits: String) {
            for bit in bits {
                held |= (bit == "1" ? 1 : 0) << count
                count += 1
                if count == 8 {
                    bytes.append(UInt8(held))
                    (held, count) = (0, 0)
                }
            }
        }
        // The last block, with fixed codes (§3.2.6), in the bit order of the format; and a zero.
        put("1" + "10" + "00110000")
        // Length 258 at distance 1. Eight of them fill 13 bytes, and then repeat.
        for _ in 0..<runs { put("11000101" + "00000") }
        // The end of the block.
        put("0000000")
        put(String(repeating: "0", count: (8 - count) % 8))
        return bytes
    }

    /// Returns the same as a gzip file (RFC 1952), without the checksum, which no reader reaches.
    static func gzip(_ deflated: [UInt8]) -> [UInt8] {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + deflated
    }
}
