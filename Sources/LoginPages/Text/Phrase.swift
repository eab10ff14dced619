// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A sentence with values in it, such as names.
///
/// ```swift
/// let greeting: Phrase = "Signed in as \(name)."
/// ```
///
/// What is interpolated is a value: the pages show it isolated, so that a name which is written from right to left, or which holds
/// characters that turn the direction, changes nothing around it.
public struct Phrase: Sendable, Hashable, ExpressibleByStringInterpolation {
    enum Part: Sendable, Hashable {
        case words(String)
        case value(String)
    }

    private(set) var parts: [Part] = []

    /// How much of a value is shown, in scalars: names can be very long, and one character can have any number of them.
    private static let longestValue = 200

    /// A sentence without values.
    public init(stringLiteral words: String) { parts = [.words(words)] }

    /// A sentence, put together from words and values.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// A value alone.
    init(value: String) { parts = [.value(Self.shortened(value))] }

    /// The sentence where there are no elements, as in a title: the values stand between the characters that isolate.
    var plainText: String {
        parts.map { part in
            switch part {
            case .words(let words): words
            // U+2068 takes the direction of what follows, U+2069 ends that.
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

    /// The value without the characters that end an isolation, or begin one: elsewhere an element does that, which they cannot end.
    private static func balanced(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.filter { !(0x2066...0x2069).contains($0.value) }))
    }

    /// Puts a sentence together.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        /// Nothing yet.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds words.
        public mutating func appendLiteral(_ words: String) {
            if !words.isEmpty { parts.append(.words(words)) }
        }

        /// Adds a value.
        public mutating func appendInterpolation(_ value: String) { parts.append(.value(Phrase.shortened(value))) }

        /// Adds a number, which turns nothing around.
        public mutating func appendInterpolation(_ number: Int) { parts.append(.words("\(number)")) }
    }
}
#endif
