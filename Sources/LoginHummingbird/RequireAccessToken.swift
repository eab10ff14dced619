// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
public import LoginHTTP

/// Accepts requests with an access token for a `ProtectedResource`, and rejects others.
///
/// ```swift
/// router.group().add(middleware: orders.requireScopes("orders:read")).get("orders") { _, context in
///     "the orders of \(try context.token.subject)\n"
/// }
/// ```
///
/// It decides with `ProtectedResource.token(of:meeting:)`, answers the errors of the routes behind it, and completes
/// their responses. Routes behind it have the token as `context.token`. One such middleware may be behind another one
/// that requires less.
public struct RequireAccessToken<Context: LoginRequestContext>: RouterMiddleware {
    private let resource: ProtectedResource
    private let requirements: RouteRequirements

    /// Creates the middleware of a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - requirements: The requirements of the routes, in addition to those of the policy.
    public init(_ resource: ProtectedResource, _ requirements: RouteRequirements = RouteRequirements()) {
        (self.resource, self.requirements) = (resource, requirements)
    }

    /// Verifies the token, and calls the next responder if it meets the requirements of the route.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let visit = context.login.visit ?? resource.visit(ServerRequest(request, context))
        switch try await resource.token(of: visit, meeting: requirements) {
        case .authorized(_, let visit):
            do {
                var response = try await next(request, context.after(visit))
                visit.finish(&response.headers)
                return response
            } catch {
                return Response(try resource.answer(to: Problem.replacing(error), of: visit))
            }
        case .answer(let response): return Response(response)
        }
    }
}

extension ProtectedResource {
    /// Returns the middleware for routes that need an access token with these scopes.
    ///
    /// - Parameter scopes: The scopes, all of which are required, in addition to those of the policy.
    /// - Returns: The middleware. ``RequireAccessToken`` takes a request context of your own.
    public func requireScopes(_ scopes: String...) -> RequireAccessToken<BasicLoginRequestContext> {
        RequireAccessToken(self, RouteRequirements(scopes: scopes))
    }

    /// Returns the middleware for routes that need an access token, and an authentication of the user.
    ///
    /// - Parameters:
    ///   - scopes: The scopes, all of which are required, in addition to those of the policy; empty for none.
    ///   - maximumAuthenticationAge: The maximum time since the user was authenticated, `auth_time`, one second or more;
    ///     nil for no limit.
    ///   - acceptedACRs: The accepted authentication context classes, `acr`, in order of preference; empty to accept any
    ///     that the policy accepts.
    /// - Returns: The middleware. ``RequireAccessToken`` takes a request context of your own.
    public func requireToken(
        scopes: [String] = [],
        maximumAuthenticationAge: Duration? = nil,
        acceptedACRs: [String] = []
    ) -> RequireAccessToken<BasicLoginRequestContext> {
        RequireAccessToken(
            self,
            RouteRequirements(
                scopes: scopes,
                maximumAuthenticationAge: maximumAuthenticationAge,
                acceptedACRs: acceptedACRs
            )
        )
    }
}
#endif
