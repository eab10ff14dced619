// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
package import Hummingbird
internal import LoginAccounts
internal import LoginTokens

/// A request to an operation, whose body has what the operation needs.
package struct Call<Context: LoginRequestContext>: Sendable {
    package let request: Request
    let context: Context

    /// The body, which has passed the operation's schema; nil where there is none.
    let body: JSONValue?

    /// The session that was shown.
    ///
    /// - Throws: ``Problem`` with the code `missing-session`.
    func session() throws -> Session { try context.requireIdentity() }

    /// From where the request came.
    var origin: RequestOrigin { context.login.origin }

    /// The text of a member that the schema requires.
    func text(_ name: String) -> String {
        guard let text = body?[name]?.string else {
            preconditionFailure("the schema of the operation requires the text \(name)")
        }
        return text
    }

    /// The text of a member that may be left out.
    func optionalText(_ name: String) -> String? { body?[name]?.string }

    /// A truth value that may be left out, which is no.
    func flag(_ name: String) -> Bool { body?[name]?.boolean ?? false }

    /// What the path says in place of `{name}`.
    package func parameter(_ name: String) -> String { context.parameters.get(name) ?? "" }

    /// What the client calls this request, so that it may be sent twice (`Idempotency-Key`).
    ///
    /// - Throws: ``Problem`` with the code `invalid-request`.
    func idempotencyKey() throws(Problem) -> String? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard (1...64).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(.invalidRequest, "The header Idempotency-Key has to have 1 to 64 printable characters.")
        }
        return key
    }
}

extension HTTPField.Name {
    /// draft-ietf-httpapi-idempotency-key-header.
    static let idempotencyKey = known("Idempotency-Key")
}

extension Operation {
    /// Reads a request, and answers it.
    func respond(to request: Request, context: Context) async throws -> Response {
        if session == .required { _ = try context.requireIdentity() }
        // The handler reads a form: it is checked by its signature.
        guard case .json(let schema) = body else {
            return try await answer(Call(request: request, context: context, body: nil))
        }
        let value = try await Self.json(request, schema, upTo: context.maxUploadSize)
        return try await answer(Call(request: request, context: context, body: value))
    }

    /// Another server may end an account, or make it part of another, while a request of its session is on its way.
    ///
    /// Operations that are about that say so. At all others the session is over, as it is at the next request.
    private func answer(_ call: Call<Context>) async throws -> Response {
        do {
            return try await handle(call)
        } catch let error as AuthError
            where session == .required && (error.code == .userNotFound || error.code == .accountMerged)
            && !problems.contains(ProblemCode(error.code))
        {
            throw AuthError(.invalidUserToken, "the account of the session is gone: \(error.code)")
        } catch let error as AuthError {
            // A hook of the application responds as a handler does.
            throw error.applicationError ?? error
        }
    }

    private static func json(_ request: Request, _ schema: Schema, upTo limit: Int) async throws -> JSONValue {
        try request.requireType("application/json")
        let bytes = try await request.bytes(upTo: limit)
        let limits = JSONLimits(bytes: limit, depth: 8, members: 64)
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(bytes, limits: limits).root
        } catch {
            throw Problem(.invalidRequest, "The body is not JSON as RFC 8259 has it: \(error.reason).")
        }
        if let fault = schema.fault(in: root) { throw Problem(.invalidRequest, "Wrong: \(fault).") }
        return root
    }
}
#endif
