// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import LoginAccounts

/// Accepts requests of signed-in users, and rejects others with status 401 (RFC 6750 §3.1).
///
/// If the service has pages (`LoginPages`), a browser that navigates to the route is redirected (303) instead: without
/// a session to the sign-in page, and for the errors `second-factor-required` and `requires-recent-login` to the page
/// that confirms the user. These may also be errors of the route: `try await session.requireRecentLogin()` is
/// sufficient there. The user returns to the path and query of the request.
///
/// A request is a navigation if it is a GET or HEAD request, its `Accept` names `text/html` and prefers it to JSON, its
/// `Sec-Fetch-Mode`, if present, is `navigate`, and it has no bearer token. All other requests get the error.
///
/// A request with an unsafe method that a browser authenticates by cookie is accepted only if a page of the service
/// made it. A network that exceeds ``LoginService/requestsPerMinute`` gets status 429. No further middleware is needed
/// for these checks.
public struct RequireSession<Context: LoginRequestContext>: RouterMiddleware {
    private let level: Int
    private let pages: AddedPages
    private let origin: OriginMiddleware<Context>
    private let problems: ProblemMiddleware<Context>
    private let limit: RateLimitMiddleware<Context>
    private let authenticator: SessionAuthenticator<Context>
    /// The authenticator for navigations, which deletes the cookie of a session that has ended.
    private let pageAuthenticator: SessionAuthenticator<Context>
    private let sameOrigin: SameOriginMiddleware<Context>

    /// Creates the middleware of a service.
    ///
    /// - Parameters:
    ///   - login: The service.
    ///   - level: The required level of the session: 1, or 2 for a second factor.
    public init(_ login: LoginService, level: Int = 1) {
        // No page could satisfy a higher level.
        precondition((1...2).contains(level), "the level of a session is 1 or 2")
        self.level = level
        pages = login.addedPages
        origin = login.origin()
        problems = ProblemMiddleware(publicURL: login.publicURL)
        limit = login.limit()
        authenticator = SessionAuthenticator(login.auth, clock: login.api.clock)
        pageAuthenticator = SessionAuthenticator(login.auth, staleCookie: .forget, clock: login.api.clock)
        sameOrigin = SameOriginMiddleware(publicURL: login.publicURL)
    }

    /// Calls the next responder, or redirects or rejects the request.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let redirect = request.isNavigation ? pages.redirect : nil
        let authenticator = redirect == nil ? authenticator : pageAuthenticator
        return try await origin.handle(request, context: context) { request, context in
            try await problems.handle(request, context: context) { request, context in
                try await limit.handle(request, context: context) { request, context in
                    try await authenticator.handle(request, context: context) { request, context in
                        do {
                            return try await respond(to: request, context, next)
                        } catch {
                            guard let redirect, let step = Self.step(after: error, context) else { throw error }
                            var response = redirect(step, request.uri.string)
                            response.headers[.vary] = "Accept, Cookie, Sec-Fetch-Mode"
                            return response
                        }
                    }
                }
            }
        }
    }

    /// Calls the next responder if the session is sufficient.
    private func respond(
        to request: Request,
        _ context: Context,
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try await sameOrigin.handle(request, context: context) { request, context in
            try context.session.requireLevel(level)
            return try await next(request, context)
        }
    }

    /// Returns the step of the user after which the request succeeds; nil if there is none.
    ///
    /// A signed-in user is never sent to the sign-in page, whatever the route throws: that page would redirect back at
    /// once. The pages of the other steps wait for the user.
    private static func step(after error: any Error, _ context: Context) -> LoginStep? {
        guard context.identity != nil else { return .signIn }
        // The pages know only the session of the cookie.
        guard context.login.transport == .cookie, let error = error as? AuthError else { return nil }
        switch error.code {
        case .requiresRecentLogin: return .reauthenticate
        case .secondFactorRequired: return .stepUp
        default: return nil
        }
    }
}
#endif
