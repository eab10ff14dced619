// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The page that says that something did not work, and what to do.
struct ProblemPage: Page {
    var frame: PageFrame

    /// What happened, in a sentence.
    var explanation: String

    /// The code of it, which does not change.
    var code: String

    /// What the request is known by in the log.
    var requestID: String

    /// After how many seconds it may work; nil where that is not known.
    var retryAfter: Int?

    /// Whether there is nothing at this address.
    var isNotFound = false

    var title: String { isNotFound ? text.problem.notFoundTitle : text.problem.title }

    var content: HTML {
        build {
            p { explanation }
            if let retryAfter { p { text.problem.retryAfter(retryAfter) } }
            if !isNotFound { p { text.problem.whatToDo } }
            facts([
                (text.problem.code, code(code)),
                (text.problem.requestID, code(requestID)),
            ])
            p { link(.home) { text.problem.start } }
        }
    }
}
#endif
