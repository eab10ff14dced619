// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The fast JSON reader produces the same table as the simple one, or finds the same error at the same byte.
@Suite struct ClearJSONTests {
    // MARK: Any text

    @Test(.rule("T-093"), arguments: 0..<20)
    func `the fast and the simple JSON reader agree on random texts, their prefixes, and with low limits`(seed: UInt64)
        throws
    {
        var json = RandomJSON(seed: seed)
        for _ in 0..<10 {
            let text = Array(json.text().utf8)
            expectNone(Difference.ofJSON(text), text)
            for length in stride(from: 0, to: text.count, by: max(1, text.count / 200)) {
                expectNone(Difference.ofJSON(Array(text.prefix(length))), text)
            }
            for limits in Self.narrow(text.count) { expectNone(Difference.ofJSON(text, limits: limits), text) }
        }
    }

    @Test(.rule("T-093"), arguments: 0..<20)
    func `the fast and the simple JSON reader agree on mutated texts`(seed: UInt64) throws {
        var json = RandomJSON(seed: seed)
        var numbers = SeededNumbers(seed: seed &+ 1000)
        for _ in 0..<20 {
            let text = Array(json.text().utf8)
            for _ in 0..<20 {
                var changed = text
                for _ in 0..<Int.random(in: 1...3, using: &numbers) { Self.change(&changed, &numbers) }
                expectNone(Difference.ofJSON(changed), changed)
                expectNone(Difference.ofJSON(changed, limits: JSONLimits(bytes: 256, depth: 3, members: 3)), changed)
            }
        }
    }

    /// The reader looks at eight bytes of a string together, so each byte is put at each position, with each remainder.
    @Test(.rule("T-088", "T-093"), arguments: 0..<20)
    func `the fast and the simple JSON reader agree on each byte at each position of a string`(length: Int) {
        for place in 0..<length {
            for byte in UInt8.min...UInt8.max {
                var text = Array("[\"\(String(repeating: "a", count: length))\"]".utf8)
                text[2 + place] = byte
                expectNone(Difference.ofJSON(text), text)
            }
        }
    }

    /// Every kind of token and error, so that random texts combine them more often than random bytes would.
    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0061", "\\ud83d", "\\ude00", "\\u00", "{\"a\":1,\"a\":1}",
        "\"a\":1,", "-", "0",
        "1e", "1e+5", ".5", "tru", "true", "nul", " ", "\n", "\0", "\u{1F}", "\u{7F}", "\u{FEFF}", "é", "😀",
        "{\"\":{}}",
    ]
    private static let bytes: [UInt8] = [0x00, 0x1F, 0x22, 0x5C, 0x80, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF]

