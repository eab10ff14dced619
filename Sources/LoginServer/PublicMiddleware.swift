// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird
internal import LoginHummingbird
internal import LoginPages
internal import Tweaks

/// Everything that surrounds the routes of the public listener: origin, limits, responses to errors, metrics, headers.
///
/// It is a single middleware, because each one adds to the time of a request and to the memory of a connection.
struct PublicMiddleware: RouterMiddleware {
    typealias Context = BasicLoginRequestContext

    private let origin: OriginMiddleware<Context>
    private let headers: SecurityHeadersMiddleware<Context>
    private let metrics: RequestMetrics
    private let problems: ProblemMiddleware<Context>
    private let pageProblems: PageProblemMiddleware<Context>
    private let limits: RequestLimits

    init(_ parts: ServiceParts, _ pages: SignInPages<Context>) {
        origin = OriginMiddleware(
            trustedProxies: parts.configuration.proxies,
            bodies: .bodies(connections: parts.configuration.connections)
        )
        headers = SecurityHeadersMiddleware(publicURL: parts.configuration.publicURL)
        metrics = RequestMetrics(factory: parts.metrics)
        problems = ProblemMiddleware(publicURL: parts.configuration.publicURL)
        pageProblems = PageProblemMiddleware(pages)
        limits = RequestLimits(parts.settings.limits)
    }

    @concurrent func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let begun = ContinuousClock.now
        let context = origin.identified(context, request)
        var response: Response
        do {
            try limits.check(request, context)
            response = try await respond(to: request, context, next)
        } catch is CancellationError {
            metrics.record(500, request, context, since: begun)
            throw CancellationError()
        } catch {
            response = try await answer(to: error, request, context)
        }
        metrics.record(response.status.code, request, context, since: begun)
        headers.add(to: &response)
        origin.complete(&response, to: request, context)
        return response
    }

    /// Returns the response to an error: a page or a problem.
    private func answer(to error: any Error, _ request: Request, _ context: Context) async throws -> Response {
        do {
            if let page = try await pageProblems.response(to: error, request, context) { return page }
            return problems.response(to: error, request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return problems.response(to: error, request, context)
        }
    }

    /// Returns whether the response to a request waits for the store.
    ///
    /// For the others, which in general wait for no other thread, a change of the executor would only take time.
    private static func usesStore(_ request: Request) -> Bool {
        let path = request.uri.path
        if path.hasPrefix(forwardAuthOfAPIs) { return request.headers[.dpop] != nil }
        return path != "/healthz" && path != "/v1/verify"
    }

    /// Responds on the event loop of the connection.
    private func respond(
        to request: Request,
        _ context: Context,
        _ next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard Self.usesStore(request), let executor = EventLoopExecutor.of(context.login.eventLoop)
        else {
            return try await next(request, context)
        }
        return try await withTaskExecutorPreference(executor) { try await next(request, context) }
    }
}

/// The common beginning of the paths of forward-auth with access tokens.
private let forwardAuthOfAPIs = "/v1/forward-auth/"

/// The request limits of each network.
///
/// Verification and forward-auth have limits of their own, since servers and proxies call them thousands of times a
/// minute. The health checks have none.
private struct RequestLimits {
    private let requests: RateLimitMiddleware<BasicLoginRequestContext>
    private let verifications: RateLimitMiddleware<BasicLoginRequestContext>
    private let forwarded: RateLimitMiddleware<BasicLoginRequestContext>

    init(_ limits: ServiceTweaks.LimitTweaks) {
        requests = RateLimitMiddleware { limits.requests.value }
        verifications = RateLimitMiddleware { limits.verifications.value }
        forwarded = RateLimitMiddleware { limits.forwarded.value }
    }

    /// Counts a request.
    ///
    /// - Throws: `Problem` with the code `too-many-requests`.
    func check(_ request: Request, _ context: BasicLoginRequestContext) throws(Problem) {
        switch request.uri.path {
        case "/healthz", "/readyz": break
        case "/v1/verify": try verifications.check(request, context)
        case "/v1/forward-auth": try forwarded.check(request, context)
        case let path where path.hasPrefix(forwardAuthOfAPIs): try forwarded.check(request, context)
        default: try requests.check(request, context)
        }
    }
}
#endif
