// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// JSON that two parsers may read differently is refused in a header, in a payload and in a key set, even if nothing
/// uses the member in question.
@Suite struct StrictJSONTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    /// A JSON part of a token, and the code of the refusal when that part is invalid.
    enum Part: String, CaseIterable {
        case header, payload

        var refusal: VerificationCode { self == .header ? .header : .payload }
    }

    // MARK: Text

    /// After table 3-7 of the Unicode Standard.
    static let invalidUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF],
        [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x94], [0xF0, 0x9F, 0x28, 0x91], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    @Test(.rule("T-088"), arguments: Part.allCases, invalidUTF8)
    func `invalid UTF-8 is refused`(part: Part, bytes: [UInt8]) {
        for text in [quote(bytes), quote(Array("a".utf8) + bytes + Array("b".utf8)), quote(bytes + bytes)] {
            expectRefusal(part.refusal) { try verify(part, value: text) }
        }
        expectRefusal(part.refusal) { try verify(part) { splice($0, name: bytes, value: Array("1".utf8)) } }
        #expect(throws: KeySetError.self) { try JSONWebKeySet(json: splice(keySet, name: bytes, value: [0x31])) }
    }

    @Test(.rule("T-088"), arguments: Part.allCases)
    func `the first and the last character of each encoded length are accepted`(part: Part) throws {
        for scalar in [
            "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
        ] {
            try verify(part, value: quote(Array(scalar.utf8)))
        }
    }

    @Test(.rule("T-088"))
    func `two bytes are valid UTF-8 exactly if the standard library accepts them`() {
        for first in UInt8(0x80)...0xFF {
            for second in UInt8(0x80)...0xFF {
                let isValid = String(validating: [first, second], as: UTF8.self) != nil
                #expect(isValid == ((try? JSONDocument.read(quote([first, second]))) != nil))
            }
        }
    }

    @Test(.rule("T-089"), arguments: Part.allCases)
    func `a byte order mark is refused`(part: Part) throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        expectRefusal(part.refusal) { try verify(part) { mark + $0 } }
        expectRefusal(part.refusal) { try verify(part) { $0 + mark } }
        try verify(part, value: quote(mark))
    }

    @Test(.rule("T-090"), arguments: Part.allCases, [[1, 0], [0, 1], [1, 0, 0, 0], [0, 0, 0, 1]])
    func `UTF-16 and UTF-32 are refused`(part: Part, unit: [UInt8]) {
        func widen(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { byte in unit.map { $0 * byte } } }
        expectRefusal(part.refusal) { try verify(part, widen) }
        expectRefusal(part.refusal) { try verify(part) { widen([0]) + widen($0) } }
        #expect(throws: KeySetError.self) { try JSONWebKeySet(json: widen(keySet)) }
    }

    @Test(
        .rule("T-091"),
        arguments: Part.allCases,
        [
            #"\ud800"#, #"\udfff"#, #"\uDBFFa"#, #"\ud800\ud800"#, #"\udc00\ud800"#, #"\ud800\u0041"#,
            #"\ud800\\udc00"#,
            #"\ud83d \ude00"#,
        ]
    )
    func `a surrogate without its counterpart is refused`(part: Part, text: String) {
        expectRefusal(part.refusal) { try verify(part, value: quote(Array(text.utf8))) }
    }

    @Test(.rule("T-091"), arguments: Part.allCases)
    func `a surrogate pair is one character`(part: Part) throws {
        try verify(part, value: quote(Array(#"\ud83d\uDE00"#.utf8)))
        try verify(part, value: quote(Array(#"\ud7ff\ue000"#.utf8)))
    }

    @Test(
        .rule("T-096"),
        arguments: Part.allCases,
        [#"\x41"#, #"\u12"#, #"\u12G4"#, #"\U0041"#, #"\'"#, #"\0"#, #"\"#, #"\u+041"#]
    )
    func `an unknown escape is refused`(part: Part, text: String) {
        expectRefusal(part.refusal) { try verify(part, value: quote(Array(text.utf8))) }
    }

    @Test(.rule("T-096"), arguments: Part.allCases)
    func `a control character in a string is refused`(part: Part) throws {
        for byte in UInt8.min..<0x20 {
            expectRefusal(part.refusal) { try verify(part, value: quote([byte])) }
        }
        try verify(part, value: quote([0x20, 0x7F]))
    }

    // MARK: Structure

    @Test(.rule("T-092"), arguments: Part.allCases)
    func `nesting deeper than 16 is refused`(part: Part) throws {
        // The part itself is the first level.
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: 0x5B, count: depth) + Array(repeating: 0x5D, count: depth)
        }
        try verify(part, value: nested(Limits.jsonDepth - 1))
        expectRefusal(part.refusal) { try verify(part, value: nested(Limits.jsonDepth)) }
        expectRefusal(part.refusal) { try verify(part, value: Array(repeating: 0x5B, count: 1000)) }
    }

    @Test(.rule("T-092"))
    func `a key set of 250,000 brackets is refused`() {
        #expect(throws: KeySetError.self) {
            try JSONWebKeySet(json: [UInt8](repeating: UInt8(ascii: "["), count: Limits.keySetBytes))
        }
    }

    @Test(
        .rule("T-094"),
        arguments: Part.allCases,
        [
            #"1,"x":1"#, #"1,"\u0078":2"#, #"1,"\u0061lg":"RS256","i\u0073s":"x""#, #"{"a":1,"a":1}"#,
            #"[{"b":[{"a":1,"\u0061":2}]}]"#,
        ]
    )
    func `a duplicate member name is refused`(part: Part, text: String) {
        expectRefusal(part.refusal) { try verify(part, value: Array(text.utf8)) }
        #expect(throws: KeySetError.self) {
            try JSONWebKeySet(json: splice(keySet, name: [0x78], value: Array("\(text),\"keys\":[]".utf8)))
        }
    }

    @Test(.rule("T-094"))
    func `each claim and header parameter that is checked can occur once only`() {
        for name in ["alg", "kid", "typ"] {
            expectRefusal(.header) { try verify(.header) { splice($0, name: Array(name.utf8), value: quote([0x78])) } }
        }
        for name in ["iss", "aud", "sub", "exp", "iat"] {
            expectRefusal(.payload) { try verify(.payload) { splice($0, name: Array(name.utf8), value: [0x31]) } }
        }
    }

    @Test(.rule("T-095"), arguments: ["EXP", "Exp", "\u{4D5}xp", "exp ", "e\u{78}\u{301}p", "ｅxp", "exp\u{0}"])
    func `a claim name in another spelling is another claim`(name: String) throws {
        try bench.verify { $0.claims[name] = 1 }
        let refusal = expectRefusal(.missingClaim) {
            try bench.verify { token in
                token.claims[name] = token.claims["exp"]
                token.claims["exp"] = nil
            }
        }
        #expect(refusal?.member == "exp")
    }

    /// Letters that become other letters when case is folded: the Turkish İ, the long s, the Kelvin sign.
    @Test(.rule("T-095"))
    func `names are compared without case folding or normalization`() throws {
        for name in ["İss", "ıss", "ISS", "is\u{17F}"] {
            try bench.verify { $0.claims[name] = "https://other.example" }
            expectRefusal(.missingClaim) {
                try bench.verify { token in
                    token.claims[name] = token.claims["iss"]
                    token.claims["iss"] = nil
                }
            }
        }
        for name in ["\u{212A}id", "KID", "Kid"] {
            try bench.verify { $0.header[name] = "other" }
        }
        expectRefusal(.algorithm) {
            try bench.verify { $0.header = ["ALG": "RS256", "Alg": "RS256"] }
        }
    }

    // MARK: Syntax

    static let noJSON = [
        "NaN", "Infinity", "-Infinity", "nan", "undefined", "True", "TRUE", "nul", "nulll", "0x10", "01", "-01", "00",
        "+1",
        ".5", "1.", "1.e5", "1e", "1e+", "-", "--1", "1_000", "1.2.3", "'a'", "a", "[1,]", "[,1]", "[1 2]", "[1", "1]",
        "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}",
        "1 // x",
        "1 /* x */", "# x", "\"a", "\"a\"\"b\"", "\u{A0}1", "\u{2028}1", "\u{B}1", "\u{C}1", "",
    ]

    @Test(.rule("T-096"), arguments: Part.allCases, noJSON)
    func `text that only resembles JSON is refused`(part: Part, text: String) {
        expectRefusal(part.refusal) { try verify(part, value: Array(text.utf8)) }
    }

    @Test(.rule("T-096"), arguments: Part.allCases)
    func `every construct of JSON is accepted`(part: Part) throws {
        for text in ["0", "-0", "1e300", "1E+5", "0.0e-0", "[]", "{}", "[ 1 , 2 ]", " null ", "\t\"\"\r\n", "1e400"] {
            try verify(part, value: Array(text.utf8))
        }
    }

    @Test(.rule("T-096"), arguments: Part.allCases)
    func `a trailing comma or a comment is refused`(part: Part) {
        for ending in [",}", ",,}", "/**/}", "}//", "}#"] {
            expectRefusal(part.refusal) { try verify(part) { $0.dropLast() + Array(ending.utf8) } }
        }
    }

    @Test(
        .rule("T-097"),
        arguments: Part.allCases,
        ["{}", "}", "]", ",", "x", "\u{0}", "null", "\u{A0}", "\u{B}", "\"", ";"]
    )
    func `anything but white space after the object is refused`(part: Part, text: String) throws {
        expectRefusal(part.refusal) { try verify(part) { $0 + Array(text.utf8) } }
        expectRefusal(part.refusal) { try verify(part) { $0 + Array(" \n\(text)".utf8) } }
        expectRefusal(part.refusal) { try verify(part) { Array(text.utf8) + $0 } }
    }

    @Test(.rule("T-097"), arguments: Part.allCases)
    func `white space around the object is accepted`(part: Part) throws {
        try verify(part) { $0 + Array(" \t\r\n".utf8) }
        try verify(part) { Array(" \t\r\n".utf8) + $0 }
    }

    // MARK: Names and values that mislead other readers

    @Test(
        .rule("T-098"),
        arguments: ["__proto__", "constructor", "toString", "hasOwnProperty", "", "keys", "0", "length"]
    )
    func `names with a special meaning in other languages are ordinary names`(name: String) throws {
        let token = try bench.verify { token in
            token.header[name] = ["alg": "none"]
            token.claims[name] = ["sub": "other", "admin": true]
        }
        #expect(token.subject == "1000000000000001")
        #expect(token.claims[name]?["sub"]?.string == "other")
        #expect(token.claims["admin"] == nil)
        #expect(token.jws.header[name]?["alg"]?.string == "none")
    }

    @Test(.rule("T-099"))
    func `a zero byte does not end a string`() throws {
        let issuer = bench.issuer.provider.issuers[0]
        expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(issuer + "\u{0}.evil.example") } }
        expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(issuer + "\u{0}") } }
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = .string(bench.issuer.audience + "\u{0}") } }
        expectRefusal(.nonce) {
            try bench.verify(nonce: .exactly("n-1")) { $0.claims["nonce"] = "n-1\u{0}" }
        }
        let token = try bench.verify { $0.claims["x"] = "a\u{0}b" }
        #expect(token.claims["x"]?.string == "a\u{0}b")
    }

    // MARK: Helpers

    /// Verifies a correctly signed token after a change to the bytes of one part.
    @discardableResult
    private func verify(_ part: Part, _ change: ([UInt8]) -> [UInt8]) throws -> VerifiedToken {
        var header: [UInt8] = []
        var payload: [UInt8] = []
        _ = bench.issuer.token { token in
            header = Array(token.header.text.utf8)
            payload = Array(token.claims.text.utf8)
        }
        switch part {
        case .header: header = change(header)
        case .payload: payload = change(payload)
        }
        return try bench.verify(text: TestToken.compact(header: header, payload: payload))
    }

    /// Verifies a token with one more member of this value in one part.
    @discardableResult
    private func verify(_ part: Part, value: [UInt8]) throws -> VerifiedToken {
        try verify(part) { splice($0, name: [0x78], value: value) }
    }

    /// Returns the object with one more member.
    private func splice(_ object: [UInt8], name: [UInt8], value: [UInt8]) -> [UInt8] {
        Array("{".utf8) + quote(name) + Array(":".utf8) + value + Array(",".utf8) + object.dropFirst()
    }

    private func quote(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
    }

    private var keySet: [UInt8] { Array(bench.issuer.keySet.text.utf8) }
}
