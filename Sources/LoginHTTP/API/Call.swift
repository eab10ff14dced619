// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginTokens

/// A request to an operation, with its validated body.
package struct Call: Sendable {
    package let visit: Visit

    /// The parameters of the path.
    let parameters: [String: String]

    /// The body, validated against the operation's schema; nil if there is none.
    let body: JSONValue?

    /// Returns the session of the request.
    ///
    /// - Throws: ``Problem`` with the code `missing-session`.
    func session() throws(Problem) -> Session {
        guard let session = visit.session else { throw Problem(.missingSession) }
        return session
    }

    /// The request.
    var request: ServerRequest { visit.request }

    /// The origin of the request.
    var origin: RequestOrigin { visit.origin }

    /// Returns the text of a member that the schema requires.
    func text(_ name: String) -> String {
        guard let text = body?[name]?.string else {
            preconditionFailure("the schema of the operation requires the text \(name)")
        }
        return text
    }

    /// Returns the text of an optional member.
    func optionalText(_ name: String) -> String? { body?[name]?.string }

    /// Returns the value of an optional Boolean member, or false if it is missing.
    func flag(_ name: String) -> Bool { body?[name]?.boolean ?? false }

    /// Returns the value of the path parameter `{name}`.
    package func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// Returns the idempotency key, with which the client can safely retry the request (`Idempotency-Key`).
    ///
    /// - Throws: ``Problem`` with the code `invalid-request` if it is malformed.
    func idempotencyKey() throws(Problem) -> String? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard (1...64).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(
                .invalidRequest,
                "The header Idempotency-Key must have 1 to 64 printable ASCII characters without spaces."
            )
        }
        return key
    }
}

extension HTTPField.Name {
    /// The header field of draft-ietf-httpapi-idempotency-key-header.
    static let idempotencyKey = known("Idempotency-Key")
}

extension Operation {
    /// Validates a request, and calls the handler of the operation.
    ///
    /// - Parameters:
    ///   - visit: The request.
    ///   - parameters: The parameters of the path.
    ///   - longestBody: The maximum size of a JSON body in bytes.
    /// - Returns: The response.
    /// - Throws: ``Problem``, and the errors of the handler.
    func respond(
        to visit: Visit,
        parameters: [String: String],
        longestBody: Int
    ) async throws -> ServerResponse {
        if session == .required, visit.session == nil { throw Problem(.missingSession) }
        // A handler reads a form body itself, and verifies its signature.
        guard case .json(let schema) = body else {
            return try await answer(Call(visit: visit, parameters: parameters, body: nil))
        }
        return try await answer(
            Call(visit: visit, parameters: parameters, body: try await Self.json(visit, schema, longestBody))
        )
    }

    /// Calls the handler, and converts the errors of an account that was deleted or merged during the request.
    ///
    /// Another server may delete or merge the account of the session at any time. Operations that list these codes
    /// report them. For all others the session has ended, as it has for the next request.
    private func answer(_ call: Call) async throws -> ServerResponse {
        do {
            return try await handle(call)
        } catch let error as AuthError
            where session == .required && (error.code == .userNotFound || error.code == .accountMerged)
            && !problems.contains(ProblemCode(error.code))
        {
            throw AuthError(.invalidUserToken, "the account of the session is gone: \(error.code)")
        }
    }

    // The connections of other requests do not keep its frame.
    @inline(never)
    private static func json(_ visit: Visit, _ schema: Schema, _ longestBody: Int) async throws -> JSONValue {
        try visit.request.requireType("application/json")
        let bytes = try await visit.body(upTo: longestBody)
        let limits = JSONLimits(bytes: longestBody, depth: 8, members: 64)
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(bytes, limits: limits).root
        } catch {
            throw Problem(.invalidRequest, "The body is not valid JSON (RFC 8259): \(error.reason).")
        }
        if let fault = schema.fault(in: root) {
            throw Problem(.invalidRequest, "The request body is invalid: \(fault).")
        }
        return root
    }
}
#endif