    private static func change(_ text: inout [UInt8], _ numbers: inout SeededNumbers) {
        let place = Int.random(in: 0...text.count, using: &numbers)
        let end = min(text.count, place + Int.random(in: 0...4, using: &numbers))
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: text.replaceSubrange(place..<end, with: (pieces.randomElement(using: &numbers) ?? "").utf8)
        case 1: text.insert(bytes.randomElement(using: &numbers) ?? 0, at: place)
        case 2: text.removeSubrange(place..<end)
        case 3: text.insert(contentsOf: text[place..<end], at: place)
        default: if place < text.count { text[place] = UInt8.random(in: 0...255, using: &numbers) }
        }
    }

    private static func narrow(_ count: Int) -> [JSONLimits] {
        let bytes = [count - 1, count].map { JSONLimits(bytes: $0, depth: 16, members: 128) }
        let depths = (1...4).map { JSONLimits(bytes: count, depth: $0, members: 128) }
        return bytes + depths + (0...3).map { JSONLimits(bytes: count, depth: 16, members: $0) }
    }

    // MARK: Names

    /// Spellings of a few names, most of them with two spellings.
    private static let spellings = [
        "", "a", "\\u0061", "b", "\\u0062", "ab", "a\\u0062", "/", "\\/", "é", "\\u00e9", "e\u{301}", "\\u0000",
        "\\\\u0061",
    ]
    private static let values = ["0", "{\"a\":[0]}", "[{\"b\":1,\"\\u0061\":{}},\"a\"]"]

    /// Names are compared differently once one of them has an escape, so escapes come first, late, or never.
    @Test(.rule("T-094"), arguments: spellings)
    func `the fast and the simple JSON reader agree on three names in any order and spelling`(first: String) {
        var duplicates = 0
        for (turn, second) in Self.spellings.enumerated() {
            for third in Self.spellings {
                let value = Self.values[turn % Self.values.count]
                let text = Array("{\"\(first)\":\(value),\"\(second)\":\(value),\"\(third)\":0}".utf8)
                expectNone(Difference.ofJSON(text), text)
                if (try? JSONDocument.read(text)) == nil { duplicates += 1 }
            }
        }
        // Each name is one of three, and each is repeated or has another spelling.
        #expect(duplicates >= 14 + 13 + 13)
    }

    /// The fast reader sorts names into 64 buckets, so at least two of 65 names share one.
    @Test(.rule("T-094"), arguments: [63, 64, 65, 66, Limits.jsonMembers, Limits.jsonMembers + 1])
    func `the fast and the simple JSON reader find any duplicate among many names`(count: Int) {
        let names = (0..<count - 1).map { number in
            String(repeating: "x", count: number % 5) + String(number, radix: 36)
                + String(repeating: "y", count: number % 3)
        }
        for again in names.indices {
            for isEscaped in [false, true] {
                let name = isEscaped ? names[again].utf8.map { "\\u00" + String($0, radix: 16) }.joined() : names[again]
                let text = Array(("{" + (names + [name]).map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
                expectNone(Difference.ofJSON(text), text)
                #expect((try? JSONDocument.read(text)) == nil)
            }
        }
        let text = Array(("{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
        #expect((try? JSONDocument.read(text).root.members?.count) == names.count)
    }

    @Test(.rule("T-094"), arguments: 0..<10)
    func `the fast and the simple JSON reader agree on random short names`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<100 {
            let members = (0..<Int.random(in: 2...12, using: &numbers)).map { _ in
                let letters = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
                    ["a", "b", "c", "\\u0061", "\\u0062", "\\u0063"].randomElement(using: &numbers) ?? ""
                }
                return "\"\(letters.joined())\":\(Self.values.randomElement(using: &numbers) ?? "0")"
            }
            let text = Array("{\(members.joined(separator: ","))}".utf8)
            expectNone(Difference.ofJSON(text), text)
        }
    }

    /// Lookup of a name has a fast path too, by its length and its first byte.
    @Test(.rule("T-095"), arguments: 0..<20)
    func `each member is found by its own name only`(seed: UInt64) throws {
        var json = RandomJSON(seed: seed)
        for _ in 0..<25 { expectFound(try JSONDocument.read(Array(json.text().utf8)).root) }
    }

    private func expectFound(_ value: JSONValue) {
        for (name, member) in value.members ?? [] {
            #expect(value[name].map { $0 == member && $0.kind == member.kind } == true)
            for other in [name + "a", "a" + name, String(name.dropLast()), name.uppercased() + "\0"] {
                let isThere = value.members?.contains { $0.name.utf8.elementsEqual(other.utf8) } == true
                #expect((value[other] != nil) == isThere)
            }
            expectFound(member)
        }
        for element in value.elements ?? [] { expectFound(element) }
    }

    // MARK: Limits

    @Test(.rule("T-092"), arguments: ["[", "{\"a\":", "[{\"a\":", "[0,["])
    func `the fast and the simple JSON reader stop at the same depth`(opening: String) {
        for count in 0...20 {
            let text = Array(String(repeating: opening, count: count).utf8)
            expectNone(Difference.ofJSON(text), text)
            expectNone(Difference.ofJSON(text + Array("0".utf8)), text)
            expectNone(Difference.ofJSON(text + Array("\u{22}".utf8)), text)
        }
    }

    @Test(arguments: [0, 1, 2, 127, 128, 129, 300])
    func `the fast and the simple JSON reader stop at the same number of members`(count: Int) {
        for separator in [",", " , ", ",\n"] {
            let members = (0..<count).map { "\"\($0)\" : \($0)" }.joined(separator: separator)
            for end in ["}", ",}", ",\"x\":0}", "", ","] {
                expectNone(Difference.ofJSON(Array("{\(members)\(end)".utf8)), [])
            }
        }
    }
}

private func expectNone(_ difference: String?, _ text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    guard let difference else { return }
    Issue.record("\(difference): \(String(decoding: text, as: UTF8.self))", sourceLocation: sourceLocation)
}
