// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Detection of byte strings that are not usable as Ed25519 public keys, because OpenSSL accepts any 32 bytes.
package enum Ed25519Point {
    /// The defect of a public key.
    package enum Fault: Sendable {
        /// The y coordinate is not below the prime: a non-canonical encoding of a point (RFC 8032 §5.1.3 step 1).
        case notCanonical
        /// The curve has no point with this y coordinate (RFC 8032 §5.1.3 step 3).
        case notOnCurve
        /// The point is one of the eight of small order: a signature can be valid for many messages, and can be made
        /// without a private key.
        case smallOrder
    }

    /// The length of an encoded point.
    package static let byteCount = 32

    /// Returns the defect of `point`, which must have ``byteCount`` bytes; nil if there is none.
    package static func fault(in point: [UInt8]) -> Fault? {
        precondition(point.count == byteCount, "an encoded point has 32 bytes")
        // The encoding is little-endian, with the sign of x in the highest bit.
        var y = Array(point.reversed())
        y[0] &= 0x7F
        guard y.lexicographicallyPrecedes(prime) else { return .notCanonical }
        // The sign does not affect the order. For x = 0 it would give a second encoding, but those points have small
        // order anyway.
        if smallOrders.contains(y) { return .smallOrder }
        return isOnCurve(y) ? nil : .notOnCurve
    }

    /// Returns whether −x² + y² = 1 + d x² y² has a solution: if (y² − 1)(d y² + 1) is a square modulo the prime.
    private static func isOnCurve(_ y: [UInt8]) -> Bool {
        withOpenSSL {
            let context = unsafe BN_CTX_new()
            defer { unsafe BN_CTX_free(context) }
            unsafe BN_CTX_start(context)
            defer { unsafe BN_CTX_end(context) }
            let p = unsafe number(prime, context)
            let d = unsafe number(coefficient, context)
            let square = unsafe number(y, context)
            let (numerator, denominator) = unsafe (BN_CTX_get(context), BN_CTX_get(context))
            // After a failure, all later calls of BN_CTX_get return nil, so checking the last one suffices.
            guard unsafe p != nil, unsafe d != nil, unsafe square != nil, unsafe denominator != nil,
                unsafe BN_mod_sqr(square, square, p, context) == 1,
                unsafe BN_mod_sub(numerator, square, BN_value_one(), p, context) == 1,
                unsafe BN_mod_mul(denominator, d, square, p, context) == 1,
                unsafe BN_mod_add(denominator, denominator, BN_value_one(), p, context) == 1,
                unsafe BN_mod_mul(numerator, numerator, denominator, p, context) == 1
            else { return false }
            // The result is 1 for a square, 0 for zero, −1 for a non-square, −2 for an error.
            return unsafe BN_kronecker(numerator, p, context) >= 0
        }
    }

    private static func number(_ bytes: [UInt8], _ context: OpaquePointer?) -> OpaquePointer? {
        guard let number = unsafe BN_CTX_get(context) else { return nil }
        return unsafe BN_bin2bn(bytes, Int32(bytes.count), number)
    }

    /// 2²⁵⁵ − 19, big-endian.
    private static let prime: [UInt8] = [0x7F] + [UInt8](repeating: 0xFF, count: 30) + [0xED]

    /// d = −121665/121666 (RFC 8032 §5.1).
    private static let coefficient = bytes("52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3")

    /// The five y coordinates of the curve's eight points of small order.
    ///
    /// There is one for order 4 (two points), one for order 1, one for order 2, and two for order 8 (two points each).
    private static let smallOrders: Set<[UInt8]> = [
        [UInt8](repeating: 0, count: 32),
        [UInt8](repeating: 0, count: 31) + [1],
        [0x7F] + [UInt8](repeating: 0xFF, count: 30) + [0xEC],
        bytes("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826"),
        bytes("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7"),
    ]

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
