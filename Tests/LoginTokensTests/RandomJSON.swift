// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import TestSupport

/// Random well-formed JSON texts that use the whole grammar: white space, escapes, exponents, any character.
struct RandomJSON {
    private var numbers: SeededNumbers

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
    }

    mutating func text() -> String {
        space() + value(depth: 1) + space()
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 6 ? 10 : 6), using: &numbers) {
        case 0: "null"
        case 1: "true"
        case 2: "false"
        case 3: number()
        case 4, 5: string(beginning: "")
        case 6, 7: list("[", "]") { json, _ in json.value(depth: depth + 1) }
        default:
            // The number makes each name unique, also for parsers that normalize Unicode.
            list("{", "}") { json, index in
                json.string(beginning: String(index)) + json.space() + ":" + json.space() + json.value(depth: depth + 1)
            }
        }
    }

    private mutating func list(
        _ opening: String,
        _ closing: String,
        element: (inout RandomJSON, Int) -> String
    ) -> String {
        let count = Int.random(in: 0..<5, using: &numbers)
        let elements = (0..<count).map { space() + element(&self, $0) + space() }
        return opening + (elements.isEmpty ? space() : elements.joined(separator: ",")) + closing
    }

    /// Returns a number of at most 18 digits and an exponent of at most 99, within the range of `Double`.
    private mutating func number() -> String {
        var text = Bool.random(using: &numbers) ? "-" : ""
        text += String(
            UInt64.random(in: 0..<1_000_000_000, using: &numbers) >> UInt64.random(in: 0..<30, using: &numbers)
        )
        if Bool.random(using: &numbers) { text += ".0" + String(Int.random(in: 0..<10_000, using: &numbers)) }
        if Bool.random(using: &numbers) {
            let sign = ["", "+", "-"].randomElement(using: &numbers) ?? ""
            text += (Bool.random(using: &numbers) ? "e" : "E") + sign + String(Int.random(in: 0..<100, using: &numbers))
        }
        return text
    }

    private mutating func string(beginning: String) -> String {
        let count = Int.random(in: 0..<8, using: &numbers)
        return "\"" + beginning + (0..<count).map { _ in character() }.joined() + "\""
    }

    private mutating func character() -> String {
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0:
            return "\\" + (["\"", "\\", "/", "b", "f", "n", "r", "t"].randomElement(using: &numbers) ?? "n")
        case 1, 2:
            let escapes = scalar().utf16.map { unit in
                let digits = String(unit, radix: 16, uppercase: Bool.random(using: &numbers))
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            return escapes.joined()
        default:
            let scalar = scalar()
            return scalar.value < 0x20 || scalar == "\"" || scalar == "\\" ? "x" : String(scalar)
        }
    }

    private mutating func scalar() -> UnicodeScalar {
        let bounds: [UInt32] = [0x80, 0x800, 0x1_0000, 0x11_0000]
        let bound = bounds.randomElement(using: &numbers) ?? 0x80
        // Nil for surrogates, which are not Unicode scalars.
        return UnicodeScalar(UInt32.random(in: 0..<bound, using: &numbers)) ?? "\u{FFFD}"
    }

    private mutating func space() -> String {
        let count = Int.random(in: 0..<3, using: &numbers)
        return (0..<count).map { _ in [" ", "\t", "\n", "\r"].randomElement(using: &numbers) ?? " " }.joined()
    }
}
