// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
package import Hummingbird
internal import LoginAccounts
internal import LoginTokens

/// A request to an operation, with its validated body.
package struct Call<Context: LoginRequestContext>: Sendable {
    package let request: Request
    let context: Context

    /// The body, validated against the operation's schema; nil if there is none.
    let body: JSONValue?

    /// Returns the session of the request.
    ///
    /// - Throws: ``Problem`` with the code `missing-session`.
    func session() throws -> Session { try context.requireIdentity() }

    /// The origin of the request.
    var origin: RequestOrigin { context.login.origin }

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
    package func parameter(_ name: String) -> String { context.parameters.get(name) ?? "" }

    /// Returns the body of an operation that reads a form itself.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The whole body.
    /// - Throws: ``Problem``, as of every body.
    package func bytes(upTo limit: Int) async throws -> [UInt8] {
        try await request.bytes(upTo: limit, from: context.login)
    }

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
    func respond(to request: Request, context: Context) async throws -> Response {
        if session == .required { _ = try context.requireIdentity() }
        // A handler reads a form body itself, and verifies its signature.
        guard case .json(let schema) = body else {
            return try await answer(Call(request: request, context: context, body: nil))
        }
        let value = try await Self.json(request, schema, context)
        return try await answer(Call(request: request, context: context, body: value))
    }

    /// Calls the handler, and converts the errors of an account that was deleted or merged during the request.
    ///
    /// Another server may delete or merge the account of the session at any time. Operations that list these codes
    /// report them. For all others the session has ended, as it has for the next request.
    private func answer(_ call: Call<Context>) async throws -> Response {
        do {
            return try await handle(call)
        } catch let error as AuthError
            where session == .required && (error.code == .userNotFound || error.code == .accountMerged)
            && !problems.contains(ProblemCode(error.code))
        {
            throw AuthError(.invalidUserToken, "the account of the session is gone: \(error.code)")
        } catch let error as AuthError {
            // An error of an application's hook becomes the response, as an error of a handler does.
            throw error.applicationError ?? error
        }
    }

    private static func json(_ request: Request, _ schema: Schema, _ context: Context) async throws -> JSONValue {
        try request.requireType("application/json")
        let limit = context.maxUploadSize
        let bytes = try await request.bytes(upTo: limit, from: context.login)
        let limits = JSONLimits(bytes: limit, depth: 8, members: 64)
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
