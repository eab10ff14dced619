// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Parsing of JSON numbers as integers.
enum JSONInteger {
    /// Returns the value of a number that consists of at most 15 digits, the common case; such a value is exact as a
    /// `Double`.
    static func short(_ text: ArraySlice<UInt8>) -> Int? {
        guard text.count <= 15 else { return nil }
        var value = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    /// Returns the value of a JSON number if it is an integer and fits; computed from the digits, so nothing is
    /// rounded.
    static func exactly(_ text: String) -> Int? {
        if let integer = Int(text) { return integer }
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".", maxSplits: 1)
        let fraction = mantissa.count == 2 ? mantissa[1] : ""
        var digits = mantissa[0] + fraction
        guard digits.contains(where: { ("1"..."9").contains($0) }) else { return 0 }
        // An exponent that does not fit in `Int` moves every digit out of range.
        guard let exponent = parts.count == 2 ? Int(parts[1]) : 0, exponent.magnitude < 100_000 else { return nil }
        let shift = exponent - fraction.count
        if shift < 0 {
            guard digits.suffix(-shift).allSatisfy({ $0 == "0" }), digits.count > -shift else { return nil }
            digits.removeLast(-shift)
        } else {
            // An `Int` has at most nineteen digits.
            guard shift < 20 else { return nil }
            digits += String(repeating: "0", count: shift)
        }
        return Int(digits)
    }
}
