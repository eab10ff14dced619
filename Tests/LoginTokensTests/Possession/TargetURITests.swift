// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The normalization of the URL in a proof (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3).
@Suite struct TargetURITests {
    private func normalized(_ text: String) -> String? { (try? TargetURI(text))?.description }

    @Test(
        .rule("T-195"),
        arguments: [
            // Scheme and host are case-insensitive, the path is not (§6.2.2.1).
            ("HTTPS://API.Example/V1/Me", "https://api.example/V1/Me"),
            // Percent-encoding (§6.2.2.1, §6.2.2.2).
            ("https://api.example/%7eme/%7E", "https://api.example/~me/~"),
            ("https://api.example/a%2fb%c3%a9", "https://api.example/a%2Fb%C3%A9"),
            ("https://api.example/%41%2D%2e%5F%31", "https://api.example/A-._1"),
            ("https://api.example/%2541", "https://api.example/%2541"),
            // Dot segments (§6.2.2.3, §5.2.4).
            ("https://api.example/a/./b/../c", "https://api.example/a/c"),
            ("https://api.example/a/%2e%2E/b", "https://api.example/b"),
            ("https://api.example/../a", "https://api.example/a"),
            ("https://api.example/a/..", "https://api.example/"),
            ("https://api.example/a/.", "https://api.example/a/"),
            ("https://api.example/a/b/..", "https://api.example/a/"),
            ("https://api.example/mid/content=5/../6", "https://api.example/mid/6"),
            ("https://api.example/a/.../..b/c..", "https://api.example/a/.../..b/c.."),
            ("https://api.example/a//b/", "https://api.example/a//b/"),
            // Ports and the empty path (§6.2.3).
            ("https://api.example", "https://api.example/"), ("https://api.example:", "https://api.example/"),
            ("https://api.example:443/", "https://api.example/"), ("http://api.example:80/", "http://api.example/"),
            ("https://api.example:80/", "https://api.example:80/"),
            ("http://api.example:443", "http://api.example:443/"),
            ("https://api.example:0443/", "https://api.example/"),
            // IPv6 addresses.
            ("https://[::1]:443/a", "https://[::1]/a"), ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443/"),
            // Query and fragment are ignored, whatever they contain (RFC 9449 §4.3).
            ("https://api.example/a?b=c#d", "https://api.example/a"), ("https://api.example?a", "https://api.example/"),
            ("https://api.example/a#b?c", "https://api.example/a"),
            ("https://api.example/a?%zz\u{0}é", "https://api.example/a"),
        ]
    )
    func `a URL is normalized by its syntax and its scheme`(text: String, expected: String) {
        #expect(normalized(text) == expected)
        #expect(normalized(expected) == expected)
    }

    @Test(
        .rule("T-195"),
        arguments: [
            "", "/", "//api.example/", "api.example", "ftp://api.example/", "https:/api.example/", "https:///a",
            "https://api.example/%", "https://api.example/%4", "https://api.example/%4g", "https://api.example/é",
            "https://api.example/a b", "https://api.example/\u{0}", "https://user@api.example/",
            "https://user:password@api.example/", "https://api.example\\@other.example/", "https://api.example:65536/",
            "https://api.example:-1/", "https://api.example::/", "https://[::1/", "https://%61pi.example/",
            "https://127.1/", "https://api..example/",
        ]
    )
    func `a URL that parsers may read differently is refused`(text: String) {
        #expect(normalized(text) == nil)
    }

    @Test(.rule("T-195"))
    func `a URL of 2,048 bytes is accepted, and one of a byte more is refused`() {
        let base = "https://api.example/"
        let longest = base + String(repeating: "a", count: Limits.urlBytes - base.utf8.count)
        #expect(normalized(longest) == longest && normalized(longest + "a") == nil)
        #expect(normalized(longest + "?" + longest) == longest)
    }
}
