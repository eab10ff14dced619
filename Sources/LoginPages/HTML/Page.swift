// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A page: a value with all that it shows, from which its HTML follows.
///
/// ```swift
/// struct SignedOutPage: Page {
///     var frame: PageFrame
///     var title: String { text.signedOut.title }
///     var content: HTML { p { text.signedOut.intro } }
/// }
/// ```
///
/// It asks nobody and keeps nothing, so a test shows it in any state. Elements are methods of it, which see its words.
protocol Page: Sendable {
    /// What every page has.
    var frame: PageFrame { get }

    /// What the page is about: its heading, and the first part of its title.
    var title: String { get }

    /// What is wrong with the form that came back, in the order of its fields.
    var problems: [FieldProblem] { get }

    /// Whether it has buttons that lead to providers.
    var leadsToProviders: Bool { get }

    /// What stands below the heading.
    @HTMLBuilder var content: HTML { get }
}

/// What is wrong with a form.
struct FieldProblem: Sendable, Hashable {
    /// The ID of the field; nil where it is no field in particular.
    var field: String?

    /// What is wrong, and what to do, in a sentence.
    var message: String
}

extension Page {
    var text: PageText { frame.text }
    var problems: [FieldProblem] { [] }
    var leadsToProviders: Bool { false }

    /// All of it, as it is sent.
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
                HTML(void: "link", [.rel("stylesheet"), .href(StyleSheet.path)])
                // Without it browsers ask for /favicon.ico.
                HTML(void: "link", [.rel("icon"), .noIcon])
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
                        p(.class("service")) { link(.home) { text.frame.service } }
                        if case .person(let name) = frame.visitor { navigation(name) }
                    }
                )
                HTML(
                    "main",
                    [.id("content"), .tabindex(-1)],
                    build {
                        HTML("h1", [], HTML(title))
                        if let notice = frame.notice {
                            p(.class("notice"), .role("status")) { notice.sentence(text) }
                        }
                        summary
                        content
                    }
                )
            }
        )
    }

    private func navigation(_ name: String?) -> HTML {
        build {
            p(.class("person")) { text.frame.signedInAs(name ?? text.frame.someone) }
            HTML(
                "nav",
                [.ariaLabel(text.frame.navigation)],
                build {
                    link(.home) { text.frame.account }
                    link("/sessions") { text.frame.sessions }
                    button(to: "/sign-out", .secondary) { text.frame.signOut }
                }
            )
        }
    }

    /// What is wrong, with a link to each field.
    ///
    /// It has the focus, so that readers begin with it.
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
                        li {
                            if let field = problem.field {
                                HTML("a", [.href(element: field)], HTML(problem.message))
                            } else {
                                problem.message
                            }
                        }
                    }
                }
            }
        }
    }
}
#endif
