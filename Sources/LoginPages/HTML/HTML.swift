// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginText

/// A fragment of HTML in which all texts and attribute values are escaped.
///
/// It consists of elements and texts only. The names of elements and attributes are literals of this module, and markup
/// that is composed at run time cannot be inserted.
struct HTML: Sendable, Hashable {
    /// The markup.
    private(set) var markup = ""

    /// Creates an empty fragment.
    init() {}

    /// Creates a fragment from a text, which is escaped.
    init(_ text: String) { markup = escapedForHTML(text) }

    /// Creates a fragment from a literal of markup, which is not escaped.
    init(literal: StaticString) { markup = literal.description }

    /// Creates an element with content and an end tag.
    init(_ name: StaticString, _ attributes: [Attribute?], _ content: HTML) {
        self.init(void: name, attributes)
        markup += content.markup
        markup += "</\(name)>"
    }

    /// Creates a void element, which has neither content nor an end tag.
    init(void name: StaticString, _ attributes: [Attribute?]) {
        markup = "<\(name)"
        for case let attribute? in attributes {
            markup += " \(attribute.name)"
            if let value = attribute.value { markup += "=\"\(escapedForHTML(value))\"" }
        }
        markup += ">"
    }

    /// Appends a fragment.
    static func += (first: inout HTML, second: HTML) { first.markup += second.markup }
}

/// Concatenates fragments of HTML and texts.
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
    /// Creates a fragment from a sentence whose values are isolated, so that their direction does not affect the words
    /// around them.
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
