// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8259, and the points it leaves open: every text has one meaning, or is refused.
@Suite struct JSONReaderTests {
    // MARK: Compared with another reader

    @Test(.rule("T-093"), arguments: 0..<20)
    func `texts that Foundation reads have the same value here`(seed: UInt64) throws {
        var json = RandomJSON(seed: seed)
        for _ in 0..<25 {
            let text = Array(json.text().utf8)
            let ours = PlainJSON(try JSONDocument.read(text).root)
            #expect(ours == (try PlainJSON.foundation(text)), "\(String(decoding: text, as: UTF8.self))")
        }
    }

    /// Every kind of token, escape and UTF-8 sequence, without numbers that one changed byte could move out of the
    /// range of `Double`.
    static let sample = Array(
        "{\"a\":[1,-2.5e1,true,false,null],\"é\":\"\\u00e9\\ud83d\\ude00€😀\\n\",\"b\":{\"\":\"\"}} ".utf8
    )

    @Test(.rule("T-093"))
    func `no prefix of a document is a valid document`() throws {
        let text = Self.sample.dropLast()
        _ = try JSONDocument.read(Array(text))
        for length in 0..<text.count {
            #expect(throws: JSONError.self) { try JSONDocument.read(Array(text.prefix(length))) }
        }
    }

    @Test(.rule("T-093"), arguments: sample.indices)
    func `a document with one changed byte is refused or has the value that Foundation reads`(offset: Int) throws {
        var text = Self.sample
        for byte in UInt8.min...UInt8.max {
            text[offset] = byte
            guard let document = try? JSONDocument.read(text) else { continue }
            #expect(PlainJSON(document.root) == (try PlainJSON.foundation(text)), "byte \(byte)")
        }
    }

    @Test(.rule("T-093"), arguments: sample.indices)
    func `a document with one byte removed or repeated is refused or has the value that Foundation reads`(offset: Int)
        throws
    {
        var removed = Self.sample
        removed.remove(at: offset)
        var doubled = Self.sample
        doubled.insert(doubled[offset], at: offset)
        for text in [removed, doubled] {
            guard let document = try? JSONDocument.read(text) else { continue }
            #expect(PlainJSON(document.root) == (try PlainJSON.foundation(text)))
        }
    }

    // MARK: Limits

