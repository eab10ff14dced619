// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LoginAccounts
public import LoginHTTP

/// Accepts requests of signed-in users, and rejects others with status 401, or redirects browsers to the pages.
///
/// It decides with `LoginService.session(of:level:isOptional:)`, answers the errors of the routes behind it with
/// `LoginService.answer(to:of:)`, and completes their responses. No further middleware is needed: it limits the requests
/// of each network, and rejects those of other sites.
///
/// Routes behind it have the session as `context.session` and as `Session.current`. One such middleware may be behind
/// another one that requires less: the session is looked up once.
public struct RequireSession<Context: LoginRequestContext>: RouterMiddleware {
    private let login: LoginService
    private let level: Int
    private let isOptional: Bool

    /// Creates the middleware of a service.
    ///
    /// - Parameters:
    ///   - login: The service.
    ///   - level: The required level of the session: 1, or 2 for a second factor.
    ///   - isOptional: Whether the routes also serve visitors who are not signed in.
    public init(_ login: LoginService, level: Int = 1, isOptional: Bool = false) {
        (self.login, self.level, self.isOptional) = (login, level, isOptional)
    }

    /// Calls the next responder, or redirects or rejects the request.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let decision = try await login.session(
            of: context.login.visit ?? login.visit(ServerRequest(request, context)),
            level: level,
            isOptional: isOptional
        )
        switch decision {
        case .signedIn(_, let visit), .signedOut(let visit):
            let context = context.after(visit)
            do {
                var response = try await withIdentity(visit.session) { try await next(request, context) }
                visit.finish(&response.headers)
                return response
            } catch {
                return Response(try await login.answer(to: Problem.replacing(error), of: visit))
            }
        case .answer(let response): return Response(response)
        }
    }
}

extension LoginService {
    /// The middleware for routes that need a signed-in user.
    ///
    /// If the pages of `LoginPages` are added to the service, before or after these routes, it redirects browsers that
    /// lack a session to the sign-in page; see ``RequireSession``.
    public var requireSession: RequireSession<BasicLoginRequestContext> { RequireSession(self) }

    /// Returns the middleware for routes that need a signed-in user with a second factor.
    ///
    /// - Parameter level: The required level of the session: 2 for a second factor; 1 is ``requireSession``.
    /// - Returns: The middleware.
    public func requireSession(level: Int) -> RequireSession<BasicLoginRequestContext> {
        RequireSession(self, level: level)
    }

    /// The middleware for routes that also serve visitors who are not signed in: `context.identity` is nil for them.
    public var optionalSession: RequireSession<BasicLoginRequestContext> { RequireSession(self, isOptional: true) }
}
#endif
