// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// Numeric codes that users type.
enum OneTimeCode {
    /// The maximum length of an input that is examined, in bytes.
    private static let longestInput = 64

    /// Returns the digits of a code that a user typed; nil if it is malformed.
    ///
    /// Spaces are ignored, because apps display codes in groups. Only ASCII digits are accepted.
    ///
    /// - Parameters:
    ///   - input: The typed text.
    ///   - count: The required number of digits.
    /// - Returns: The digits, without spaces.
    static func digits(_ input: String, count: Int) -> [UInt8]? {
        guard input.utf8.count <= longestInput else { return nil }
        let digits = input.utf8.filter { $0 != UInt8(ascii: " ") }
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits
    }

    /// Makes a uniformly random code of 1 to 9 digits.
    static func make(digits count: Int) -> String {
        precondition((1...9).contains(count), "a code has 1 to 9 digits")
        let bound = (0..<count).reduce(1 as UInt32) { product, _ in product * 10 }
        let text = String(number(below: bound) { randomBytes(count: 4).reduce(0) { $0 << 8 | UInt32($1) } })
        return String(repeating: "0", count: count - text.utf8.count) + text
    }

    /// Returns a uniformly random number below a bound.
    ///
    /// - Parameters:
    ///   - bound: The bound, not 0.
    ///   - random: A source of 32 random bits.
    /// - Returns: The number.
    static func number(below bound: UInt32, random: () -> UInt32) -> UInt32 {
        // The remainder of 2³² would make the first numbers more likely, so such a value is drawn again.
        let limit = UInt32.max - (UInt32.max % bound + 1) % bound
        while true {
            let number = random()
            if number <= limit { return number % bound }
        }
    }
}

/// Keyed hashes of stored codes.
///
/// A plain hash of six digits could be reversed by trying all codes.
struct CodeHashes {
    let secrets: AccountSecrets

    /// Returns the HMAC of a code under the newest key.
    ///
    /// - Parameters:
    ///   - code: The digits.
    ///   - token: The hash of the token that the code belongs to.
    /// - Returns: The HMAC.
    func newest(_ code: some Collection<UInt8>, for token: [UInt8]) -> [UInt8] { hashes(code, for: token)[0] }

    /// Whether a code has the stored hash under any key, compared in constant time.
    func matches(_ code: [UInt8], _ stored: [UInt8], for token: [UInt8]) -> Bool {
        var isRight = false
        for candidate in hashes(code, for: token) where constantTimeEquals(candidate, stored) { isRight = true }
        return isRight
    }

    private func hashes(_ code: some Collection<UInt8>, for token: [UInt8]) -> [[UInt8]] {
        secrets.authenticationCodes(of: token + Array(code), purpose: "phone code")
    }
}
