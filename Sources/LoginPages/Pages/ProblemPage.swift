// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginHTTP

/// The page that explains an error and its remedy.
struct ProblemPage: Page {
    var frame: PageFrame

    /// The explanation, in a sentence.
    var explanation: String

    /// The stable code of the error.
    var code: String

    /// The ID of the request in the log.
    var requestID: String

    /// The time to wait before another attempt, in seconds; nil if unknown.
    var retryAfter: Int?

    /// Whether the path does not exist.
    var isNotFound = false

    /// The step that the page offers.
    var remedy = Remedy.start

    /// The step that resolves the problem.
    enum Remedy: Sendable {
        /// To sign in, with the return path.
        case signIn(LocalPath)
        /// To begin another login at a provider, with the return path.
        case newLogin(at: String, returningTo: LocalPath)
        /// To request a new message, on a page.
        case newLink(LocalPath)
        /// To begin at the start page, for all other problems.
        case start
    }

    var leadsToProviders: Bool { if case .newLogin = remedy { true } else { false } }

    var title: String { isNotFound ? text.problem.notFoundTitle : text.problem.title }

    var content: HTML {
        build {
            p { explanation }
            if let retryAfter { p { text.problem.retryAfter(retryAfter) } }
            remedyLink
            if let support = frame.support {
                p { HTML("a", [.href(support: support)], HTML(text.problem.support)) }
            }
            p(.class("hint")) {
                text.problem.code
                " "
                code(code)
                " · "
                text.problem.requestID
                " "
                code(requestID)
            }
        }
    }

    private var remedyLink: HTML {
        switch remedy {
        case .signIn(let path):
            link(.page(of: .signIn, returningTo: path), .class("primary")) { text.problem.signInAgain }
        case .newLogin(let provider, let path):
            button(to: LocalPath("/login").appending(provider), .primary, returning(to: path)) {
                text.problem.signInAgain
            }
        case .newLink(let path): link(path, .class("primary")) { text.problem.newLink }
        case .start: link(.home, .class("primary")) { text.problem.start }
        }
    }
}
#endif
