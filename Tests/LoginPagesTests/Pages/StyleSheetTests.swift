// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Testing

@testable import LoginPages

@Suite struct StyleSheetTests {
    /// The custom properties of the two colour schemes, the dark one second.
    private var schemes: [[String: String]] {
        StyleSheet.text.split(separator: ":root {").map { part in
            var colors: [String: String] = [:]
            for line in part.prefix(while: { $0 != "}" }).split(separator: "\n") {
                let words = line.split(separator: ":")
                guard words.count == 2, let start = words[0].firstRange(of: "--") else { continue }
                colors[String(words[0][start.upperBound...])] = words[1].filter { $0 != " " && $0 != ";" }
            }
            return colors
        }
    }

    /// Returns the relative luminance as defined by WCAG 2.2.
    private func luminance(_ color: String) throws -> Double {
        let number = try #require(UInt32(color.dropFirst(), radix: 16))
        #expect(color.count == 7)
        func part(_ shift: UInt32) -> Double {
            let value = Double(number >> shift & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055)
        }
        return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
    }

    /// Returns x to the power of 2.4 without a library: the fifth root of x¹² with Newton's method.
    private func power(_ x: Double) -> Double {
        let square = x * x
        let target = square * square * square * square * square * square
        var root = x
        for _ in 0..<100 { root -= (root * root * root * root * root - target) / (5 * root * root * root * root) }
        return root
    }

    private func contrast(_ first: String, _ second: String) throws -> Double {
        let (a, b) = (try luminance(first), try luminance(second))
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    @Test func `contrast is computed as WCAG defines it`() throws {
        #expect(try abs(contrast("#000000", "#ffffff") - 21) < 0.001)
        #expect(try abs(contrast("#777777", "#ffffff") - 4.478) < 0.001)
    }

    @Test func `all text and lines have enough contrast in both color schemes`() throws {
        #expect(schemes.count == 2)
        let texts = ["text", "faint", "link", "bad", "good", "warn"].flatMap {
            [($0, "page"), ($0, "card"), ($0, "ground")]
        }
        let tinted = [
            ("on-strong", "strong"), ("text", "good-tint"), ("text", "bad-tint"), ("bad", "bad-tint"),
            ("text", "warn-tint"), ("good", "good-tint"), ("warn", "warn-tint"),
        ]
        for scheme in schemes {
            for (front, back) in texts + tinted {
                let ratio = try contrast(#require(scheme[front]), #require(scheme[back]))
                #expect(ratio >= 4.5, "\(front) on \(back): \(ratio)")
            }
            // The lines that mark fields and buttons (1.4.11).
            for back in ["page", "card", "ground"] {
                #expect(try contrast(#require(scheme["line"]), #require(scheme[back])) >= 3, "line on \(back)")
            }
        }
    }

    @Test func `the style sheet loads nothing and has no animations`() {
        for words in ["url(", "@import", "@font-face", "animation", "transition", "http", "expression("] {
            #expect(!StyleSheet.text.contains(words), "\(words)")
        }
    }

    @Test func `every custom property is used, and defined in both color schemes`() {
        let used = Set(StyleSheet.text.split(separator: "var(--").dropFirst().map { String($0.prefix { $0 != ")" }) })
        for scheme in schemes { #expect(used.isSubset(of: Set(scheme.keys))) }
        #expect(schemes.allSatisfy { Set($0.keys) == used })
    }

    @Test func `every class of a page has a style, and every styled class is used on a page`() throws {
        var used: Set<String> = []
        for (_, page) in PageSamples.plain.all {
            used.formUnion(try StrictHTML.page(page.html.markup).all.compactMap { $0["class"] })
        }
        let rules = StyleSheet.text.split(separator: "\n").filter { $0.contains("{") || $0.hasSuffix(",") }
        let styled = Set(
            rules.flatMap { rule in
                rule.prefix { $0 != "{" }.split(whereSeparator: { " ,:>".contains($0) }).compactMap { word in
                    word.firstIndex(of: ".").map { String(word[word.index(after: $0)...]) }
                }
            }
        )
        #expect(used.subtracting(styled) == [])
        #expect(styled.subtracting(used) == [])
    }

    @Test func `the URL of the style sheet contains its hash`() {
        let asset = StyleSheet.asset
        #expect(asset.version.utf8.count == 16)
        #expect(asset.path.text == "\(asset.route)?v=\(asset.version)")
    }
}
#endif
