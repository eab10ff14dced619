// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginTokens

/// A browser's navigation about which a reverse proxy asks.
///
/// The user of a refused navigation is sent to the page that helps, and returns from there. Scripts are not: they would
/// read the page as the response that they wanted.
struct ForwardedNavigation: Sendable {
    /// The status of the refusal.
    enum Refusal: String, Sendable, CaseIterable {
        /// The redirect itself, for a proxy that passes it on to the browser.
        case redirect = "303"
        /// No redirect, but its location: `auth_request` of nginx passes on no other status than 401 and 403.
        case unauthorized = "401"
    }

    /// The name of the query parameter with the status.
    static let parameter = "navigation"

    let refusal: Refusal

    /// The request of the browser.
    let request: ServerRequest

    /// Creates the navigation; nil if the proxy wants no redirects, or the request is another one.
    ///
    /// - Parameters:
    ///   - visit: The request of the proxy, with `X-Forwarded-Method` and `X-Forwarded-Uri`.
    ///   - proxies: The proxies from which alone these are read.
    init?(_ visit: Visit, of proxies: TrustedProxies) {
        let asked = visit.request
        let (methods, targets) = (asked.headers[values: .xForwardedMethod], asked.headers[values: .xForwardedURI])
        guard let query = asked.query, let fields = FormFields(reading: query.utf8),
            let refusal = fields.only(Self.parameter).flatMap({ Refusal(rawValue: $0) }),
            proxies.isTrusted(asked.peer), methods.count == 1, targets.count == 1,
            let method = HTTPRequest.Method(rawValue: methods[0]), targets[0].hasPrefix("/")
        else { return nil }
        var head = asked.head
        head.method = method
        head.path = targets[0]
        let request = ServerRequest(head, from: asked.peer, body: asked.body, logger: asked.logger)
        guard request.isNavigation else { return nil }
        (self.refusal, self.request) = (refusal, request)
    }
}

extension LoginService {
    /// Returns the response that sends the user of a refused navigation to the page of the step after which it succeeds.
    ///
    /// The location is absolute: a proxy would complete a relative one with its own address of the service.
    ///
    /// - Parameters:
    ///   - navigation: The navigation.
    ///   - error: The refusal.
    ///   - visit: The request of the proxy.
    /// - Returns: The response; nil if no step helps, or the service has no pages.
    func redirect(_ navigation: ForwardedNavigation, after error: any Error, _ visit: Visit) -> ServerResponse? {
        guard let pages = addedPages.functions, let step = Self.step(after: error, visit) else { return nil }
        let redirect = pages.redirect(step, navigation.request.target)
        let location = redirect.headers[.location].map { sameOrigin.origin + $0 }
        var response =
            switch navigation.refusal {
            case .redirect: redirect
            case .unauthorized: Problem(of: error).response(requestID: visit.requestID, base: publicURL)
            }
        response.headers[.location] = location
        response.headers[.vary] = "Accept, Cookie, Sec-Fetch-Mode"
        return response
    }
}
#endif
