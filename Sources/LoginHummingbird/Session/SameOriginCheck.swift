// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
public import Hummingbird

/// A check that a state-changing request was made by a page of this site, against cross-site request forgery (CSRF).
///
/// A browser sends a cookie with requests of other sites too, but names the initiator: in `Sec-Fetch-Site` (W3C Fetch
/// Metadata §2.3), older browsers in `Origin` (RFC 6454 §7). Pages can set neither. A request with neither header is
/// rejected: it does not come from a browser whose cookies can be trusted.
package struct SameOriginCheck: Sendable {
    /// The origin of this service: scheme, host and port, as browsers serialize it.
    let origin: String

    /// Creates the check of a service.
    ///
    /// - Parameter publicURL: The public URL of the service.
    package init(publicURL: String) {
        // An origin has no path (RFC 6454 §6.2). Browsers write scheme and host in lowercase.
        let parts = publicURL.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        origin = parts.prefix(3).joined(separator: "/").lowercased()
    }

    /// Verifies that a page of this site made a request.
    ///
    /// - Throws: ``Problem`` with the code `cross-site-request`.
    package func check(_ request: Request) throws(Problem) {
        let sites = request.headers[values: .secFetchSite]
        if !sites.isEmpty {
            guard sites == ["same-origin"] || sites == ["none"] else {
                throw Problem(.crossSite, "Another site made this request.")
            }
            return
        }
        let origins = request.headers[values: .origin]
        guard origins.count == 1, origins[0].utf8.elementsEqual(origin.utf8) else {
            throw Problem(.crossSite, "The request has neither Sec-Fetch-Site nor the Origin of this site.")
        }
    }
}

extension HTTPField.Name {
    /// The header field of W3C Fetch Metadata §2.3.
    package static let secFetchSite = known("Sec-Fetch-Site")
}

/// Rejects state-changing requests of other sites that a browser authenticates by cookie.
///
/// Add it after the ``SessionAuthenticator``. Requests with a bearer token pass, because browsers do not send one by
/// themselves. Requests that only read pass too.
public struct SameOriginMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let check: SameOriginCheck

    /// Creates the middleware.
    ///
    /// - Parameter publicURL: The public URL of the service, for example `https://login.example.com`.
    public init(publicURL: String) {
        check = SameOriginCheck(publicURL: publicURL)
    }

    /// Calls the next responder, or rejects the request.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A WebSocket handshake is a GET, but the connection is not read-only.
        let reads =
            (request.method == .get || request.method == .head || request.method == .options)
            && request.headers[.upgrade] == nil
        if context.login.transport == .cookie, !reads { try check.check(request) }
        return try await next(request, context)
    }
}
#endif
