// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// A page: a value with its content, which determines its HTML.
///
/// ```swift
/// struct SignedOutPage: Page {
///     var frame: PageFrame
///     var title: String { text.signedOut.title }
///     var content: HTML { p { text.signedOut.intro } }
/// }
/// ```
///
/// A page has no dependencies and no state, so that a test can render it in any situation. Elements are methods of the
/// protocol, which have access to the texts.
protocol Page: Sendable {
    /// The common parts of every page.
    var frame: PageFrame { get }

    /// The heading, which is also the first part of the title.
    var title: String { get }

    /// The problems of a form that is shown again, in the order of its fields.
    var problems: [FieldProblem] { get }

    /// Whether the page has buttons that lead to providers.
    var leadsToProviders: Bool { get }

    /// The script of the page; nil for a page without a script.
    var script: PageAsset? { get }

    /// The content below the heading.
    @HTMLBuilder var content: HTML { get }
}

/// A problem of a form.
struct FieldProblem: Sendable, Hashable {
    /// The ID of the field.
    var field: String

    /// The problem and its fix, in a sentence.
    var message: String
}

extension Page {
    var text: SharedText { frame.text }
    var problems: [FieldProblem] { [] }
    var leadsToProviders: Bool { false }
    var script: PageAsset? { nil }

    /// The complete document.
    var html: HTML {
        var page = HTML(literal: "<!DOCTYPE html>\n")
        page += HTML(
            "html",
            [.lang(text.frame.language), .dir(text.frame.direction)],
            build {
                head; pageBody
            }
        )
        return page
    }

    private var head: HTML {
        let titled = text.frame.title(title, text.frame.service)
        return HTML(
            "head",
            [],
            build {
                HTML(void: "meta", [.charset("utf-8")])
                HTML("title", [], HTML(problems.isEmpty ? titled : text.frame.titleWithProblem(titled)))
                HTML(void: "meta", [.name("viewport"), .content("width=device-width, initial-scale=1")])
                HTML(void: "meta", [.name("color-scheme"), .content("light dark")])
                HTML(void: "link", [.rel("stylesheet"), .href(StyleSheet.asset.path)])
                // Without it, browsers request /favicon.ico.
                HTML(void: "link", [.rel("icon"), .noIcon])
                if let script { HTML("script", [.src(script.path), .deferred], HTML()) }
            }
        )
    }

    private var pageBody: HTML {
        HTML(
            "body",
            [],
            build {
                HTML("a", [.class("skip"), .href(element: "content")], HTML(text.frame.skip))
                HTML(
                    "header",
                    [],
                    build {
                        p(.class("service")) { link(.home) { service } }
                        if let person = frame.person { navigation(person) }
                    }
                )
                HTML(
                    "main",
                    [.id("content"), .tabindex(-1)],
                    build {
                        HTML("h1", [], HTML(title))
                        if let notice = frame.notice {
                            p(look(of: notice.kind), .role("status")) { notice.sentence(text) }
                        }
                        summary
                        content
                    }
                )
                footer
            }
        )
    }

    /// The logo of the service, or its name if there is none.
    private var service: HTML {
        guard let logo = frame.logo else { return HTML(text.frame.service) }
        return image(logo, alt: text.frame.service, width: "160", height: "40")
    }

    /// The choice of the language.
    private var footer: HTML {
        guard frame.languages.count > 1 else { return HTML() }
        return HTML(
            "footer",
            [],
            build {
                HTML(
                    "nav",
                    [.ariaLabel(text.frame.languages)],
                    build {
                        for language in frame.languages {
                            if language.tag == text.frame.language {
                                HTML("strong", [.lang(language.tag), .ariaCurrent("true")], HTML(language.name))
                            } else {
                                HTML("div", [.lang(language.tag)], choice(of: language))
                            }
                        }
                    }
                )
            }
        )
    }

    private func choice(of language: PageLanguages.Choice) -> HTML {
        let hidden = [("language", language.tag), ("returnTo", frame.path.text)]
        return button(to: "/language", .quiet, hidden) { language.name }
    }

    private func look(of kind: Notice.Kind) -> Attribute {
        switch kind {
        case .success: .class("success")
        case .neutral: .class("neutral")
        case .warning: .class("warning")
        }
    }

    private func navigation(_ person: Phrase) -> HTML {
        build {
            p(.class("person")) { person }
            HTML(
                "nav",
                [.ariaLabel(text.frame.navigation)],
                build {
                    link(.home, current(.home)) { text.frame.account }
                    link("/sessions", current("/sessions")) { text.frame.sessions }
                    button(to: "/sign-out", .quiet) { text.frame.signOut }
                }
            )
        }
    }

    private func current(_ path: LocalPath) -> Attribute? { frame.path.isPage(path) ? .ariaCurrent("page") : nil }

    /// The summary of problems, with a link to each field.
    ///
    /// It has the focus, so that screen readers begin with it.
    @HTMLBuilder private var summary: HTML {
        if !problems.isEmpty {
            div(
                .class("problems"),
                .role("alert"),
                .ariaLabelledBy("problems"),
                .tabindex(-1),
                .autofocus
            ) {
                h2(.id("problems")) { text.frame.problems }
                ul {
                    for problem in problems {
                        li { HTML("a", [.href(element: problem.field)], HTML(problem.message)) }
                    }
                }
            }
        }
    }
}
#endif
