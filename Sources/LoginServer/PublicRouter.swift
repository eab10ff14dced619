// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird
internal import LimitedLoginHummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginPages
internal import LoginKeys
internal import Tweaks

/// Returns the routes of the public listener.
///
/// - Parameter parts: The parts of the service.
/// - Returns: The router.
func publicRouter(_ parts: ServiceParts) -> Router<BasicLoginRequestContext> {
    let router = Router(context: BasicLoginRequestContext.self, options: .autoGenerateHeadEndpoints)
    let configuration = parts.configuration
    router.add(middleware: OnConnectionLoop())
    router.add(middleware: OriginMiddleware(trustedProxies: configuration.proxies))
    router.add(middleware: SecurityHeadersMiddleware(publicURL: configuration.publicURL))
    router.add(middleware: RequestMetrics(factory: parts.metrics))
    router.add(middleware: ProblemMiddleware(publicURL: configuration.publicURL))
    let pages = SignInPages<BasicLoginRequestContext>(
        auth: parts.auth,
        publicURL: configuration.publicURL,
        options: parts.pages
    )
    router.add(middleware: PageProblemMiddleware(pages))
    router.add(middleware: RequestLimits(parts.settings.limits))
    let options = parts.apiOptions
    let api = LoginAPI<BasicLoginRequestContext>(auth: parts.auth, options: options)
    api.addRoutes(to: router)
    api.addDocumentation(to: router, title: "Sign-in", version: parts.version)
    pages.addRoutes(to: router)
    return router
}

extension ServiceParts {
    /// The options of the HTTP API.
    fileprivate var apiOptions: LoginAPIOptions {
        var options = LoginAPIOptions()
        options.publicURL = configuration.publicURL
        options.allowsGuests = configuration.allowsGuests
        options.facebookApp = facebookApp
        options.readiness = [.store(of: auth), .keys(keys)]
        return options
    }
}

/// The request limits of each network.
///
/// Verification and forward-auth have limits of their own, since servers and proxies call them thousands of times a
/// minute. The health checks have none.
private struct RequestLimits: RouterMiddleware {
    typealias Context = BasicLoginRequestContext

    private let requests: RateLimitMiddleware<Context>
    private let verifications: RateLimitMiddleware<Context>
    private let forwarded: RateLimitMiddleware<Context>

    init(_ limits: ServiceTweaks.LimitTweaks) {
        requests = RateLimitMiddleware { limits.requests.value }
        verifications = RateLimitMiddleware { limits.verifications.value }
        forwarded = RateLimitMiddleware { limits.forwarded.value }
    }

    @concurrent func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        switch request.uri.path {
        case "/healthz", "/readyz": try await next(request, context)
        case "/v1/verify": try await verifications.handle(request, context: context, next: next)
        case "/v1/forward-auth": try await forwarded.handle(request, context: context, next: next)
        default: try await requests.handle(request, context: context, next: next)
        }
    }
}
#endif
