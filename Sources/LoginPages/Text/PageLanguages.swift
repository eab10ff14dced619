// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginHTTP

/// The languages of the pages.
///
/// A request has the language that the user has chosen on a page, or the first of the languages in `Accept-Language`
/// that the pages have, or the default.
struct PageLanguages: Sendable {
    /// A language, as a page offers it.
    struct Choice: Sendable, Hashable {
        /// The BCP 47 tag.
        let tag: String
        /// The name of the language in itself.
        let name: String
    }

    /// The languages, of which the first is the default.
    let choices: [Choice]

    /// The lifetime in seconds of the cookie with the tag that the user has chosen: a year.
    static let cookieAge = 365 * 24 * 60 * 60

    /// The maximum length of an `Accept-Language` header in bytes, and of its list.
    private static let (longestHeader, longestList) = (1024, 50)

    /// The maximum length of a language range in bytes: that of tags in protocols with a limit (RFC 5646 §4.4.1).
    private static let longestRange = 35

    init(_ texts: [PageText]) {
        choices = texts.map { text in Choice(tag: text.frame.language, name: text.frame.languageName) }
    }

    /// Returns the index of the language of a request.
    func index(for request: ServerRequest) -> Int {
        if let chosen = request.headers.cookie(SessionCookies.languageName).flatMap(index(of:)) { return chosen }
        return request.headers[.acceptLanguage].flatMap(preferred(by:)) ?? 0
    }

    /// Returns the index of the language with a tag; nil if there is none.
    func index(of tag: String) -> Int? {
        // The comparison of other text would normalize it, which takes long for many combining marks.
        guard tag.utf8.count <= Self.longestRange, tag.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return choices.firstIndex { $0.tag.lowercased() == tag.lowercased() }
    }

    /// Returns the index of the language that an `Accept-Language` header prefers; nil if it names none of the pages.
    ///
    /// It is the first match of the lookup scheme (RFC 4647 §3.4), in the order of the weights (RFC 9110 §12.5.4).
    func preferred(by header: String) -> Int? {
        guard header.utf8.count <= Self.longestHeader else { return nil }
        let ranges = header.split(separator: ",").prefix(Self.longestList).enumerated().compactMap { position, item in
            Self.range(item).map { (tag: $0.tag, weight: $0.weight, position: position) }
        }
        let sorted = ranges.filter { $0.weight > 0 }
            .sorted { ($1.weight, $0.position) < ($0.weight, $1.position) }
        return sorted.lazy.compactMap { lookUp($0.tag) }.first
    }

    /// Returns the index of the language with the longest tag that is a prefix of a range.
    private func lookUp(_ range: String) -> Int? {
        var subtags = range.split(separator: "-")
        while !subtags.isEmpty {
            if let found = index(of: subtags.joined(separator: "-")) { return found }
            subtags.removeLast()
            // A single character introduces the subtag after it.
            if subtags.last?.utf8.count == 1 { subtags.removeLast() }
        }
        return nil
    }

    /// Reads a language range with its weight in thousandths; nil if it is malformed, or the range is `*`.
    private static func range(_ item: Substring) -> (tag: String, weight: Int)? {
        let parts = item.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard isRange(parts[0]), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return (parts[0], 1000) }
        return weight(parts[1]).map { (parts[0], $0) }
    }

    /// Returns whether a text is a language range of subtags (RFC 4647 §2.1).
    private static func isRange(_ text: String) -> Bool {
        let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
        return text.utf8.count <= longestRange && subtags[0].utf8.allSatisfy(isLetter)
            && subtags.allSatisfy { subtag in
                (1...8).contains(subtag.utf8.count)
                    && subtag.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Reads a weight such as `q=0.8` in thousandths.
    private static func weight(_ text: String) -> Int? {
        let digits = text.dropFirst(2)
        guard text.lowercased().hasPrefix("q="), let first = digits.first, first == "0" || first == "1",
            digits.utf8.count <= 5, digits.dropFirst().first ?? "." == ".",
            digits.dropFirst(2).allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        let fraction = digits.dropFirst(2) + String(repeating: "0", count: max(0, 5 - max(2, digits.utf8.count)))
        let weight = (first == "1" ? 1000 : 0) + (Int(fraction) ?? 0)
        return weight <= 1000 ? weight : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
#endif
