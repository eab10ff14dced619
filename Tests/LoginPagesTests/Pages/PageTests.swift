// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import Testing

@testable import LoginPages

@Suite struct PageTests {
    /// Hostile names of users, and hostile texts of devices and providers.
    static let hostile = [
        "</title></textarea></script><script>alert(1)</script>",
        "\"'><img src=x onerror=alert(1)>",
        "' autofocus onfocus='alert(1)",
        "&lt;b&gt; &amp; &#60;",
        "<!-- ]]> --> <?php ?>",
        "javascript:alert(1)//https://evil.example/",
        "a\u{0}b\u{1B}[2Jc\u{7F}\u{85}d\r\ne",
        "\u{202E}gnp.exe\u{2066}\u{2067}",
        "\u{2069}\u{2069}\u{202E}אבג",
        String(repeating: "e\u{301}", count: 5000),
        "//evil.example/..\\..%2e%2e/?a=b#c",
    ]

    @Test func `every page follows the rules`() throws {
        for (name, page) in PageSamples.plain.all {
            let broken = try PageRules.broken(by: page.html)
            #expect(broken == [], "\(name)")
        }
    }

    @Test(arguments: hostile) func `hostile input of users changes no element of a page`(_ value: String) throws {
        for (plain, hostile) in zip(PageSamples.plain.all, PageSamples(value: value).all) {
            let broken = try PageRules.broken(by: hostile.page.html)
            #expect(broken == [], "\(hostile.name)")
            // The picture of a longer key has more modules but no more elements; a key that is too long has no picture.
            guard plain.name != "enrol, key" else { continue }
            let shapes = try [plain, hostile].map { try StrictHTML.page($0.page.html.markup).shape }
            let withoutInitials = shapes.map { $0.replacing("p(bdi())", with: "p()") }
            if plain.name != "account, full" {
                #expect(withoutInitials[0] == withoutInitials[1], "\(plain.name)")
            }
        }
    }

