// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP

/// Finds the problems of a form.
struct FormChecks: Sendable {
    /// The texts of the pages.
    let text: SharedText

    /// Returns the problems of fields that are empty.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fields: The required fields, each with the message for an empty one.
    /// - Returns: The problems, in the order of the fields.
    func missing(_ request: PageRequest, _ fields: KeyValuePairs<String, String>) -> [FieldProblem] {
        fields.compactMap { name, message in
            (request.form[name] ?? "").isEmpty ? FieldProblem(field: name, message: message) : nil
        }
    }

    /// Returns the problem of a field that an error is about.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - fields: The fields by error code.
    ///   - request: The request.
    /// - Returns: The problem.
    /// - Throws: The error, if it belongs to no field.
    func problems(of error: AuthError, _ fields: [AuthError.Code: String], _ request: PageRequest) throws
        -> [FieldProblem]
    {
        guard let field = fields[error.code] else { throw error }
        request.refusals?.record(error)
        var message = text.problem.explanation(ProblemCode(error.code))
        if case .replayedVerificationCode = error.reason { message = text.secondFactor.codeReplayed }
        if let wait = error.retryAfter {
            message += " " + text.problem.retryAfter(Int(clamping: Problem.seconds(wait)))
        }
        return [FieldProblem(field: field, message: message)]
    }
}
#endif
