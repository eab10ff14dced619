// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird

/// Tells browsers of every answer what they must not do with it: nothing in it is run, framed, or taken for another type.
///
/// An answer that says so itself, as pages do, keeps what it says. It stands before all else, so that refusals have them too.
public struct SecurityHeadersMiddleware<Context: RequestContext>: RouterMiddleware {
    private let headers: HTTPFields

    /// The headers of a service.
    ///
    /// - Parameter publicURL: Where people reach it: where that is `https`, browsers are told to come by nothing else.
    public init(publicURL: String) {
        headers = SecurityHeaders(isSecure: publicURL.lowercased().hasPrefix("https://")).answer
    }

    /// Answers, and adds what the answer does not say.
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
