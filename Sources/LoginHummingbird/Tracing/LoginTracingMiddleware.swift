// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Tracing
internal import HTTPTypes
public import Hummingbird
public import Tracing

/// Makes a span of each request, as part of the trace that the client has begun (OpenTelemetry's conventions for HTTP servers).
///
/// It says which route was taken and how it ended, a refusal by its code, and nothing of who asked: addresses and queries of sign-in
/// hold codes, states and identifiers of people, so only the template of the route is told, and no error is recorded as it was thrown.
/// It stands after `ProblemMiddleware`.
public struct LoginTracingMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let tracer: (any Tracer)?

    /// Spans of requests.
    ///
    /// - Parameter tracer: What makes them; nil for that of the process (`InstrumentationSystem.bootstrap`).
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Answers within a span.
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

    /// Says how it ended; the router has found the route by now.
    private func finish(
        _ span: any Span,
        _ method: String,
        _ context: Context,
        _ status: HTTPResponse.Status,
        code: ProblemCode?
    ) {
        // Where there is none the router has a word in its place.
        if let route = context.endpointPath, route.hasPrefix("/") {
            span.operationName = "\(method) \(route)"
            span.attributes["http.route"] = route
        }
        span.attributes["http.response.status_code"] = status.code
        if let code { span.attributes["error.type"] = code.rawValue }
        if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }

    /// The method, or `_OTHER` for one that nobody has heard of: a client must not make names of spans.
    private static func known(_ method: HTTPRequest.Method) -> String {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
        return known.contains(method) ? method.rawValue : "_OTHER"
    }
}

/// Reads what a client says of its trace.
private struct HeaderExtractor: Extractor {
    func extract(key: String, from headers: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { headers[$0] }
    }
}
#endif
