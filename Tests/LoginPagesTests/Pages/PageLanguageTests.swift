// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginAccounts
import LoginHTTP
import LoginProviders
import LoginTesting
import TestSupport
import Testing

internal import LimitedLoginTesting
@testable import LoginPages

@Suite struct PageLanguageTests {
    static let others: [PageText] = PageText.all.filter { $0.frame.language != "en" }

    @Test func `every page follows the rules in every language`() throws {
        #expect(Self.others.map(\.frame.language) == ["de", "es", "id", "ko"])
        for text in Self.others {
            for (name, page) in PageSamples(value: "Ada Lovelace", text: text).all {
                let markup = page.html.markup
                #expect(try PageRules.broken(byMarkup: markup) == [], "\(text.frame.language): \(name)")
                #expect(try StrictHTML.page(markup)["lang"] == text.frame.language)
            }
        }
    }

    @Test func `every text is translated into every language`() {
        // Words that two languages share.
        let shared = [
            "de": ["Name", "Code", "ltr"], "es": ["ltr"], "id": ["Profil", "ltr"], "ko": ["ltr"],
        ]
        for text in Self.others {
            let pairs = zip(Self.strings(of: PageText.english), Self.strings(of: text))
            let same = pairs.filter { $0.0 == $0.1 && !(shared[text.frame.language] ?? []).contains($0.1.text) }
            #expect(same.map(\.0.text) == [], "\(text.frame.language)")
            #expect(Self.strings(of: text).count == Self.strings(of: .english).count)
        }
    }

    /// Returns the texts without parameters, with their names.
    private static func strings(of text: PageText) -> [Named] {
        Mirror(reflecting: text).children.flatMap { section in
            Mirror(reflecting: section.value).children.compactMap { child in
                (child.value as? String).map { Named(name: "\(section.label ?? "").\(child.label ?? "")", text: $0) }
            }
        }
    }

    private struct Named: Hashable {
        let name: String
        let text: String
    }

    @Test func `no page shows English text in another language`() throws {
        // Words that two languages share.
        let shared: Set = ["Name", "Code"]
        for text in Self.others {
            // With digits in place of external values, all letters are those of the texts, or of "Facebook".
            let pages = zip(PageSamples(value: "7").all, PageSamples(value: "7", text: text).all)
            for (english, other) in pages {
                let (first, second) = (try Self.words(on: english.page), try Self.words(on: other.page))
                #expect(first.count == second.count, "\(text.frame.language): \(other.name)")
                let same = zip(first, second).filter { $0.0 == $0.1 }.map { $0.0.replacing("Facebook", with: "") }
                let left = same.filter { $0.contains(where: \.isLetter) && !shared.contains($0) }
                #expect(left == [], "\(text.frame.language): \(other.name)")
            }
        }
    }

    /// Returns the words of each element in the header and the content of a page.
    private static func words(on page: any Page) throws -> [String] {
        let html = try StrictHTML.page(page.html.markup)
        return (html.all("header") + html.all("main")).flatMap(\.all).map { element in
            element.children.compactMap { node -> String? in if case .text(let text) = node { text } else { nil } }
                .joined()
        }
    }

