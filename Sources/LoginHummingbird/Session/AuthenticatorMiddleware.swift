// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LoginAccounts

/// A request context with the identity of the caller.
public protocol IdentityRequestContext: RequestContext {
    /// The type that represents an authenticated caller.
    associatedtype Identity: Sendable

    /// The identity of the caller; nil if the request is unauthenticated.
    var identity: Identity? { get set }
}

extension IdentityRequestContext {
    /// Returns the identity of the caller.
    ///
    /// - Returns: The identity.
    /// - Throws: ``Problem`` with the code `missing-session`, status 401, if the request is unauthenticated.
    public func requireIdentity() throws -> Identity {
        guard let identity else { throw Problem.missingSession }
        return identity
    }
}

extension Problem {
    /// The response to a request without a credential, with a `Bearer` challenge (RFC 6750 §3.1).
    package static var missingSession: Problem {
        Problem(.missingSession, headers: [.wwwAuthenticate: Challenge(nil).text])
    }
}

/// A middleware that authenticates the caller.
///
/// Several authenticators can follow each other, each for one kind of credential. A request without a credential of its
/// kind continues to the next one. A request with an invalid credential of its kind is rejected.
public protocol AuthenticatorMiddleware<Context>: RouterMiddleware where Context: IdentityRequestContext {
    /// Authenticates the caller.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    /// - Returns: The identity; nil if the request presents no credential of this kind.
    /// - Throws: An error if the credential is invalid. The request is rejected.
    func authenticate(request: Request, context: Context) async throws -> Context.Identity?
}

extension AuthenticatorMiddleware {
    /// Authenticates the caller unless the context already has an identity, and calls the next responder.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard context.identity == nil, let identity = try await authenticate(request: request, context: context) else {
            return try await next(request, context)
        }
        var context = context
        context.identity = identity
        return try await next(request, context)
    }
}
#endif