    @Test func `the rules detect what they forbid`() throws {
        struct Broken: Page {
            var frame = PageFrame(csrf: "")
            var title = "T"
            var body: HTML
            var content: HTML { body }
        }
        func broken(_ body: HTML) throws -> [String] { try PageRules.broken(by: Broken(body: body).html) }

        #expect(try broken(HTML("p", [], HTML("x"))) == [])
        #expect(try broken(HTML("h1", [], HTML("x"))) == ["not one h1"])
        #expect(try broken(HTML("h3", [], HTML("x"))) == ["a level of headings is left out"])
        #expect(try broken(HTML("p", [.id("content")], HTML("x"))) == ["an ID stands twice"])
        #expect(try broken(HTML("a", [.href(element: "y")], HTML("x"))) == ["a link to #y, which is not there"])
        #expect(try broken(HTML(literal: "<a href=\"https://x.example\">x</a>")).count == 1)
        #expect(try broken(HTML(void: "input", [.type("text"), .id("y")])).count == 2)
        #expect(
            try broken(HTML("form", [.post, .action("/x")], HTML())) == [
                "no token", "not one button in a form",
                "a button without a form",
            ]
        )
        #expect(try broken(HTML("p", [], HTML("p", [], HTML("x")))) == ["[\"p\"] in p"])
        #expect(throws: StrictHTML.Fault.self) { try broken(HTML("script", [], HTML("x"))) }
        #expect(throws: StrictHTML.Fault.self) { try broken(HTML(literal: "<p style=\"x\">y</p>")) }
        #expect(throws: StrictHTML.Fault.self) { try broken(HTML(literal: "a & b")) }
    }

    @Test func `the name of a user is isolated`() throws {
        let frame = PageFrame(csrf: "t", visitor: .signedIn(name: "\u{202E}evil"))
        let page = try StrictHTML.page(SignedOutPage(frame: frame).html.markup)
        #expect(page.all("bdi").map(\.text) == ["\u{202E}evil"])
        let without = try StrictHTML.page(
            SignedOutPage(frame: PageFrame(csrf: "t", visitor: .signedIn(name: nil))).html.markup
        )
        #expect(without.all("bdi").map(\.text) == ["Unnamed user"])
        #expect(without.all("nav").count == 1)
        let guest = try StrictHTML.page(SignedOutPage(frame: PageFrame(csrf: "t", visitor: .guest)).html.markup)
        #expect(guest.all("header").first?.text.contains("Guest") == true && guest.all("nav").count == 1)
        let signedOut = try StrictHTML.page(SignedOutPage(frame: PageFrame(csrf: "t")).html.markup)
        #expect(signedOut.all("nav").isEmpty)
    }

    @Test func `a very long name is truncated`() throws {
        let page = AccountPage(
            frame: PageFrame(csrf: "t"),
            name: String(repeating: "x", count: 100_000),
            createdAt: Date(timeIntervalSince1970: 0)
        )
        let names = try StrictHTML.page(page.html.markup).all("bdi").map(\.text)
        #expect(names.contains(String(repeating: "x", count: 200) + "…"))
        #expect(page.html.markup.utf8.count < 10_000)
    }

    @Test func `typed input is shown again, and secrets are not`() throws {
        let page = LoginPage(
            frame: PageFrame(csrf: "t"),
            passwordMinimum: 8,
            email: "ada@example.com",
            problems: [FieldProblem(field: "password", message: "The password is wrong.")]
        )
        let inputs = try StrictHTML.page(page.html.markup).all("input")
        #expect(inputs.first { $0["name"] == "email" }?["value"] == "ada@example.com")
        #expect(inputs.first { $0["name"] == "password" }?["value"] == nil)
        #expect(inputs.first { $0["name"] == "password" }?["aria-describedby"] == "password-problem")
        #expect(inputs.first { $0["name"] == "email" }?["aria-invalid"] == nil)
    }

    /// Every asynchronous function that makes a page may keep a copy, for as long as its connection is open.
    @Test func `the frame of a page takes few bytes, whatever the length of the texts`() {
        #expect(MemoryLayout<PageFrame>.size <= 160)
    }

    @Test func `a notice has the role status and its own sentence`() throws {
        for notice in Notice.allCases {
            let page = SignedOutPage(frame: PageFrame(csrf: "t", notice: notice))
            let status = try StrictHTML.page(page.html.markup).all("p").filter { $0["role"] == "status" }
            #expect(status.map(\.text) == [notice.sentence(.english)])
        }
        #expect(Set(Notice.allCases.map { $0.sentence(.english) }).count == Notice.allCases.count)
        #expect(LocalPath.home.with(notice: .linked).text == "/?notice=linked")
    }

    @Test func `notices about success, cancellation and failure look different`() throws {
        for (notice, look) in [
            (Notice.linked, "success"), (Notice.cancelled, "neutral"), (Notice.notRecent, "warning"),
        ] {
            let page = SignedOutPage(frame: PageFrame(csrf: "t", notice: notice))
            let status = try StrictHTML.page(page.html.markup).all("p").filter { $0["role"] == "status" }
            #expect(status.map { $0["class"] } == [look])
        }
    }

    @Test func `the header marks the current page, whatever its query`() throws {
        func current(_ path: LocalPath) throws -> [String?] {
            let frame = PageFrame(csrf: "t", path: path, visitor: .signedIn(name: nil))
            let page = try StrictHTML.page(SessionsPage(frame: frame, sessions: []).html.markup)
            return page.all("a").filter { $0["aria-current"] == "page" }.map { $0["href"] }
        }
        #expect(try current("/sessions?notice=sessionClosed") == ["/sessions"])
        #expect(try current("/?notice=linked") == ["/"])
        #expect(try current("/password").isEmpty)
    }

    @Test func `the initials are the first letters of the first and the last name`() {
        func initials(_ name: String?) -> String? {
            AccountPage(frame: PageFrame(csrf: "t"), name: name, createdAt: Date(timeIntervalSince1970: 0)).initials
        }
        #expect(initials("Ada King Lovelace") == "AL")
        #expect(initials("ada") == "A")
        #expect(initials("  ") == nil)
        #expect(initials(nil) == nil)
        #expect(initials("<b> \"x") == nil)
        #expect(initials("Éa\u{301}\u{301}\u{301} Öz") == "ÉÖ")
    }

    @Test func `the key of an app is shown in groups of four characters`() {
        #expect(EnrollPage.grouped("ABCDEFGHIJ") == "ABCD EFGH IJ")
        #expect(EnrollPage.grouped("ABCD") == "ABCD")
        #expect(EnrollPage.grouped("") == "")
    }

    @Test func `devices are recognized by browser and system`() {
        let firefox = Device(userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
        #expect(firefox?.browser == "Firefox" && firefox?.system == "Linux")
        let edge = Device(
            userAgent:
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0"
        )
        #expect(edge?.browser == "Edge" && edge?.system == "Windows")
        let phone = Device(
            userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"
        )
        #expect(phone?.browser == "Safari" && phone?.system == "iPhone")
        #expect(Device(userAgent: "curl/8.14.1") == nil)
        #expect(Device(userAgent: "") == nil)
    }
}
#endif
