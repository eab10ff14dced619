// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
public import LoginHTTP

/// The responder of a server that has only the routes of a `LoginService`, without a router.
///
/// It responds on the event loop of the connection, and to unknown paths with status 404.
public struct LoginResponder: HTTPResponder {
    /// A closure that is called for each response, for metrics: with the request, the response, and the time it took.
    ///
    /// The response is nil if the task was cancelled.
    public typealias Observer = @Sendable (ServerRequest, ServerResponse?, Duration) -> Void

    private let login: LoginService
    private let routes: LoginRoutes
    private let observe: Observer

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - login: The service.
    ///   - routes: Its routes.
    ///   - observe: A closure that is called for each response.
    public init(_ login: LoginService, _ routes: [LoginRoute], observe: @escaping Observer = { _, _, _ in }) {
        (self.login, self.observe) = (login, observe)
        self.routes = LoginRoutes(routes)
    }

    /// Responds to a request.
    public func respond(to request: Request, context: BasicLoginRequestContext) async throws -> Response {
        let begun = ContinuousClock.now
        let request = ServerRequest(request, context)
        do {
            let response = try await respond(to: request, context)
            observe(request, response, ContinuousClock.now - begun)
            return Response(response)
        } catch {
            observe(request, nil, ContinuousClock.now - begun)
            throw error
        }
    }

    private func respond(
        to request: ServerRequest,
        _ context: BasicLoginRequestContext
    ) async throws(CancellationError) -> ServerResponse {
        guard let (route, parameters) = routes.match(request) else {
            return try await login.refuseUnknownPath(of: request)
        }
        // A store resumes a request on another thread. For the others, a change of the executor would only take time.
        guard route.mayWaitForStore(request), let executor = EventLoopExecutor.of(context.login.eventLoop) else {
            return try await route.respond(to: request, parameters: parameters)
        }
        return try await withTaskExecutorPreference(executor) { () throws(CancellationError) in
            try await route.respond(to: request, parameters: parameters)
        }
    }
}
#endif