    @Test(
        arguments: [
            ("de", "de"), ("de-CH", "de"), ("de-CH-1996", "de"), ("DE", "de"), ("fr, ko;q=0.5", "ko"),
            ("en;q=0.1, es;q=0.2", "es"), ("es;q=0.500, id;q=0.5", "es"), ("ko;q=0, id", "id"), ("zh-x-ko, id", "id"),
            (" de\t; q=1.000", "de"), ("id;q=0.001", "id"), ("fr", nil), ("", nil), ("*", nil), ("*, ko;q=0.1", "ko"),
            ("de;q=0", nil), ("de;q=2", nil), ("de;q=1.1", nil), ("de;q=0.1234", nil), ("de;level=1", nil),
            ("de;q=", nil),
            ("d e", nil), ("de;q=0.5;x=y", nil), ("-de", nil), ("ko-", nil), ("de--CH", nil), ("1-de", nil),
            ("de-abcdefgh", "de"), ("de-abcdefghi", nil), ("de-a1-a1-a1-a1-a1-a1-a1-a1-a1-a1-a1", "de"),
            ("de-a1-a1-a1-a1-a1-a1-a1-a1-a1-a1-a1x", nil),
            (String(repeating: "de,", count: 400), nil),
            (String(repeating: "fr,", count: 50) + "de", nil),
        ] as [(String, String?)]
    )
    func `the header selects the available language with the highest weight`(header: String, tag: String?) {
        let languages = PageLanguages(PageText.all)
        #expect(languages.preferred(by: header).map { languages.choices[$0].tag } == tag)
    }

    @Test func `a chosen language applies to the next pages, and the choice returns to the same page`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login?returnTo=/sessions")
            #expect(try browser.page()["lang"] == "en")
            try await browser.submit("/language", change: { #expect($0["language"] == "de") })
            #expect(browser.path == "/login?returnTo=%2Fsessions" || browser.path == "/login?returnTo=/sessions")
            #expect(try browser.page()["lang"] == "de" && browser.heading() == PageText.german.login.title)
            try await browser.get("/nowhere")
            #expect(try browser.heading() == PageText.german.problem.notFoundTitle)
        }
    }

    @Test func `the name of the service is the same in every language`() async throws {
        var options = SignInPagesOptions()
        options.serviceName = "Example"
        let bench = try await PageBench(options: options)
        try await bench.run { browser in
            try await browser.get("/login")
            for title in [PageText.english.login.title, PageText.german.login.title] {
                #expect(try browser.page().all("title").first?.text == "\(title) – Example")
                #expect(try browser.page().all("header").first?.text == "Example")
                try await browser.submit("/language", change: { $0["language"] = "de" })
            }
        }
    }

    @Test func `an unavailable language, and a choice from another site, are refused`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/language", change: { $0["language"] = "fr" })
            #expect(browser.status == 400 && browser.cookies["__Host-language"] == nil)
            try await browser.get("/login")
            try await browser.send("/language", .post, ["language": "de", "returnTo": "/"], "cross-site")
            #expect(browser.status == 403 && browser.cookies["__Host-language"] == nil)
        }
    }

    @Test func `a page that responds to a form offers no language choice, even if the form failed`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login")
            #expect(try browser.page().all("footer").count == 1)
            try await browser.submit("/login/password")
            #expect(browser.status == 422)
            #expect(try browser.page().all("footer").isEmpty)
            bench.store.failure = .unavailable
            try await browser.submit("/login/password", ["email": "ada@example.com", "password": "x"])
            #expect(browser.status == 503)
            #expect(try browser.page().all("footer").isEmpty)
        }
    }

    @Test func `times have the format of the language`() {
        let date = Date(timeIntervalSince1970: 1_759_500_300)
        #expect(PageText.german.time(date) == "3. Oktober 2025, 14:05 UTC")
        #expect(PageText.spanish.time(date) == "3 de octubre de 2025, 14:05 UTC")
        #expect(PageText.indonesian.time(date) == "3 Oktober 2025, 14.05 UTC")
        #expect(PageText.korean.time(date) == "2025년 10월 3일 14:05 UTC")
    }

    @Test func `every problem code that users see is explained in every language`() {
        // Codes that only programs receive, or that are explained by a page of their own.
        let technical = ["idempotency-mismatch", "unsupported-media-type", "unknown-policy", "missing-token"]
        for text in Self.others {
            let english = ProblemCode.all.filter { text.problem.explanation($0) == $0.explanation }.map(\.rawValue)
            #expect(english.filter { !technical.contains($0) } == [], "\(text.frame.language)")
        }
    }
}
#endif
