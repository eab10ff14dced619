// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

extension PrivateKey {
    /// The modulus of an RSA key; empty for other keys.
    var modulus: [UInt8] {
        if case .rsa(let modulus, _) = numbers { modulus } else { [] }
    }

    /// The exponent of an RSA key; empty for other keys.
    var exponent: [UInt8] {
        if case .rsa(_, let exponent) = numbers { exponent } else { [] }
    }
}

/// Returns the hexadecimal digits as standards print them.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Decodes hexadecimal digits.
func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Returns the sum of two big-endian numbers in the length of the first; an overflow is discarded.
func sum(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    var result = first
    var carry = 0
    for place in result.indices.reversed() {
        let fromEnd = result.count - 1 - place
        let total = Int(result[place]) + (fromEnd < second.count ? Int(second[second.count - 1 - fromEnd]) : 0) + carry
        result[place] = UInt8(total & 0xFF)
        carry = total >> 8
    }
    return result
}

/// Returns the difference of two big-endian numbers in the length of the first, which is the greater.
func difference(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    let complement = [UInt8](repeating: 0xFF, count: first.count - second.count) + second.map { ~$0 }
    return sum(sum(first, complement), [1])
}
