// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
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
