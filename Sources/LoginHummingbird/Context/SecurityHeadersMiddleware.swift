// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird

/// Adds security headers to every response: browsers must not run it, frame it, or guess its media type.
///
/// A header that the response already has stays, as on pages. Add the middleware before those that reject requests, so
/// that their responses have the headers too.
public struct SecurityHeadersMiddleware<Context: RequestContext>: RouterMiddleware {
    private let headers: HTTPFields

    /// Creates the middleware.
    ///
    /// - Parameter publicURL: The public URL of the service. If it is `https`, browsers are told to use only `https`
    ///   (HSTS).
    public init(publicURL: String) {
        headers = SecurityHeaders(isSecure: publicURL.lowercased().hasPrefix("https://")).answer
    }

    /// Calls the next responder, and adds the headers that its response lacks.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for field in headers where !response.headers.contains(field.name) { response.headers.append(field) }
        return response
    }
}
#endif
