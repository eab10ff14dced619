// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7515 §7.1: the compact serialization, and nothing around it.
@Suite struct SegmentTests {
    let bench: Bench
    let good: String
    /// The three segments of the valid token.
    let segments: [Substring]

    init() throws {
        bench = try Bench()
        good = bench.issuer.token()
        segments = good.split(separator: ".")
    }

    @Test(.rule("T-001"))
    func `a token of three segments is accepted`() throws {
        try #require(segments.count == 3)
        try bench.verify(text: good)
    }

    @Test(.rule("T-001"), arguments: [1, 2, 4, 6, 7, 50])
    func `any other number of segments is refused`(count: Int) {
        let text = (0..<count).map { String(segments[$0 % 3]) }.joined(separator: ".")
        expectRefusal(.segments) { try bench.verify(text: text) }
    }

    @Test(.rule("T-001"))
    func `five segments are reported as an encrypted token`() {
        expectRefusal(.encryptedToken) { try bench.verify(text: good + ".AA.AA") }
        expectRefusal(.encryptedToken) { try bench.verify(text: "....") }
    }

    @Test(.rule("T-002"))
    func `an empty header or signature is refused`() {
        expectRefusal(.segments) { try bench.verify(text: ".\(segments[1]).\(segments[2])") }
        expectRefusal(.segments) { try bench.verify(text: "\(segments[0]).\(segments[1]).") }
        expectRefusal(.segments) { try bench.verify(text: "..") }
        expectRefusal(.segments) { try bench.verify(text: "") }
    }

    /// A JWS may have an empty payload (RFC 7515 §3.1 allows any octets); an ID token may not.
    @Test(.rule("T-002"))
    func `an empty payload is refused, although its signature is valid`() throws {
        let text = TestToken.compact(header: header(), payload: [])
        try #require(text.contains(".."))
        #expect(try CompactJWS(text).verified(with: keySet()).payload.isEmpty)
        expectRefusal(.payload) { try bench.verify(text: text) }
    }

    @Test(
        .rule("T-003"),
        arguments: [" ", "\t", "\n", "\r", "\r\n", "\0", "\u{FEFF}", "\u{A0}", "\u{200B}", "\u{2028}", "\"", "="]
    )
    func `a token with surrounding characters is refused`(text: String) {
        expectRefusal(.encoding) { try bench.verify(text: text + good) }
        expectRefusal(.encoding) { try bench.verify(text: good + text) }
        expectRefusal(.encoding) { try bench.verify(text: "\(segments[0])\(text).\(segments[1]).\(segments[2])") }
    }

    @Test(.rule("T-003"))
    func `a dot before or after a token is refused`() {
        expectRefusal(.segments) { try bench.verify(text: "." + good) }
        expectRefusal(.segments) { try bench.verify(text: good + ".") }
    }

    @Test(.rule("T-004"))
    func `a flattened JSON serialization is refused`() {
        let text = flattened
        let refusal = expectRefusal(.segments) { try bench.verify(text: text) }
        #expect(refusal?.recognizedAs == .json)
    }

    /// CVE-2022-39227: one text that is valid both as JSON and as a compact token, with different contents.
    @Test(.rule("T-004"))
    func `JSON that holds a compact token is refused`() {
        for text in ["{\" \(good)\":1}", "{\"id_token\":\"\(good)\"}", "[\"\(good)\"]", flattened + good] {
            let refusal = expectRefusal(.encoding) { try bench.verify(text: text) }
            #expect(refusal?.recognizedAs == .json)
        }
    }

    @Test(.rule("T-005"), arguments: ["Bearer ", "bearer ", "BEARER ", "DPoP "])
    func `a token after an authorization scheme is refused and recognized`(scheme: String) {
        let refusal = expectRefusal(.encoding) { try bench.verify(text: scheme + good) }
        #expect(refusal?.recognizedAs == .authorizationHeader)
    }

    @Test(.rule("T-006"))
    func `a general JSON serialization is refused, with one or two valid signatures`() {
        let valid = "{\"protected\":\"\(segments[0])\",\"signature\":\"\(segments[2])\"}"
        let wrong = "{\"protected\":\"\(segments[0])\",\"signature\":\"AAAA\"}"
        for signatures in [[valid], [valid, wrong], [wrong, valid]] {
            let text = "{\"payload\":\"\(segments[1])\",\"signatures\":[\(signatures.joined(separator: ","))]}"
            expectRefusal(.segments) { try bench.verify(text: text) }
        }
    }

    /// RFC 7515 appendix F: a detached payload.
    @Test(.rule("T-007"))
    func `a detached payload is refused`() {
        expectRefusal(.payload) { try bench.verify(text: "\(segments[0])..\(segments[2])") }
    }

    /// RFC 7797: an unencoded payload, which is usually detached too.
    @Test(.rule("T-007"), arguments: [nil, ["b64"]] as [TestJSON?])
    func `an unencoded detached payload is refused`(critical: TestJSON?) {
        let header = header { header in
            header["b64"] = false
            header["crit"] = critical
        }
        expectRefusal(.criticalHeader) { try bench.verify(text: TestToken.compact(header: header, payload: [])) }
    }

    @Test(.rule("T-008"), arguments: ["\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "\u{B7}", "%2E", ","])
    func `no other separator than a dot is accepted`(dot: String) {
        expectRefusal(.segments) { try bench.verify(text: segments.joined(separator: dot)) }
        expectRefusal(.encoding) { try bench.verify(text: "\(good)\(dot)") }
    }

    private var flattened: String {
        "{\"payload\":\"\(segments[1])\",\"protected\":\"\(segments[0])\",\"signature\":\"\(segments[2])\"}"
    }

    private func header(_ change: (inout TestJSON) -> Void = { _ in }) -> [UInt8] {
        var header: TestJSON = ["alg": "RS256"]
        change(&header)
        return Array(header.text.utf8)
    }

    private func keySet() throws -> JSONWebKeySet {
        try JSONWebKeySet(json: bench.issuer.keySet.text)
    }
}
