// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Tracing
internal import HTTPTypes
public import Hummingbird
public import Tracing

/// Creates a span for each request, as part of the client's trace (OpenTelemetry semantic conventions for HTTP
/// servers).
///
/// The span has the route, the status, and the code of a problem, and no personal data: paths and queries of sign-in
/// contain authorization codes, states and user identifiers. So it has only the template of the route, and does not
/// record thrown errors.
///
/// Add the middleware after `ProblemMiddleware`.
public struct LoginTracingMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let tracer: (any Tracer)?

    /// Creates the middleware.
    ///
    /// - Parameter tracer: The tracer; nil for the tracer of the process (`InstrumentationSystem.bootstrap`).
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Calls the next responder within a span.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let tracer = tracer ?? InstrumentationSystem.tracer
        var parent = InstrumentationContext.current ?? .topLevel
        tracer.extract(request.headers, into: &parent, using: HeaderExtractor())
        let method = Self.known(request.method)
        let span = tracer.startAnySpan(method, context: parent, ofKind: .server)
        defer { span.end() }
        span.attributes["http.request.method"] = method
        span.attributes["request.id"] = context.login.requestID
        do {
            let response = try await InstrumentationContext.withValue(span.context) { try await next(request, context) }
            finish(span, method, context, response.status, code: nil)
            return response
        } catch {
            let problem = ProblemMiddleware<Context>.problem(of: error)
            finish(span, method, context, problem.status, code: problem.code)
            throw error
        }
    }

    /// Records the route, which the router has determined by now, and the result.
    private func finish(
        _ span: any Span,
        _ method: String,
        _ context: Context,
        _ status: HTTPResponse.Status,
        code: ProblemCode?
    ) {
        // If no route matches, the router sets a placeholder that does not begin with a slash.
        if let route = context.endpointPath, route.hasPrefix("/") {
            span.operationName = "\(method) \(route)"
            span.attributes["http.route"] = route
        }
        span.attributes["http.response.status_code"] = status.code
        if let code { span.attributes["error.type"] = code.rawValue }
        if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }

    /// Returns the method, or `_OTHER` for an unknown one: clients must not determine the names of spans.
    private static func known(_ method: HTTPRequest.Method) -> String {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
        return known.contains(method) ? method.rawValue : "_OTHER"
    }
}

/// Extracts the trace context from the header fields of a request.
private struct HeaderExtractor: Extractor {
    func extract(key: String, from headers: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { headers[$0] }
    }
}
#endif
