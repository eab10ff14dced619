// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
public import LoginHTTP

/// Answers the CORS preflights of browsers for the routes of a `ProtectedResource`.
///
/// ```swift
/// router.add(middleware: orders.answerPreflights())
/// ```
///
/// Add it to the router itself, before the routes: the middleware of a group is only called for routes that exist, and
/// no route exists for the method `OPTIONS`. It answers preflights for all paths of the server, and passes on all other
/// requests. A router with several resources has one such middleware, that of a resource with the origins of all: the
/// first one answers for the others.
public struct CrossOriginPreflights<Context: LoginRequestContext>: RouterMiddleware {
    private let resource: ProtectedResource

    /// Creates the middleware of a resource.
    ///
    /// - Parameter resource: The resource, with its allowed origins.
    public init(_ resource: ProtectedResource) { self.resource = resource }

    /// Answers a preflight, and calls the next responder for any other request.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method == .options, let response = resource.preflight(ServerRequest(request, context)) else {
            return try await next(request, context)
        }
        return Response(response)
    }
}

extension ProtectedResource {
    /// Returns the middleware that answers the CORS preflights of browsers.
    ///
    /// - Returns: The middleware. ``CrossOriginPreflights`` takes a request context of your own.
    public func answerPreflights() -> CrossOriginPreflights<BasicLoginRequestContext> { CrossOriginPreflights(self) }
}
#endif
