// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LoginAccounts

/// A request's context that knows who asks.
public protocol IdentityRequestContext: RequestContext {
    /// Who asks, as your server sees them.
    associatedtype Identity: Sendable

    /// Who asks; nil where nobody is known yet.
    var identity: Identity? { get set }
}

extension IdentityRequestContext {
    /// Who asks.
    ///
    /// - Returns: The identity.
    /// - Throws: ``Problem`` with the code `missing-session`, which is status 401.
    public func requireIdentity() throws -> Identity {
        guard let identity else { throw Problem.missingSession }
        return identity
    }
}

extension Problem {
    /// Nobody is signed in: a client that showed nothing is told what to show (RFC 6750 §3.1).
    package static var missingSession: Problem {
        Problem(.missingSession, headers: [.wwwAuthenticate: BearerChallenge(nil).text])
    }
}

/// A middleware that finds out who asks.
///
/// Several may stand behind each other, each for another kind of credential. One that finds nothing of its kind passes on; one that
/// finds a wrong credential of its kind stops the request.
public protocol AuthenticatorMiddleware<Context>: RouterMiddleware where Context: IdentityRequestContext {
    /// Finds out who asks.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    /// - Returns: Who asks; nil where the request shows no credential of this kind.
    /// - Throws: Where the request shows one that is not good: it goes no further.
    func authenticate(request: Request, context: Context) async throws -> Context.Identity?
}

extension AuthenticatorMiddleware {
    /// Finds out who asks, unless that is known, and goes on.
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
