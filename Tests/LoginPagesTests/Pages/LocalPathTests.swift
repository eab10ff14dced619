// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Testing

@testable import LoginPages

@Suite struct LocalPathTests {
    @Test(arguments: [
        "/", "/login", "/a/b?c=d&e=f", "/a%2Fb", "/~x", "/?returnTo=https://x.example", "/x?a=//b", "/a/",
    ])
    func `a path of this service is accepted`(_ text: String) {
        #expect(LocalPath(text)?.text == text)
    }

    @Test(arguments: [
        "", "login", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
        "/\n/evil.example", "\t//evil.example", " /x", "https://evil.example", "https:evil.example",
        "javascript:alert(1)",
        "/a//evil.example", "/x\r\nSet-Cookie: a=b", "/x#y", "/é", "/x y", "/\"x", "/<x", "/x\u{0}", "/.//evil.example",
        "/%\u{301}", "/\u{2028}", "/{x}", "/x^", "/x|y", "/x`", "/%2Fx", "/%2fx",
        "/%5Cx", "/a/../b", "/./x", "/app/..",
    ])
    func `a path that could lead elsewhere is refused`(_ text: String) {
        #expect(LocalPath(text) == nil)
    }

    @Test func `a path has at most 2,048 bytes`() {
        #expect(LocalPath("/" + String(repeating: "x", count: 2047)) != nil)
        #expect(LocalPath("/" + String(repeating: "x", count: 2048)) == nil)
    }

    @Test func `appended segments and query fields are percent-encoded`() {
        let path = LocalPath("/sessions").appending("a/b?c#d%é").appending("close")
        #expect(path.text == "/sessions/a%2Fb%3Fc%23d%25%C3%A9/close")
        #expect(LocalPath.home.appending("x").text == "/x")
        #expect(LocalPath("/x").with("a", "1&b=2").with("c", "\n").text == "/x?a=1%26b%3D2&c=%0A")
    }

    @Test func `a return path that is missing or leads elsewhere is replaced by the account page`() {
        #expect(LocalPath(returnTo: "/sessions?a=b").text == "/sessions?a=b")
        #expect(LocalPath(returnTo: nil) == .home)
        #expect(LocalPath(returnTo: "//evil.example") == .home)
    }

    @Test func `characters that browsers send as they are in a target are encoded, and none leads elsewhere`() {
        #expect(LocalPath(target: "/app/?a=1&b=%26%23#").text == "/app/?a=1&b=%26%23%23")
        #expect(
            LocalPath(target: "/app/?f[x]=a|b&c={d}^`\\\"é").text == "/app/?f%5Bx%5D=a%7Cb&c=%7Bd%7D%5E%60%5C%22%C3%A9"
        )
        for target in ["/\\evil.example", "//evil.example", "/\t/evil.example", "https://evil.example/", ""] {
            #expect(LocalPath(target: target) == .home, "\(target)")
        }
        #expect(
            LocalPath("/login").returning(to: LocalPath(target: "/a?b=%&c=#")).text
                == "/login?returnTo=%2Fa%3Fb%3D%25%26c%3D%2523"
        )
    }

    @Test func `a return path is added unless it is the account page`() {
        #expect(LocalPath("/login").returning(to: .home).text == "/login")
        #expect(LocalPath("/login").returning(to: "/a?b=c").text == "/login?returnTo=%2Fa%3Fb%3Dc")
    }
}
#endif