    @Test(.rule("T-092"), arguments: [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")])
    func `the nesting depth is limited`(opening: String, closing: String) throws {
        let step = opening.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        func nested(_ depth: Int, innermost: String) -> [UInt8] {
            let repeats = depth / step
            return Array(
                (String(repeating: opening, count: repeats) + innermost + String(repeating: closing, count: repeats))
                    .utf8
            )
        }
        _ = try JSONDocument.read(nested(Limits.jsonDepth, innermost: "0"))
        _ = try JSONDocument.read(nested(Limits.jsonDepth - step, innermost: "[]"))
        #expect(throws: JSONError.self) { try JSONDocument.read(nested(Limits.jsonDepth, innermost: "[]")) }
        #expect(throws: JSONError.self) { try JSONDocument.read(nested(Limits.jsonDepth, innermost: "{}")) }
    }

    @Test(.rule("T-092"))
    func `the depth limit counts open containers, not closed ones`() throws {
        let list = [String](repeating: "[[]]", count: 50).joined(separator: ",")
        let text = Array("[\(list)]".utf8)
        _ = try JSONDocument.read(text, limits: JSONLimits(bytes: text.count, depth: 3, members: 1))
        #expect(throws: JSONError.self) {
            try JSONDocument.read(text, limits: JSONLimits(bytes: text.count, depth: 2, members: 1))
        }
    }

    @Test(.rule("T-092"), arguments: ["[", "{\"a\":", "[[{\"a\":", " "])
    func `a million opening brackets are refused at once`(opening: String) {
        let text = Array(String(repeating: opening, count: 1_000_000).utf8)
        let limits = JSONLimits(bytes: text.count, depth: 16, members: 16)
        let time = processorTime {
            #expect(throws: JSONError.self) { try JSONDocument.read(text, limits: limits) }
        }
        #expect(time < .seconds(5))
    }

    @Test
    func `the number of members is limited for each object, and not in total`() throws {
        func object(_ count: Int) -> String {
            "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        }
        _ = try JSONDocument.read(Array(object(Limits.jsonMembers).utf8))
        _ = try JSONDocument.read(Array("[\(object(Limits.jsonMembers)),\(object(Limits.jsonMembers))]".utf8))
        let error = #expect(throws: JSONError.self) {
            try JSONDocument.read(Array(object(Limits.jsonMembers + 1).utf8))
        }
        #expect(error?.reason.contains("128 members") == true)
    }

    @Test
    func `the number of bytes is limited`() throws {
        let limits = JSONLimits(bytes: 10, depth: 2, members: 2)
        #expect(try JSONDocument.read(Array("[\"123456\"]".utf8), limits: limits).root.elements?.count == 1)
        #expect(throws: JSONError.self) { try JSONDocument.read(Array("[\"1234567\"]".utf8), limits: limits) }
        #expect(throws: JSONError.self) { try JSONDocument.read(Array("[\"123456\"] ".utf8), limits: limits) }
    }

    /// Names are compared pair by pair, and anybody can send a token: resolving escapes anew for each pair would take
    /// some 100,000 of these steps for a single token of 12 KiB.
    @Test
    func `member names with escapes cost little more than names without`() throws {
        func object(_ digits: [String]) -> [UInt8] {
            let names = (0..<Limits.jsonMembers).map { number in
                (0..<14).map { digits[number >> $0 & 1] }.joined()
            }
            return Array(("{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}").utf8)
        }
        func quickest(_ text: [UInt8]) throws -> Duration {
            let times = try (0..<3).map { _ in
                try processorTime { _ = try JSONDocument.read(text) }
            }
            return times.min() ?? .zero
        }
        let plain = try quickest(object(["aaaaaa", "bbbbbb"]))
        let escaped = try quickest(object(["\\u0061", "\\u0062"]))
        #expect(escaped < plain * 24, "\(escaped) against \(plain)")
    }

    /// A lookup compares a name with all names of the document, before the signature is verified.
    @Test(.rule("T-093"))
    func `looking up many names with escapes costs little`() throws {
        func quickest(_ text: String) throws -> Duration {
            let text = Array(text.utf8)
            let times = try (0..<3).map { _ in
                try processorTime {
                    let root = try JSONDocument.read(text).root
                    for number in 0..<50 { _ = root["name\(number)"] }
                }
            }
            return times.min() ?? .zero
        }
        let plain = try quickest("{\"\(String(repeating: "aaaaaa", count: 2000))\":1}")
        let escaped = try quickest("{\"\(String(repeating: "\\u0061", count: 2000))\":1}")
        #expect(escaped < plain * 24 + .milliseconds(20), "\(escaped) against \(plain)")
    }

    /// The resolved names of one object are discarded with it.
    @Test(.rule("T-093"))
    func `many objects with escaped names cost little more than objects without escapes`() throws {
        func quickest(_ name: String) throws -> Duration {
            let text = Array("[\([String](repeating: "{\"\(name)\":1}", count: 4000).joined(separator: ","))]".utf8)
            let times = try (0..<3).map { _ in
                try processorTime { _ = try JSONDocument.read(text, limits: .keySet) }
            }
            return times.min() ?? .zero
        }
        let (plain, escaped) = (try quickest("aaaaaa"), try quickest("\\u0061"))
        #expect(escaped < plain * 24, "\(escaped) against \(plain)")
    }

    // MARK: Names

    static let duplicates = [
        "{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":1,\"\\u0061\":1}", "{\"\\u0061\":1,\"a\":1}",
        "{\"\":1,\"\":2}", "{\"x\":{\"a\":1,\"a\":2}}", "[[{\"a\":1,\"\\u0061\":2}]]", "{\"/\":1,\"\\/\":1}",
        "{\"😀\":1,\"\\ud83d\\ude00\":1}", "{\"\\u00E9\":1,\"\\u00e9\":1}", "{\"a\":{},\"b\":[{\"c\":1}],\"a\":null}",
        "{\"__proto__\":1,\"__proto__\":1}", "{\"\\u0000\":1,\"\\u0000\":1}",
    ]

    @Test(.rule("T-094"), arguments: duplicates)
    func `a duplicate member name is refused`(text: String) {
        let error = #expect(throws: JSONError.self) { try JSONDocument.read(Array(text.utf8)) }
        #expect(error?.reason.contains("duplicate") == true)
    }

    @Test(
        .rule("T-094"),
        arguments: [
            "{\"a\":1,\"A\":1}", "{\"a\":{\"a\":{\"a\":1}}}", "[{\"a\":1},{\"a\":1}]",
            "{\"a\":1,\"a \":1,\"aa\":1,\"\":1}",
            "{\"\\u00e9\":1,\"e\\u0301\":1}", "{\"a\":1,\"a\\u0000\":1}", "{\"\\\\u0061\":1,\"a\":1}", "{\"a\":\"a\"}",
        ]
    )
    func `names that differ in one byte, or are in different objects, are not duplicates`(text: String) throws {
        _ = try JSONDocument.read(Array(text.utf8))
    }

    // MARK: Errors

    @Test(
        arguments: [
            ("", 0), ("[1,]", 3), ("{\"secret\":secret}", 10), ("\"secret", 7), ("\"se\\xcret\"", 3), ("[1] x", 4),
            ("{\"secret\":1,\"secret\":2}", 12),
        ]
    )
    func `an error states the position and quotes nothing`(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONDocument.read(Array(text.utf8)) }
        #expect(error?.offset == offset)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.hasSuffix("at byte \(offset)") == true)
    }
}
