// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A telephone number with its country code (ITU-T E.164): `+`, and 7 to 15 digits, the first of which is not zero.
struct PhoneNumber: Sendable, Hashable {
    /// The number: `+` and digits.
    let text: String

    /// The maximum length of an input that is examined, in bytes.
    private static let longestInput = 32

    /// Parses a number; nil if it is invalid.
    ///
    /// Spaces and hyphens are ignored. Parentheses are not accepted: digits in them are usually omitted when dialing
    /// from abroad, so keeping them would yield another number.
    ///
    /// - Parameter input: The typed text.
    init?(_ input: String) {
        guard input.utf8.count <= Self.longestInput else { return nil }
        let characters = input.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        let digits = characters.dropFirst()
        guard characters.first == UInt8(ascii: "+"), (7...15).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != UInt8(ascii: "0")
        else { return nil }
        text = String(decoding: characters, as: UTF8.self)
    }

    /// The last four digits, by which the user recognizes the number.
    var suffix: String { String(text.suffix(4)) }
}
