// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The HTML elements that pages consist of, by their names.
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

// The common parts of the pages. They use no builders: with builders that capture a page of protocol type, the
// optimizer of Swift 6.3.1 fails an assertion (SILMem2Reg, removeSingleBlockAllocation).
extension Page {
    /// Returns a section of a page, labelled by its heading.
    func section(_ id: String, _ heading: String, @HTMLBuilder content: () -> HTML) -> HTML {
        var parts = HTML("h2", [.id(id)], HTML(heading))
        parts += content()
        return HTML("section", [.ariaLabelledBy(id)], parts)
    }

    /// Returns an image.
    ///
    /// The width and the height, in CSS pixels, reserve its place before it is loaded.
    func image(_ path: LocalPath, alt: String, width: StaticString, height: StaticString) -> HTML {
        HTML(void: "img", [.src(path), .alt(alt), .width(width), .height(height)])
    }

    /// Returns the logo of a provider, to stand before its name; nothing if there is no logo.
    func logo(of provider: ProviderChoice) -> HTML {
        guard let logo = provider.logo else { return HTML() }
        // The name beside it is its text alternative (WCAG 2.2, 1.1.1).
        return image(logo, alt: "", width: "20", height: "20")
    }

    /// Returns a value, isolated from the words around it.
    func value(_ value: String) -> HTML { HTML(Phrase(value: value)) }

    /// Returns a time, with its machine-readable form.
    func time(_ date: Date) -> HTML {
        HTML("time", [.datetime(date.formatted(.iso8601))], HTML(text.time(date)))
    }

    /// Returns a list of labels and values.
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
