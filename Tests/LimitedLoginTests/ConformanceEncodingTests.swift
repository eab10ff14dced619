// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The encoding of a Limited Login token.
@Suite struct ConformanceEncodingTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(.rule("T-001"), arguments: [0, 1, 3, 5, 6])
    func `2 or 4+ segments are refused: segments`(dots: Int) {
        let parts = bench.token().split(separator: ".")
        let text = (0...dots).map { String(parts[$0 % parts.count]) }.joined(separator: ".")
        expectRefusal(.segments) { try bench.verify(text: text) }
    }

    @Test(.rule("T-084"))
    func `thousands of segments are refused: segments`() {
        expectRefusal(.segments) { try bench.verify(text: String(repeating: ".", count: Limits.tokenBytes)) }
        expectRefusal(.tooLarge) { try bench.verify(text: String(repeating: ".", count: Limits.tokenBytes + 1)) }
    }

    @Test(.rule("T-001"))
    func `5 segments are refused: encrypted-token`() {
        let refusal = expectRefusal(.encryptedToken) { try bench.verify(text: bench.token() + ".iv.tag") }
        #expect(refusal?.recognizedAs == .encryptedToken)
    }

    @Test(.rule("T-004"), arguments: 0...2)
    func `a padded base64 segment is refused: encoding`(segment: Int) {
        expectRefusal(.encoding) { try bench.verify(text: rewritten(segment) { $0 + "=" }) }
    }

    /// Wherever the name begins, its encoding contains the values 62 and 63, which the two alphabets write differently.
    @Test(.rule("T-004"), arguments: [("-", "+"), ("_", "/")])
    func `a std-alphabet base64 segment is refused: encoding`(url: String, standard: String) throws {
        let text = bench.token { $0.claims["name"] = ">>>>????" }
        let parts = text.split(separator: ".")
        let payload = parts[1].replacing(url, with: standard)
        try #require(payload != String(parts[1]))
        try bench.verify(text: text)
        expectRefusal(.encoding) { try bench.verify(text: "\(parts[0]).\(payload).\(parts[2])") }
    }

    /// A signature of 256 bytes leaves four bits of its last character unused: sixteen encodings of one token, one
    /// valid.
    @Test
    func `base64url with non-zero trailing bits is refused: encoding`() throws {
        let text = bench.token()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(text.last.flatMap(alphabet.firstIndex))
        try #require(last % 16 == 0)
        try bench.verify(text: text)
        for bits in 1...15 {
            expectRefusal(.encoding) { try bench.verify(text: text.dropLast() + String(alphabet[last + bits])) }
        }
    }

    @Test(.rule("T-002"))
    func `an empty payload segment is refused: payload`() {
        expectRefusal(.payload) { try bench.verify(text: rewritten(1) { _ in "" }) }
    }

    @Test(.rule("T-009", "T-096", "T-097"), arguments: ["[]", "\"text\"", "null", "1", "", "{", "{\"a\":1,}", "{} {}"])
    func `payload not an object is refused: payload`(payload: String) {
        expectRefusal(.payload) { try bench.verify { $0.claims = .raw(payload) } }
    }

    @Test(
        .rule("T-088"),
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]]
    )
    func `payload with invalid UTF-8 is refused: payload`(bytes: [UInt8]) {
        expectRefusal(.payload) { try verify(claims: { $0["name"] = "X" }, replacing: UInt8(ascii: "X"), by: bytes) }
    }

    @Test(.rule("T-088"))
    func `payload with UTF-8 beyond ASCII is accepted`() throws {
        let token = try verify(claims: { $0["name"] = "X" }, replacing: UInt8(ascii: "X"), by: [0xC3, 0xA9])
        #expect(token.profile.name == "é")
    }

    @Test(.rule("T-094"), arguments: ["\"alg\":\"RS256\"", "\"kid\":\"other\"", "\"\\u0061lg\":\"RS256\""])
    func `a duplicate key in the header is refused: header`(member: String) {
        expectRefusal(.header) { try bench.verify { $0.header = Self.adding(member, to: $0.header) } }
    }

    @Test(
        .rule("T-094"),
        arguments: ["\"sub\":\"1\"", "\"s\\u0075b\":\"1\"", "\"user_location\":{\"id\":\"1\",\"id\":\"1\"}"]
    )
    func `a duplicate key in the payload is refused: payload`(member: String) {
        expectRefusal(.payload) { try bench.verify { $0.claims = Self.adding(member, to: $0.claims) } }
    }

    @Test(.rule("T-095"))
    func `a payload key in another letter case is a different claim`() throws {
        try bench.verify { $0.claims = Self.adding("\"SUB\":\"1\"", to: $0.claims) }
    }

    private static func adding(_ member: String, to object: TestJSON) -> TestJSON {
        .raw(object.text.dropLast() + "," + member + "}")
    }

    /// Returns a valid token with one segment changed.
    private func rewritten(_ segment: Int, _ change: (String) -> String) -> String {
        var parts = bench.token().split(separator: ".").map(String.init)
        parts[segment] = change(parts[segment])
        return parts.joined(separator: ".")
    }

    /// Verifies a token with invalid UTF-8 in its payload.
    private func verify(
        claims change: (inout TestJSON) -> Void,
        replacing mark: UInt8,
        by bytes: [UInt8]
    ) throws -> AuthenticationToken {
        var token: TestToken?
        _ = bench.token {
            change(&$0.claims)
            token = $0
        }
        let made = try #require(token)
        let payload = made.claims.text.utf8.flatMap { $0 == mark ? bytes : [$0] }
        let text = TestToken.compact(header: Array(made.header.text.utf8), payload: payload, key: bench.issuer.key)
        return try bench.verify(text: text)
    }
}
