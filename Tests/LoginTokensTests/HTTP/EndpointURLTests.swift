// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTokens
internal import TestSupport
internal import Testing

@Suite struct EndpointURLTests {
    /// A URL and its expected components.
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let origin: String
        let host: String
        let port: Int
        let target: String

        var testDescription: String { text }

        init(_ text: String, _ origin: String, _ host: String, _ port: Int, _ target: String) {
            (self.text, self.origin, self.host, self.port, self.target) = (text, origin, host, port, target)
        }
    }

    static let good = [
        Case("https://a.example", "https://a.example", "a.example", 443, "/"),
        Case("https://a.example/", "https://a.example", "a.example", 443, "/"),
        Case("HTTPS://A.Example/B", "https://a.example", "a.example", 443, "/B"),
        Case("https://a.example?q", "https://a.example", "a.example", 443, "/?q"),
        Case("https://a.example/p/?q=1&r=/?", "https://a.example", "a.example", 443, "/p/?q=1&r=/?"),
        Case("https://a.example:443/p", "https://a.example", "a.example", 443, "/p"),
        Case("https://a.example:80/p", "https://a.example:80", "a.example", 80, "/p"),
        Case("https://a.example:1/", "https://a.example:1", "a.example", 1, "/"),
        Case("https://a.example:65535/", "https://a.example:65535", "a.example", 65535, "/"),
        Case("https://a.example/%20%aF", "https://a.example", "a.example", 443, "/%20%aF"),
        Case("https://a.example/x@y:z", "https://a.example", "a.example", 443, "/x@y:z"),
        Case("https://a_b.x-1.example/", "https://a_b.x-1.example", "a_b.x-1.example", 443, "/"),
        Case("https://localhost/", "https://localhost", "localhost", 443, "/"),
        Case("https://192.0.2.1:8443/", "https://192.0.2.1:8443", "192.0.2.1", 8443, "/"),
        Case("https://[2001:DB8::1]/", "https://[2001:db8::1]", "2001:db8::1", 443, "/"),
        Case("https://[::ffff:192.0.2.1]:444/", "https://[::ffff:192.0.2.1]:444", "::ffff:192.0.2.1", 444, "/"),
    ]

    @Test(.rule("T-150"), arguments: good)
    func `a URL is parsed into scheme, host, port and target`(expected: Case) throws {
        for allowsHTTP in [false, true] {
            let url = try EndpointURL(expected.text, allowsLoopbackHTTP: allowsHTTP)
            #expect(url.scheme == .https)
            #expect(url.origin == expected.origin)
            #expect(url.host == expected.host)
            #expect(url.port == expected.port)
            #expect(url.target == expected.target)
            #expect("\(url)" == expected.origin + expected.target)
            #expect(try EndpointURL("\(url)") == url)
        }
    }

    @Test(
        .rule("T-150"),
        arguments: [
            "http://a.example/", "HTTP://a.example/", "http://192.0.2.1/", "file:///etc/passwd", "ftp://a.example/",
            "data:application/json,{}", "unix:///run/socket", "http+unix://%2Frun%2Fsocket/", "javascript:alert(1)",
            "gopher://a.example/", "wss://a.example/", "httpss://a.example/", "https", "https:", "https:/a.example/",
            "https:a.example", "//a.example/", "/keys", "a.example/keys", "", "xhttps://a.example/",
            "view-source:https://a/",
        ]
    )
    func `a URL that does not begin with https is refused`(text: String) {
        expectRefused(text)
        expectRefused(text, allowsLoopbackHTTP: true)
    }

    @Test(
        .rule("T-150"),
        arguments: ["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.0", "127.255.255.255", "[::1]"]
    )
    func `http is accepted for a loopback host if it is allowed`(host: String) throws {
        for text in ["http://\(host)/", "http://\(host):8080/keys", "HTTP://\(host)"] {
            let url = try EndpointURL(text, allowsLoopbackHTTP: true)
            #expect(url.scheme == .http)
            let error = expectRefused(text)
            #expect(error?.detail.contains("http is not enabled") == true)
        }
        #expect(try EndpointURL("http://\(host)", allowsLoopbackHTTP: true).port == 80)
        #expect(try EndpointURL("http://\(host):443", allowsLoopbackHTTP: true).origin.hasSuffix(":443"))
    }

    @Test(.rule("T-150")) func `http is accepted for a host that is named for it, and for no other`() throws {
        let hosts: Set = ["keycloak", "10.0.0.5"]
        for (text, origin) in [
            ("http://keycloak:8080/x", "http://keycloak:8080"), ("HTTP://Keycloak/", "http://keycloak"),
            ("http://10.0.0.5/", "http://10.0.0.5"), ("https://other/", "https://other"),
        ] {
            #expect(try EndpointURL(text, cleartextHosts: hosts).origin == origin)
        }
        for text in [
            "http://other/", "http://keycloak.example/", "http://a.keycloak/", "http://keycloak@other/",
            "http://localhost/",
            "http://10.0.0.50/",
        ] {
            #expect(throws: TransportFailure.self) { try EndpointURL(text, cleartextHosts: hosts) }
        }
    }

    @Test(
        .rule("T-150"),
        arguments: [
            "127.0.0.1.evil.example", "localhost.evil.example", "evil.example", "localhost.", "127.1", "127.0.1",
            "0x7f.1",
            "0x7f.0.0.1", "0177.0.0.1", "127.0.0.01", "127.0.0.256", "127.0.0.1.", "127.0.0.1.1", "2130706433",
            "0x7f000001", "0", "0.0.0.0", "126.255.255.255", "128.0.0.0", "10.0.0.1", "169.254.169.254", "local",
            "localhost6", "ip6-localhost", "[::]", "[::2]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
            "[fe80::1]", "[::1%25lo]",
        ]
    )
    func `http is refused for a host that only resembles a loopback host`(host: String) {
        expectRefused("http://\(host)/", allowsLoopbackHTTP: true)
    }

    /// Hosts that one parser takes for a name and another for an IP address, as `inet_aton` does with 127.1 and 0x7f.1.
    @Test(
        .rule("T-150"),
        arguments: [
            "127.1", "127.0.1", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.01", "192.0.2.256", "2130706433",
        ]
            + [
                "0x7f000001", "0X7F000001", "0x", "0", "1.2.3.4.5", "a.example.1", "a.0x1", "09.1.2.3",
                "1.2.3.4294967295",
            ]
    )
    func `a host whose last label is a number must be an IPv4 address of four numbers`(host: String) throws {
        expectRefused("https://\(host)/")
        #expect(try EndpointURL("https://\(host)a.example/").port == 443)
    }

    @Test(
        .rule("T-159"),
        arguments: [
            "https://user@a.example/", "https://user:hunter2@a.example/", "https://@a.example/", "https://:@a.example/",
            "https://a.example@/", "https://a.example:443@evil.example/", "https://a.example#", "https://a.example/#f",
            "https://a.example#@evil.example/", "https://a.example/p?q#f", "https://a.example\\@evil.example/",
            "https://a.example\\.evil.example/", "https:\\\\a.example\\", "https:///", "https:///a.example/",
            "https://",
            "https://?", "https://:443/", "https://a.example:/", "https://a.example:0/", "https://a.example:65536/",
            "https://a.example:99999/", "https://a.example:443443/", "https://a.example:-1/", "https://a.example:+1/",
            "https://a.example:4a/", "https://a.example:443:443/", "https://a..example/", "https://.example/",
            "https://a.example./", "https://a.example%2eevil/", "https://a%00.example/", "https://[::1/",
            "https://::1/",
            "https://[]/", "https://[a.example]/", "https://[::1]x/", "https://[::1]443/", "https://[[::1]]/",
            "https://[v1.x]/", "https://[fe80::1%25eth0]/", "https://a.example/%", "https://a.example/%2",
            "https://a.example/%2g", "https://a.example/?%zz", "https://a,b.example/", "https://a;b.example/",
            "https://a!.example/", "https://*.example/", "https://a=b/", "https://a.example/<x>",
            "https://a.example/\"x",
            "https://a.example/{tenantid}/", "https://a.example/^`|",
        ]
    )
    func `a URL that other parsers could read with another host is refused`(text: String) {
        expectRefused(text)
        expectRefused(text, allowsLoopbackHTTP: true)
    }

    /// The characters at every place: before, within and after each component.
    @Test(
        .rule("T-159"),
        arguments: [
            "\r\n", "\n", "\r", "\t", "\0", " ", "\u{7F}", "\u{A0}", "\u{200B}", "é", "。", "／", "＠", "\\", "\"",
        ]
    )
    func `a character that is not valid in a URL is refused at any position`(character: String) {
        let text = "https://a.example:444/p?q"
        for index in text.indices + [text.endIndex] {
            expectRefused(text[..<index] + character + text[index...])
        }
    }

    @Test(.rule("T-159"))
    func `a URL has at most 2,048 bytes`() throws {
        let start = "https://a.example/"
        let longest = start + String(repeating: "p", count: 2048 - start.utf8.count)
        #expect(try EndpointURL(longest).target.utf8.count == 2048 - start.utf8.count + 1)
        let error = expectRefused(longest + "p")
        #expect(error?.detail.contains("more than 2048 bytes") == true)
    }

    @Test(.rule("T-159"))
    func `a host name has at most 253 bytes, in labels of 1 to 63`() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try EndpointURL("https://\(label).example/").host.hasPrefix(label))
        expectRefused("https://a\(label).example/")
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(longest.utf8.count == 253)
        #expect(try EndpointURL("https://\(longest)/").host == longest)
        expectRefused("https://\(longest)b/")
    }

    @Test func `URLs have the same origin if scheme, host and port are equal`() throws {
        let url = try EndpointURL("https://a.example/x")
        for same in ["https://A.example", "https://a.example:443/?y"] {
            #expect(try url.hasSameOrigin(as: EndpointURL(same)))
        }
        for other in ["https://b.example/x", "https://a.example:444/x", "https://www.a.example/x"] {
            #expect(try !url.hasSameOrigin(as: EndpointURL(other)))
        }
        let plain = try EndpointURL("http://localhost:8443/", allowsLoopbackHTTP: true)
        #expect(try !plain.hasSameOrigin(as: EndpointURL("https://localhost:8443/")))
    }

    @Test(
        .rule("T-159"),
        arguments: [
            "https://user:hunter2@a.example/", "http://user:hunter2@localhost/", "https://hunter2@/",
            "ftp://u:hunter2@a/",
            "https://user:hunter2@a.example/\n", "https://user:hunter2@a.example/#f",
            "https://user:hunter2@a.example:0/",
        ]
    )
    func `no error contains a password from a URL`(text: String) {
        for allowsHTTP in [false, true] {
            let error = expectRefused(text, allowsLoopbackHTTP: allowsHTTP)
            #expect(error.map { "\($0)".contains("hunter2") } == false)
        }
    }
}

/// Expects that a URL is refused for any reason.
@discardableResult
func expectRefused(
    _ text: String,
    allowsLoopbackHTTP: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
) -> TransportFailure? {
    do throws(TransportFailure) {
        let url = try EndpointURL(text, allowsLoopbackHTTP: allowsLoopbackHTTP)
        Issue.record("accepted as \(url): \(text.debugDescription)", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect(error.code == .url, sourceLocation: sourceLocation)
        return error
    }
}
