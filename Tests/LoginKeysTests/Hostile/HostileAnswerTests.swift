// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import Foundation
internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Servers whose responses are well-formed but do not contain the keys.
///
/// The valid keys stay in use after each, and a later valid response is accepted.
@Suite(.timeLimit(.minutes(10))) struct HostileAnswerTests {
    private static let good = TestKey.shared.json
    private static let keys: TestJSON = ["keys": [good], "SECRET": "SECRET"]

    static let statuses: [HostileCase] = [204, 205, 206, 201, 401, 403, 404, 410, 429, 500, 503, 599].map {
        (status: Int) -> HostileCase in
        HostileCase("answers \(status) with good keys", .json(keys, status: status), "status")
    }

    @Test(.rule("T-155"), arguments: statuses)
    func `a response with another status than 200 is ignored`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    static let redirects: [HostileCase] =
        [301, 302, 303, 307, 308].map { (status: Int) -> HostileCase in
            HostileCase(
                "redirects to its own server with \(status)",
                .redirect(to: "/elsewhere", status: status),
                "redirect"
            )
        } + [
            HostileCase("redirects to itself", .redirect(to: "/keys"), "redirect"),
            HostileCase("redirects to a private address", .redirect(to: "http://10.0.0.1/"), "redirect"),
            HostileCase(
                "redirects to the metadata service",
                .redirect(to: "http://169.254.169.254/", status: 307),
                "redirect"
            ),
            HostileCase("redirects to a file", .redirect(to: "file:///etc/passwd", status: 308), "redirect"),
            HostileCase("redirects to nowhere", .respond(status: 302), "redirect"),
            HostileCase("offers a choice", .respond(status: 300), "redirect"),
            HostileCase("says that nothing has changed", .send("HTTP/1.1 304 Not Modified\r\n\r\n"), "redirect"),
            HostileCase(
                "redirects with good keys",
                .json(keys, status: 301, headers: ["Location: /elsewhere"]),
                "redirect"
            ),
        ]

    @Test(.rule("T-153"), arguments: redirects)
    func `a redirect is not followed`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    static let types: [HostileCase] = [
        HostileCase(
            "sends a web page",
            .respond(headers: ["Content-Type: text/html"], body: bytes("<html>")),
            "content-type"
        ),
        HostileCase("calls keys a web page", typed("Content-Type: text/html; charset=utf-8"), "content-type"),
        HostileCase("calls keys plain text", typed("Content-Type: text/plain"), "content-type"),
        HostileCase("calls keys a token", typed("Content-Type: application/jwt"), "content-type"),
        HostileCase("calls keys bytes", typed("Content-Type: application/octet-stream"), "content-type"),
        HostileCase("does not say what it is", .respond(body: bytes(keys.text)), "content-type"),
        HostileCase("says nothing about what it is", typed("Content-Type: "), "content-type"),
        HostileCase(
            "says two things",
            typed("Content-Type: application/json\r\nContent-Type: text/html"),
            "content-type"
        ),
        HostileCase("says one thing twice", typed("Content-Type: application/json, application/json"), "content-type"),
        HostileCase("almost says JSON", typed("Content-Type: application/jsonp"), "content-type"),
    ]

    @Test(.rule("T-157"), arguments: types)
    func `a response that is not declared as JSON is ignored`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    /// Ten million zeros.
    private static let zeros = Deflate.zeros(runs: 40_000)

    static let packed: [HostileCase] =
        ["gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip", "x-none"].map { (encoding: String) -> HostileCase in
            HostileCase(
                "packs keys with \(encoding)",
                .json(keys, headers: ["Content-Encoding: \(encoding)"]),
                "content-encoding"
            )
        } + [
            HostileCase("sends 10 MB packed by gzip", bomb(Deflate.gzip(zeros), "gzip"), "content-encoding"),
            HostileCase("sends 10 MB deflated", bomb(zeros, "deflate"), "content-encoding"),
            HostileCase(
                "sends 10 MB packed, and does not say so",
                bomb(Deflate.gzip(zeros), "identity"),
                "key-set"
            ),
            HostileCase(
                "sends 10 MB deflated, and does not say so",
                bomb(zeros, "identity"),
                "key-set"
            ),
        ]

    @Test(.rule("T-154"), arguments: packed)
    func `a compressed response is not decompressed`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    static let texts: [HostileCase] = [
        text("sends nothing", ""), text("sends a space", " "),
        text("stops within the JSON", String(keys.text.dropLast(2))),
        text("begins with two byte order marks", "\u{FEFF}\u{FEFF}" + keys.text),
        text("ends with more", keys.text + "{}"),
        text("names keys twice", #"{"keys":[],"keys":[\#(good.text)]}"#),
        text("names keys twice, once with an escape", #"{"keys":[\#(good.text)],"\u006Beys":[]}"#),
        text("names a member of a key twice", #"{"keys":[{"kid":"a",\#(good.text.dropFirst())]}"#),
        text("writes for people", "{'keys':[]}"), text("writes a comment", "/* SECRET */" + keys.text),
        text("writes a comma too many", #"{"keys":[\#(good.text),]}"#),
        text("writes NaN", #"{"keys":[\#(good.text)],"x":NaN}"#),
        text("nests 1,000 levels deep", nested(1000)),
        text("nests 100,000 levels deep", String(repeating: "[", count: 100_000)),
        text("hides depth in good keys", #"{"keys":[\#(good.text)],"x":\#(String(repeating: "[", count: 1000))"#),
        text("sends an empty object", "{}"), text("sends keys as an object", #"{"keys":{}}"#),
        text("sends no keys", #"{"keys":[]}"#),
        text("sends keys as null", #"{"keys":null}"#), text("sends keys as text", #"{"keys":"SECRET"}"#),
        text("sends the array only", "[\(good.text)]"), text("sends one key only", good.text),
        text("sends null", "null"),
        text("sends an error", #"{"error":{"message":"SECRET"}}"#),
        text("spells keys in capitals", #"{"KEYS":[\#(good.text)]}"#),
        text("sends what are no keys", #"{"keys":[1,null,"SECRET",[],{}]}"#),
        text("sends keys that cannot be used", #"{"keys":[{"kty":"odd","kid":"odd"},{"kty":"RSA"}]}"#),
        text("sends a weak key", #"{"keys":[\#(TestKey(bits: 1024).json.text)]}"#),
        text("sends 101 keys", many(101)),
        text("sends 10,000 keys", #"{"keys":[\#(String(repeating: "{},", count: 9999)){}]}"#),
        text("has a web page's JSON", "<html>SECRET</html>"), text("sends a token", "eyJhbGciOiJub25lIn0.e30."),
    ]

    static let encodings: [HostileCase] = [
        text("writes UTF-16", in: .utf16BigEndian, after: [0xFE, 0xFF]),
        text("writes UTF-16 from the little end", in: .utf16LittleEndian, after: []),
        text("writes UTF-32", in: .utf32BigEndian, after: []),
        text("writes UTF-8 after the mark of UTF-16", in: .utf8, after: [0xFF, 0xFE]),
        odd("writes Latin-1", [0xE9]),
        odd("writes half a surrogate pair", [0xED, 0xA0, 0x80]),
        odd("writes a slash in two bytes", [0xC0, 0xAF]),
        odd("writes a zero byte", [0]),
    ]

    @Test(.rule("T-167", "T-170"), arguments: texts + encodings)
    func `a response without a usable key set replaces no keys`(_ hostile: HostileCase) async throws {
        try await hostile.run()
    }

    @Test func `a response longer than Content-Length is cut there, and is then not a key set`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n"
        try await HostileCase("announces less than it sends", .send(head + Self.keys.text), "key-set").run()
    }

    private static func text(_ name: String, _ json: String) -> HostileCase {
        HostileCase(name, .json(.raw(json)), "key-set")
    }

    /// Returns a case with valid keys in another text encoding.
    private static func text(_ name: String, in encoding: String.Encoding, after mark: [UInt8]) -> HostileCase {
        let body = mark + (keys.text.data(using: encoding) ?? Data())
        return HostileCase(name, .respond(headers: ["Content-Type: application/json"], body: body), "key-set")
    }

    /// Returns a case with valid keys beside a string with invalid UTF-8 or invalid JSON.
    private static func odd(_ name: String, _ odd: [UInt8]) -> HostileCase {
        let body = bytes(#"{"x":""#) + odd + bytes(#"","keys":["# + good.text + "]}")
        return HostileCase(name, .respond(headers: ["Content-Type: application/json"], body: body), "key-set")
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func typed(_ header: String) -> ServerScript { .respond(headers: [header], body: bytes(keys.text)) }

    private static func bomb(_ body: [UInt8], _ encoding: String) -> ServerScript {
        .respond(headers: ["Content-Type: application/json", "Content-Encoding: \(encoding)"], body: body)
    }

    /// Returns a key set with this number of usable keys, which differ only in their IDs.
    static func many(_ count: Int) -> String {
        let keys: [TestJSON] = (0..<count).map { number in
            var key = good
            if number > 0 { key["kid"] = .string("k\(number)") }
            return key
        }
        return (["keys": .array(keys)] as TestJSON).text
    }
}

#endif
