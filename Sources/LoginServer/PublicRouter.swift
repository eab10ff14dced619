// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird
internal import LimitedLoginHummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginPages
internal import LoginKeys

/// Returns the routes of the public listener.
///
/// - Parameter parts: The parts of the service.
/// - Returns: The router.
func publicRouter(_ parts: ServiceParts) -> Router<BasicLoginRequestContext> {
    let router = Router(context: BasicLoginRequestContext.self, options: .autoGenerateHeadEndpoints)
    let configuration = parts.configuration
    let pages = SignInPages<BasicLoginRequestContext>(
        auth: parts.auth,
        publicURL: configuration.publicURL,
        options: parts.pages
    )
    router.add(middleware: PublicMiddleware(parts, pages))
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
        options.configuredAPIs = configuredAPIs
        options.readiness = [.store(of: auth), .keys(keys)]
        return options
    }
}
#endif
