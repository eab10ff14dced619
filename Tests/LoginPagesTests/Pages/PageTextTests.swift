// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import LimitedLogin
import LoginProviders
import Testing

@testable import LoginPages

/// Every text of the pages is declared in `PageText`, and every declared text is used.
@Suite struct PageTextTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/LoginPages").standardizedFileURL

    private func sources() throws -> [String: String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.directory.path)
        return try Dictionary(
            uniqueKeysWithValues: paths.filter { $0.hasSuffix(".swift") }.map { path in
                let file = Self.directory.appending(path: path)
                return (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
            }
        )
    }

    /// Returns the names of the texts with their group, for example `login.title`.
    private func texts() throws -> [String] {
        // PageText.swift, which names the groups, comes first.
        let source = try sources().filter { $0.key.hasPrefix("PageText") }.sorted { $0.key > $1.key }
            .map(\.value).joined(separator: "\n")
        var groups: [String: String] = [:]
        var group: String?
        var texts: [String] = []
        for line in source.split(separator: "\n") {
            let words = line.split(whereSeparator: { " :=()".contains($0) }).map(String.init)
            if words.starts(with: ["public", "struct"]), words[2] != "PageText" {
                group = groups[words[2]]
            } else if words.starts(with: ["public", "var"]) {
                if let group {
                    texts.append("\(group).\(words[2])")
                } else if words.count == 4 {
                    groups[words[3]] = words[2]
                } else {
                    texts.append(words[2])
                }
            }
        }
        return texts
    }

    @Test func `every declared text is used`() throws {
        let others = try sources().filter { !$0.key.hasPrefix("PageText") }.values.joined(separator: "\n")
        let texts = try texts()
        #expect(texts.count > 100)
        #expect(texts.contains("login.title") && texts.contains("time"))
        for text in texts {
            #expect(others.contains(try Regex("text\\.\(text.replacing(".", with: "\\."))\\b")), "\(text)")
        }
    }

    @Test func `no page contains text of its own`() throws {
        let literal = try Regex("\"([^\"\\\\]*)\"", as: (Substring, Substring).self)
        for (name, source) in try sources() where name.hasSuffix("Page.swift") || name == "Page+Forms.swift" {
            for line in source.split(separator: "\n") where !line.contains("///") && !line.contains("// ") {
                for match in line.matches(of: literal) {
                    // Names of elements, values of attributes, and paths have neither spaces nor capitals.
                    let said = match.output.1
                    let isTechnical =
                        said.allSatisfy { $0.isASCII && !$0.isUppercase && $0 != " " } || said == "<!DOCTYPE html>\\n"
                        || said == " (" || said == "width=device-width, initial-scale=1" || said == "light dark"
                        || said == "returnTo" || said == " " || said == " · "
                    #expect(isTechnical, "\(name): \(said)")
                }
            }
        }
    }

    @Test func `another language sets the language and the direction of the page`() throws {
        var text = PageText.english
        text.frame.language = "ar"
        text.frame.direction = "rtl"
        text.login.title = "تسجيل الدخول"
        let page = try StrictHTML.page(LoginPage(frame: PageFrame(text: SharedText(text), csrf: "t")).html.markup)
        #expect(page["lang"] == "ar" && page["dir"] == "rtl")
        #expect(page.all("h1").map(\.text) == ["تسجيل الدخول"])
    }

    @Test func `times are in UTC`() {
        let text = PageText.english
        #expect(text.time(Date(timeIntervalSince1970: 1_759_500_300)) == "3 October 2025, 14:05 UTC")
        #expect(text.time(Date(timeIntervalSince1970: 0)) == "1 January 1970, 0:00 UTC")
        #expect(text.time(Date(timeIntervalSince1970: 951_782_400 - 1)) == "28 February 2000, 23:59 UTC")
        #expect(text.time(Date(timeIntervalSince1970: 951_782_400)) == "29 February 2000, 0:00 UTC")
    }

    @Test func `numbers, waiting times and permissions are put into words`() {
        let text = PageText.english
        #expect(text.account.codesLeft(1) != text.account.codesLeft(2))
        #expect(text.secondFactor.attemptsLeft(1) == "You have 1 more try.")
        #expect(text.secondFactor.attemptsLeft(3) == "You have 3 more tries.")
        #expect(text.secondFactor.timeLeft(1) == "Enter the code within 1 minute.")
        #expect(text.secondFactor.timeLeft(10) == "Enter the code within 10 minutes.")
        #expect(text.problem.retryAfter(60) == "Try again in a minute.")
        #expect(text.problem.retryAfter(61) == "Try again in 2 minutes.")
        #expect(text.account.permission("email") == "e-mail address")
        #expect(text.account.permission("user_posts") == "user_posts")
    }

    @Test func `every permission of Limited Login has words in every language`() {
        for text in PageText.all {
            for permission in Permission.limited {
                let words = text.account.permission(permission.rawValue)
                #expect(words != permission.rawValue, "\(text.frame.language)")
            }
        }
    }
}
#endif
