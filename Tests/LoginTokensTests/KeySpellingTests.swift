// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The spellings of a published key that have one reading, and those that have none or two.
@Suite struct KeySpellingTests {
    /// A text in one of its spellings, and whether it can be read.
    struct Spelling: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let respelled: @Sendable ([UInt8]) -> String

        init(_ name: String, _ respelled: @escaping @Sendable ([UInt8]) -> String) {
            testDescription = name
            self.respelled = respelled
        }
    }

    private static func url(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    private static func plain(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private static func padding(_ bytes: [UInt8]) -> String { String(plain(bytes).drop { $0 != "=" }) }

    private static func lines(_ text: String, of width: Int, _ end: String) -> String {
        stride(from: 0, to: text.utf8.count, by: width).map { String(text.dropFirst($0).prefix(width)) + end }.joined()
    }

    static let clear = [
        Spelling("base64url", url), Spelling("base64url with padding") { url($0) + padding($0) },
        Spelling("base64", plain), Spelling("base64 without padding") { plain($0).replacing("=", with: "") },
        Spelling("a line break at the end") { url($0) + "\n" },
        Spelling("a line break at the beginning") { "\r\n" + plain($0) },
        Spelling("lines of PEM") { lines(plain($0), of: 64, "\n") },
        Spelling("lines of MIME") { lines(plain($0), of: 76, "\r\n") },
        Spelling("lines of one character") { lines(url($0), of: 1, "\r") },
        Spelling("line breaks around the padding") { url($0) + "\n" + padding($0).map { "\($0)\n" }.joined() },
    ]

    static let unclear = [
        Spelling("a space") { url($0) + " " }, Spelling("a tab") { "\t" + url($0) },
        Spelling("a form feed") { url($0) + "\u{C}" }, Spelling("a line separator") { url($0) + "\u{2028}" },
        Spelling("a space inside") { url($0).prefix(3) + " " + url($0).dropFirst(3) },
        Spelling("a zero byte") { url($0) + "\0" }, Spelling("a letter that is not ASCII") { url($0) + "é" },
        Spelling("one character of padding too many") { plain($0) + "=" },
        Spelling("four characters of padding") { url($0) + "====" },
        Spelling("padding before the end") { "A=" + url($0) },
        Spelling("an escaped line break") { url($0) + "\\n" },
        Spelling("a percent-encoded character") { url($0) + "%3D" },
        Spelling("a character too many") { url($0 + [0, 0, 0].prefix(3 - $0.count % 3)) + "A" },
        Spelling("hexadecimal digits and a prefix") { "0x" + $0.map { String($0, radix: 16) }.joined() + "." },
        Spelling("line breaks only") { _ in "\n\r\n" }, Spelling("nothing") { _ in "" },
    ]

    static let members: [(SignatureAlgorithm, String)] = [
        (.rs256, "n"), (.rs256, "e"), (.es256, "x"), (.es384, "y"), (.es512, "x"), (.edDSA, "x"),
    ]

    @Test(.rule("T-057"), arguments: members, clear)
    func `a key is the same in each clear spelling`(member: (SignatureAlgorithm, String), spelling: Spelling) throws {
        let json = KeyFixture.key(member.0).json
        let respelled = json.with(member.1, .string(spelling.respelled(try json.decoded(member.1))))
        let thumbprint = try JSONWebKey(json: json.text).thumbprint
        #expect(try JSONWebKey(json: respelled.text).thumbprint == thumbprint)
    }

    @Test(.rule("T-057"), arguments: members, unclear)
    func `a key that has no clear reading is refused`(member: (SignatureAlgorithm, String), spelling: Spelling) throws {
        let json = KeyFixture.key(member.0).json
        let respelled = json.with(member.1, .string(spelling.respelled(try json.decoded(member.1))))
        #expect(KeyFixture.reason(respelled) == .malformed)
    }

    @Test(.rule("T-057"))
    func `the characters of base64 and base64url are not mixed, and are equal otherwise`() {
        // 0xFB 0xFF in each group: "-_" or "+/".
        let bytes = [UInt8](repeating: 0xFB, count: 3) + [0xFF, 0xBF]
        for (text, isClear) in [("-_v7-_-_", true), ("+/v7+/+/", true), ("-/v7-_-_", false), ("-_v7-_+_", false)] {
            #expect((Base64.decodeAnySpelling(text.utf8) != nil) == isClear, "\(text)")
        }
        #expect(Base64.decodeAnySpelling(Self.url(bytes).utf8) == bytes)
        #expect(Base64.decodeAnySpelling(Self.plain(bytes).utf8) == bytes)
        #expect(Base64.decode(Self.plain(bytes).utf8) == bytes)
        #expect(
            Base64.decode(Self.url(bytes).utf8) == nil && Base64.decode((Self.plain(bytes) + "\n\n\n\n").utf8) == nil
        )
    }

    @Test(.rule("T-057"), arguments: ["AQF", "AQF=", "AR", "AR==", "AQ\nF", "AQ-F="])
    func `unused bits that are not zero are refused in each spelling`(exponent: String) {
        #expect(KeyFixture.reason(TestKey.shared.json.with("e", .string(exponent))) == .malformed)
    }

    @Test(.rule("T-055"), arguments: ["n", "e"], 0...8)
    func `up to eight leading zero bytes of a number are ignored`(name: String, count: Int) throws {
        let json = TestKey.shared.json
        let number = try json.decoded(name)
        let key = try JSONWebKey(json: json.with(name, .encoded([UInt8](repeating: 0, count: count) + number)).text)
        #expect(try key.thumbprint == JSONWebKey(json: json.text).thumbprint && key.bits == 2048)
        // The signature has the length of the modulus without them.
        let bench = try Bench(keys: KeyFixture.snapshot([json.with(name, .encoded([0] + number))], for: TestIssuer()))
        try bench.verify()
    }

    @Test(.rule("T-055"), arguments: ["n", "e"])
    func `zero and numbers with more leading zero bytes are refused`(name: String) throws {
        let json = TestKey.shared.json
        let nine = [UInt8](repeating: 0, count: 9) + (try json.decoded(name))
        #expect(KeyFixture.reason(json.with(name, .encoded(nine))) == .malformed)
        for count in [1, 8, 9, 256] {
            #expect(KeyFixture.reason(json.with(name, .encoded([UInt8](repeating: 0, count: count)))) == .malformed)
        }
    }

    @Test(.rule("T-050", "T-051", "T-055"))
    func `leading zero bytes make no weak number strong`() throws {
        let zeros = [UInt8](repeating: 0, count: 8)
        let modulus = try TestKey.shared.json.decoded("n")
        for weak in [Array(modulus.dropFirst(8)), Array(modulus.dropLast()) + [0xFE]] {
            #expect(KeyFixture.reason(TestKey.shared.json.with("n", .encoded(zeros + weak))) == .weak)
        }
        for weak in [[1], [2], [1, 0, 0, 0, 1]] as [[UInt8]] {
            #expect(KeyFixture.reason(TestKey.shared.json.with("e", .encoded(zeros + weak))) == .weak)
        }
    }

    @Test(.rule("T-060", "T-064"), arguments: [.es256, .es384, .es512, .edDSA] as [SignatureAlgorithm])
    func `a coordinate has exactly its length`(algorithm: SignatureAlgorithm) throws {
        let json = KeyFixture.key(algorithm).json
        let x = try json.decoded("x")
        for other in [[0] + x, x + [0], Array(x.dropFirst())] {
            #expect(KeyFixture.reason(json.with("x", .encoded(other))) == .malformed)
        }
    }

    // MARK: Absent members

    static let optional = [
        "alg", "d", "dp", "dq", "k", "key_ops", "kid", "oth", "p", "q", "qi", "use", "x5c", "x5t", "x5t#S256", "x5u",
    ]

    @Test(.rule("T-057"), arguments: optional, [.null, ""] as [TestJSON])
    func `an optional member that is null or an empty string is absent`(name: String, value: TestJSON) throws {
        let key = try JSONWebKey(json: TestKey.shared.json.with(name, value).text)
        #expect(
            key.notes.isEmpty && (key.keyID == nil) == (name == "kid") && (key.algorithms.count == 6) == (name == "alg")
        )
    }

    @Test(.rule("T-057"), arguments: ["kty", "n", "e"], [.null, ""] as [TestJSON])
    func `a required member that is null or an empty string is missing`(name: String, value: TestJSON) {
        #expect(KeyFixture.reason(TestKey.shared.json.with(name, value)) == .malformed)
    }

    @Test(.rule("T-057"))
    func `members of a key are case-sensitive, and white space is a value`() {
        #expect(KeyFixture.reason(TestKey.shared.json.with("use", " ")) == .use)
        #expect(KeyFixture.reason(TestKey.shared.json.with("alg", "\n")) == .algorithm)
        #expect(KeyFixture.reason(TestKey.shared.json.with("key_ops", [])) == .use)
        #expect(KeyFixture.reason(TestKey.shared.json.with("oth", [])) == .privateKey)
        #expect(KeyFixture.reason(TestKey.shared.json.with("Use", "enc")) == nil)
    }

    // MARK: The document

    @Test(.rule("T-089"))
    func `one byte order mark before a key or a key set is skipped`() throws {
        let (key, mark) = (TestKey.shared.json.text, "\u{FEFF}")
        let set = (["keys": [TestKey.shared.json]] as TestJSON).text
        let thumbprint = try TestKey.shared.publicKey().thumbprint
        #expect(try JSONWebKey(json: mark + key).thumbprint == thumbprint)
        #expect(try JSONWebKeySet(json: mark + set).keys.map(\.thumbprint) == [thumbprint])
        for text in [mark + mark + set, " " + mark + set, set + mark, mark] {
            #expect(throws: KeySetError.self) { try JSONWebKeySet(json: text) }
        }
    }
}
