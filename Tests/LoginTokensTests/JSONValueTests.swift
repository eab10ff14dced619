// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTokens
internal import TestSupport
internal import Testing

/// An accessor of a JSON value returns the value of its type or nil: it never converts.
@Suite struct JSONValueTests {
    static let kinds: [(String, JSONValue.Kind)] = [
        ("null", .null), ("true", .boolean), ("false", .boolean), ("1", .number), ("\"\"", .string), ("[]", .array),
        ("{}", .object),
    ]

    @Test(arguments: kinds)
    func `a value has one type, and is nil as any other`(text: String, kind: JSONValue.Kind) throws {
        let value = try read(text)
        #expect(value.kind == kind)
        #expect((value.boolean != nil) == (kind == .boolean))
        #expect((value.number != nil) == (kind == .number))
        #expect((value.integer != nil) == (kind == .number))
        #expect((value.string != nil) == (kind == .string))
        #expect((value.elements != nil) == (kind == .array))
        #expect((value.members != nil) == (kind == .object))
        #expect(value["a"] == nil)
    }

    @Test(
        arguments: [
            (#""""#, ""), (#""abc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\ud83d\ude00!""#, "😀!"), (#""\u0000""#, "\u{0}"), (#""a\\u0041""#, "a\\u0041"),
            (#""\uFFFF\uE000""#, "\u{FFFF}\u{E000}"),
            (#""e\u0301""#, "e\u{301}"), (#""😀é""#, "😀é"),
        ]
    )
    func `the escapes of a string are decoded`(text: String, expected: String) throws {
        let string = try #require(read(text).string)
        #expect(Array(string.utf8) == Array(expected.utf8))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("21", 21), ("21.0", 21), ("2.1e1", 21), ("210E-1", 21),
            ("1e9", 1_000_000_000),
            ("-9223372036854775808", Int.min), ("9223372036854775807", Int.max),
            ("9007199254740993", 9_007_199_254_740_993), ("9007199254740993.0", 9_007_199_254_740_993),
            ("123456789012345e3", 123_456_789_012_345_000), ("-1.50e1", -15), ("0.10e1", 1), ("-100e-2", -1),
            ("9.223372036854775807e18", Int.max), ("0e99999999999999999999", 0), ("0.000", 0),
        ]
    )
    func `a whole number is an integer in any notation`(text: String, expected: Int) throws {
        #expect(try read(text).integer == expected)
    }

    @Test(
        arguments: [
            "21.5", "1e-1", "1e19", "1e300", "1e400", "9223372036854775808", "-9223372036854775809",
            "9007199254740992.5", "1e-400", "-10e-2", "1e99999999999999999999", "1e-99999999999999999999", "5e-324",
            "0.1", "\"21\"", "true", "[21]",
        ]
    )
    func `a fraction or an out-of-range number is not an integer`(text: String) throws {
        #expect(try read(text).integer == nil)
    }

    @Test(arguments: [("1.5", 1.5), ("-0.25e2", -25), ("1e300", 1e300), ("1E-400", 0), ("0.1", 0.1)])
    func `a number is rounded to the nearest Double`(text: String, expected: Double) throws {
        #expect(try read(text).number == expected)
    }

    @Test(arguments: ["1e400", "-1e400", "\"1\"", "true", "null"])
    func `a number beyond the range of Double has no value`(text: String) throws {
        #expect(try read(text).number == nil)
    }

    @Test(.rule("T-093"))
    func `a number of a thousand digits is read`() throws {
        let digits = String(repeating: "9", count: 1000)
        #expect(try read(digits).number == nil)
        #expect(try read(digits).integer == nil)
        #expect(try read("0.\(digits)").number == 1)
        #expect(try read("1e\(digits)").number == nil)
        #expect(try read("1e-\(digits)").number == 0)
    }

    @Test
    func `members are found by their exact name and listed in order`() throws {
        let value = try read(#"{"b":[{"c":1}],"a":{"b":2},"\u00e9":3,"":4}"#)
        #expect(value.members?.map(\.name) == ["b", "a", "é", ""])
        #expect(value["b"]?.elements?.first?["c"]?.integer == 1)
        #expect(value["a"]?["b"]?.integer == 2)
        #expect(value["\u{E9}"]?.integer == 3)
        #expect(value["e\u{301}"] == nil)
        #expect(value[""]?.integer == 4)
        #expect(value["c"] == nil)
        #expect(value["B"] == nil)
    }

    @Test(
        arguments: [
            (#"{"a":1,"b":[true]}"#, #" { "b" : [ true ] , "\u0061" : 1 } "#), ("1", "1.0"), ("10", "1e1"), ("-0", "0"),
            (#""é""#, #""\u00e9""#), ("1e400", "1e400"), ("[]", "[ ]"), ("null", "null"),
        ]
    )
    func `values are equal regardless of notation`(first: String, second: String) throws {
        #expect(try read(first) == read(second))
        #expect(try read(second) == read(first))
    }

    @Test(
        arguments: [
            ("1", "\"1\""), ("0", "false"), ("null", "false"), ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("[]", "{}"),
            (#"{"a":1}"#, #"{"a":1,"b":1}"#), (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"A":1}"#),
            (#""é""#, #""e\u0301""#),
            ("9007199254740993", "9007199254740992"), ("1e400", "2e400"), ("true", "false"), (#""a""#, #""a\u0000""#),
        ]
    )
    func `different values are not equal`(first: String, second: String) throws {
        #expect(try read(first) != read(second))
        #expect(try read(second) != read(first))
    }

    @Test(.rule("T-093"), arguments: 0..<10)
    func `an encoded value decodes to an equal value`(seed: UInt64) throws {
        var json = RandomJSON(seed: 1000 + seed)
        for _ in 0..<10 {
            let value = try read(json.text())
            let encoded = try JSONEncoder().encode(value)
            #expect(PlainJSON(value) == (try PlainJSON.foundation(Array(encoded))))
        }
    }

    @Test
    func `neither the description nor a dump of a value shows its content`() throws {
        let value = try read(#"{"email":"secret"}"#)
        var dumped = ""
        dump(value, to: &dumped)
        for text in [value.description, value.debugDescription, "\(value)", dumped, String(reflecting: [value])] {
            #expect(!text.contains("secret") && !text.contains("email"))
        }
        #expect(value.description == "JSON object")
    }

    private func read(_ text: String) throws -> JSONValue {
        try JSONDocument.read(Array(text.utf8)).root
    }
}
