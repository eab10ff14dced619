// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A piece of HTML in which every text, and every value of an attribute, has been escaped.
///
/// It is made of elements and texts alone. Names of elements and attributes are literals of this module, and there is no way to insert
/// markup that was put together at run time.
package struct HTML: Sendable, Hashable {
    /// What is sent.
    private(set) var markup = ""

    /// Nothing.
    init() {}

    /// A text, escaped.
    init(_ text: String) { markup = Self.escaped(text) }

    /// Markup that stands in the source as it is sent.
    init(literal: StaticString) { markup = literal.description }

    /// An element with its content and its end tag.
    init(_ name: StaticString, _ attributes: [Attribute?], _ content: HTML) {
        self.init(void: name, attributes)
        markup += content.markup
        markup += "</\(name)>"
    }

    /// An element that has no content, and no end tag.
    init(void name: StaticString, _ attributes: [Attribute?]) {
        markup = "<\(name)"
        for case let attribute? in attributes {
            markup += " \(attribute.name)"
            if let value = attribute.value { markup += "=\"\(Self.escaped(value))\"" }
        }
        markup += ">"
    }

    /// Adds what follows.
    static func += (first: inout HTML, second: HTML) { first.markup += second.markup }

    /// Escapes a text for content and for values in quotation marks.
    ///
    /// Besides what is markup, the control characters that HTML forbids (HTML §13.2.3.5) become U+FFFD, so that no parser has to guess.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text as it stands in HTML.
    package static func escaped(_ text: String) -> String {
        var result = ""
        result.unicodeScalars.reserveCapacity(text.unicodeScalars.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case _ where isForbidden(scalar): result.unicodeScalars.append("\u{FFFD}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a character is a control, or is none at all (a "noncharacter").
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
        case let value: value & 0xFFFE == 0xFFFE
        }
    }
}

/// Puts pieces of HTML, and texts, one after the other.
@resultBuilder
enum HTMLBuilder {
    static func buildExpression(_ html: HTML) -> HTML { html }
    static func buildExpression(_ text: String) -> HTML { HTML(text) }
    static func buildExpression(_ phrase: Phrase) -> HTML { HTML(phrase) }
    static func buildBlock() -> HTML { HTML() }
    static func buildPartialBlock(first part: HTML) -> HTML { part }
    static func buildPartialBlock(accumulated: HTML, next part: HTML) -> HTML {
        var all = accumulated
        all += part
        return all
    }
    static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
    static func buildEither(first part: HTML) -> HTML { part }
    static func buildEither(second part: HTML) -> HTML { part }
    static func buildArray(_ parts: [HTML]) -> HTML { parts.reduce(into: HTML()) { $0 += $1 } }
}

extension HTML {
    /// A sentence, with the values in it isolated: the direction of a name does not turn around the words beside it.
    init(_ phrase: Phrase) {
        for part in phrase.parts {
            switch part {
            case .words(let words): self += HTML(words)
            case .value(let value): self += HTML("bdi", [], HTML(value))
            }
        }
    }
}
#endif
