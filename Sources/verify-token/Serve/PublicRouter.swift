// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird
internal import Hummingbird
internal import LimitedLogin
internal import LimitedLoginHummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginKeys

/// The routes that everybody reaches.
///
/// - Parameters:
///   - parts: What the service is made of.
///   - doors: Where people log in by their browsers.
/// - Returns: The router.
/// - Throws: ``ConfigurationFault`` where people cannot be sent to a provider as it says.
func publicRouter(_ parts: ServiceParts, _ doors: [ProviderDoor]) throws(ConfigurationFault)
    -> Router<BasicLoginRequestContext>
{
    let router = Router(context: BasicLoginRequestContext.self, options: .autoGenerateHeadEndpoints)
    let configuration = parts.configuration
    router.add(middleware: OriginMiddleware(trustedProxies: configuration.proxies))
    router.add(middleware: SecurityHeadersMiddleware(publicURL: configuration.publicURL))
    router.add(middleware: RequestMetrics(factory: parts.metrics))
    router.add(middleware: ProblemMiddleware(publicURL: configuration.publicURL))
    var pageOptions = LoginPagesOptions()
    if configuration.mailCommand != nil { pageOptions.passwordMinimum = AuthPolicy().passwords.minimumBytes }
    var providers: [BrowserLogin.Provider] = []
    for door in doors { providers.append(try door.provider()) }
    let browser = BrowserLogin(auth: parts.auth, providers: providers)
    let pages = LoginPages<BasicLoginRequestContext>(
        browser: browser,
        publicURL: configuration.publicURL,
        options: pageOptions
    )
    router.add(middleware: PageProblemMiddleware(pages))
    router.add(middleware: RequestLimits(parts.settings.limits))
    let options = parts.apiOptions
    let api = LoginAPI<BasicLoginRequestContext>(auth: parts.auth, options: options)
    api.addRoutes(to: router)
    api.addDocumentation(to: router, title: "Sign-in", version: VerifyToken.version)
    pages.addRoutes(to: router)
    return router
}

extension ServiceParts {
    /// What the API does beside keeping accounts.
    fileprivate var apiOptions: LoginAPIOptions {
        var options = LoginAPIOptions()
        options.publicURL = configuration.publicURL
        options.allowsGuests = configuration.allowsGuests
        options.facebookApp = providers.facebookApp
        options.profile = { $0.profile }
        options.readiness = [.store(of: auth), .keys(keys)]
        for settings in configuration.providers {
            let name = settings.name
            options.policies[name] = policy(named: name, of: settings)
        }
        for policy in configuration.policies {
            let name = policy.name
            guard let settings = configuration.providers.first(where: { $0.name == policy.provider }) else { continue }
            options.policies[name] = self.policy(named: name, of: settings, nonce: policy.nonce)
        }
        return options
    }

    private func policy(
        named name: String,
        of settings: ServiceConfiguration.ProviderSettings,
        nonce: VerificationPolicy.Nonce = .required
    ) -> VerificationPolicy {
        VerificationPolicy(provider: settings.id, nonce: nonce) { [providers] in providers.verifier(named: name) }
    }
}

extension ServiceParts {
    /// Where people log in by their browsers.
    ///
    /// - Throws: ``ConfigurationFault`` where a secret cannot be read.
    func doors() throws(ConfigurationFault) -> [ProviderDoor] {
        var doors: [ProviderDoor] = []
        for settings in configuration.providers {
            let door = try ProviderDoor(
                settings,
                publicURL: configuration.publicURL,
                attempts: auth.loginAttempts,
                keys: keys,
                transport: transport,
                logger: logger
            )
            doors.append(door)
        }
        return doors
    }
}

/// How often one network may ask: what other servers and proxies send by the thousand has limits of its own, and whether the service is
/// well is told to whoever asks.
private struct RequestLimits: RouterMiddleware {
    typealias Context = BasicLoginRequestContext

    private let requests: RateLimitMiddleware<Context>
    private let verifications: RateLimitMiddleware<Context>
    private let forwarded: RateLimitMiddleware<Context>

    init(_ limits: ServiceTweaks.LimitTweaks) {
        requests = RateLimitMiddleware { limits.requests.currentValue }
        verifications = RateLimitMiddleware { limits.verifications.currentValue }
        forwarded = RateLimitMiddleware { limits.forwarded.currentValue }
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
