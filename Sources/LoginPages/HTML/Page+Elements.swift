// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The elements that pages are made of, by their names in HTML.
extension Page {
    func build(@HTMLBuilder _ content: () -> HTML) -> HTML { content() }

    func div(_ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML {
        HTML("div", attributes, content())
    }

    func p(_ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML { HTML("p", attributes, content()) }

    func h2(_ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML { HTML("h2", attributes, content()) }

    func h3(_ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML { HTML("h3", attributes, content()) }

    func ul(_ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML { HTML("ul", attributes, content()) }

    func li(_ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML { HTML("li", attributes, content()) }

    func code(_ content: String) -> HTML { HTML("code", [], HTML(content)) }

    func link(_ path: LocalPath, _ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML {
        HTML("a", [.href(path)] + attributes, content())
    }
}

// What the pages have in common, made of elements. Without builders: where they capture a page that is known by its protocol alone,
// the optimizer of Swift 6.3.1 ends with a failed assertion (SILMem2Reg, removeSingleBlockAllocation).
extension Page {
    /// A part of a page, named by its heading.
    func section(_ id: String, _ heading: String, @HTMLBuilder content: () -> HTML) -> HTML {
        var parts = HTML("h2", [.id(id)], HTML(heading))
        parts += content()
        return HTML("section", [.ariaLabelledBy(id)], parts)
    }

    /// A value, isolated from the words beside it.
    func value(_ value: String) -> HTML { HTML(Phrase(value: value)) }

    /// A time, which machines can read too.
    func time(_ date: Date) -> HTML {
        HTML("time", [.datetime(date.formatted(.iso8601))], HTML(text.time(date)))
    }

    /// What is known, each with its label.
    func facts(_ facts: [(label: String, value: HTML)]) -> HTML {
        var parts = HTML()
        for fact in facts {
            var pair = HTML("dt", [], HTML(fact.label))
            pair += HTML("dd", [], fact.value)
            parts += HTML("div", [], pair)
        }
        return HTML("dl", [], parts)
    }
}
#endif
