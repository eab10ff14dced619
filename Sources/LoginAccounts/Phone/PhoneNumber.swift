// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A telephone number with its country code (ITU-T E.164): `+`, and 7 to 15 digits, the first of which is not zero.
///
/// A number has one spelling, so that its budgets cannot be multiplied: a zero after the country code is refused where
/// it is only dialed within the country. It is not removed, because the result could be the number of another phone.
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
        let text = String(decoding: characters, as: UTF8.self)
        let code = text.dropFirst().prefix(Self.countryCodeLength(text.dropFirst()))
        guard !text.dropFirst(1 + code.count).hasPrefix("0") || Self.codesWithZero.contains(String(code)) else {
            return nil
        }
        self.text = text
    }

    /// The country codes after which a zero can be part of the number: Italy and the Vatican, Côte d'Ivoire, Burkina
    /// Faso, Benin, the Republic of the Congo, San Marino, satellite networks, and Tajikistan.
    private static let codesWithZero: Set = ["39", "225", "226", "229", "242", "378", "379", "881", "992"]

    /// The country codes of two digits (ITU-T E.164, annex: list of assigned country codes).
    private static let codesOfTwoDigits: Set = [
        "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48", "49",
        "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81", "82", "84",
        "86", "90", "91", "92", "93", "94", "95", "98",
    ]

    /// Returns the number of digits of the country code: 1 in North America, Russia and Kazakhstan, else 2 or 3.
    private static func countryCodeLength(_ digits: Substring) -> Int {
        if digits.hasPrefix("1") || digits.hasPrefix("7") { return 1 }
        return codesOfTwoDigits.contains(String(digits.prefix(2))) ? 2 : 3
    }

    /// The last four digits, by which the user recognizes the number.
    var suffix: String { String(text.suffix(4)) }
}
