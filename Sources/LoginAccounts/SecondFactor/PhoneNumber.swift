// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A telephone number with its country (ITU-T E.164): `+`, and 7 to 15 digits, the first not zero.
struct PhoneNumber: Sendable, Hashable {
    /// The number: `+` and digits.
    let text: String

    /// The longest input that is looked at, in bytes.
    private static let longestInput = 32

    /// Reads a number; nil where it is none.
    ///
    /// Spaces and hyphens are left out. Parentheses are not: what stands in them is mostly not to be dialled from abroad, and
    /// who leaves it in has another number.
    ///
    /// - Parameter input: What was typed.
    init?(_ input: String) {
        guard input.utf8.count <= Self.longestInput else { return nil }
        let characters = input.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        let digits = characters.dropFirst()
        guard characters.first == UInt8(ascii: "+"), (7...15).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != UInt8(ascii: "0")
        else { return nil }
        text = String(decoding: characters, as: UTF8.self)
    }

    /// The last four digits, by which its person knows it.
    var suffix: String { String(text.suffix(4)) }
}
