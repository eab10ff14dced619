// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import Testing

@testable internal import LimitedLogin

/// The texts that are accepted as a URL of a profile, compared with Foundation's parser.
@Suite struct SecureURLTests {
    /// Returns the URL as Foundation alone decides.
    private static func reference(_ text: String) -> URL? {
        guard let url = URL(string: text), url.scheme?.lowercased() == "https", url.host()?.isEmpty == false,
            url.user() == nil
        else { return nil }
        return url
    }

    private func expectSame(_ text: String) {
        let (seen, expected) = (SecureURL(text), Self.reference(text))
        #expect((seen == nil) == (expected == nil), "\(text)")
        #expect(seen?.url == expected, "\(text)")
        let query = expected.map { Array(($0.query(percentEncoded: true) ?? "").utf8) }
        #expect(seen?.query == query, "\(text)")
    }

    @Test(
        arguments: [
            "https://", "HTTPS://", "http://", "//", "",
        ],
        [
            "", "a.example", "A.example", "a", "1", "127.0.0.1", "[::1]", "[::1", "-a", "a-", ".", "a..b", "a.",
            "xn--bcher-kva.example", "b\u{FC}cher.example", "a_b", "a.example:8", "a.example:", "a.example:x",
            "u@a.example", "u:p@a.example", "@a.example", "a.example\\", "a%41.example",
        ]
    )
    func `a scheme and an authority are accepted as by Foundation`(scheme: String, authority: String) {
        for target in ["", "/", "/x?ext=1&y=2", "?ext=1", "?", "/x@y:z", "#f?ext=1", "/x?ext=1#f"] {
            expectSame(scheme + authority + target)
        }
    }

    @Test func `every ASCII character is accepted as by Foundation in the host, the path and the query`() {
        for byte in UInt8(0)..<128 {
            let character = String(UnicodeScalar(byte))
            expectSame("https://\(character)a.example/x")
            expectSame("https://a\(character)b.example/x")
            expectSame("https://a.example/x\(character)y?ext=1")
            expectSame("https://a.example/x?a\(character)b&ext=1")
            expectSame("https://a.example\(character)ext=1")
        }
    }

    @Test(arguments: ["/%41", "/%zz", "/%", "/\u{E4}", "/x?q=%20&ext=1", "/a b", "/[x]?q=[x]", "//x", "/../x", "?a?b"])
    func `encoded and unusual targets are accepted as by Foundation`(target: String) {
        expectSame("https://a.example" + target)
    }
}
