// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// A sentence with interpolated values, such as names.
///
/// ```swift
/// let greeting: Phrase = "Signed in as \(name)."
/// ```
///
/// Interpolated strings are values: pages isolate them, so that a name in a right-to-left script, or with bidirectional
/// control characters, does not affect the text around it.
public struct Phrase: Sendable, Hashable, ExpressibleByStringInterpolation {
    enum Part: Sendable, Hashable {
        case words(String)
        case value(String)
    }

    private(set) var parts: [Part] = []

    /// The maximum length of a value in Unicode scalars, since a single character can have any number of them.
    private static let longestValue = 200

    /// Creates a sentence without values.
    public init(stringLiteral words: String) { parts = [.words(words)] }

    /// Creates a sentence from words and values.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// Creates a sentence that consists of a value.
    init(value: String) { parts = [.value(Self.shortened(value))] }

    /// The sentence as plain text, for example for a title.
    ///
    /// Values are enclosed in isolating control characters.
    var plainText: String {
        parts.map { part in
            switch part {
            case .words(let words): words
            // U+2068 FIRST STRONG ISOLATE, U+2069 POP DIRECTIONAL ISOLATE.
            case .value(let value): "\u{2068}\(Self.balanced(value))\u{2069}"
            }
        }.joined()
    }

    private static func shortened(_ value: String) -> String {
        guard value.unicodeScalars.count > longestValue else { return value }
        var short = String(String.UnicodeScalarView(value.unicodeScalars.prefix(longestValue)))
        short += "…"
        return short
    }

    /// Returns a value without isolating control characters, which could end the isolation.
    ///
    /// In HTML an element isolates instead.
    private static func balanced(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.filter { !(0x2066...0x2069).contains($0.value) }))
    }

    /// The builder of a sentence.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        /// Creates an empty sentence.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends words.
        public mutating func appendLiteral(_ words: String) {
            if !words.isEmpty { parts.append(.words(words)) }
        }

        /// Appends a value.
        public mutating func appendInterpolation(_ value: String) { parts.append(.value(Phrase.shortened(value))) }

        /// Appends a number, which needs no isolation.
        public mutating func appendInterpolation(_ number: Int) { parts.append(.words("\(number)")) }
    }
}
#endif
