// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// Codes of digits, as people type them.
enum OneTimeCode {
    /// The longest input that is looked at, in bytes.
    private static let longestInput = 64

    /// The digits of a code that somebody typed; nil where it is none.
    ///
    /// Spaces are left out, since apps show codes in groups. Other digits than those of ASCII are none: their bytes would not be
    /// those of any code.
    ///
    /// - Parameters:
    ///   - input: What was typed.
    ///   - count: How many digits there must be.
    /// - Returns: The digits, without spaces.
    static func digits(_ input: String, count: Int) -> [UInt8]? {
        guard input.utf8.count <= longestInput else { return nil }
        let digits = input.utf8.filter { $0 != UInt8(ascii: " ") }
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits
    }

    /// A code that nobody guesses better than any other, of 1 to 9 digits.
    static func make(digits count: Int) -> String {
        precondition((1...9).contains(count), "a code has 1 to 9 digits")
        let bound = (0..<count).reduce(1 as UInt32) { product, _ in product * 10 }
        let text = String(number(below: bound) { randomBytes(count: 4).reduce(0) { $0 << 8 | UInt32($1) } })
        return String(repeating: "0", count: count - text.utf8.count) + text
    }

    /// A number below a bound, each as often as any other.
    ///
    /// - Parameters:
    ///   - bound: The bound, not 0.
    ///   - random: 32 random bits each time.
    /// - Returns: The number.
    static func number(below bound: UInt32, random: () -> UInt32) -> UInt32 {
        // What is left when 2³² is divided would make the first numbers likelier: it is thrown again.
        let limit = UInt32.max - (UInt32.max % bound + 1) % bound
        while true {
            let number = random()
            if number <= limit { return number % bound }
        }
    }
}
