// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
public import Hummingbird

/// Whether a request that changes something was made by a page of this site (CSRF).
///
/// A browser sends a cookie whoever made the request, but it says who did: `Sec-Fetch-Site` in browsers of today (W3C Fetch Metadata
/// §2.3), `Origin` in those before (RFC 6454 §7). No page can set either. A request that names neither is not of a browser that
/// could be trusted with a cookie.
package struct SameOriginCheck: Sendable {
    /// The origin of this service: scheme, host and port, as browsers write it.
    let origin: String

    /// - Parameter publicURL: Where people reach this service.
    package init(publicURL: String) {
        // An origin has no path (RFC 6454 §6.2), and a browser writes scheme and host in lower case.
        let parts = publicURL.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        origin = parts.prefix(3).joined(separator: "/").lowercased()
    }

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
            throw Problem(.crossSite, "The request does not say that a page of this site made it.")
        }
    }
}

extension HTTPField.Name {
    /// W3C Fetch Metadata §2.3.
    package static let secFetchSite = known("Sec-Fetch-Site")
}

/// Refuses requests of other sites that would change something by a browser's cookie.
///
/// It stands behind the ``SessionAuthenticator``. A bearer is not sent by itself, so a request with one passes, and so does one that
/// only reads.
public struct SameOriginMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let check: SameOriginCheck

    /// A check of what browsers send.
    ///
    /// - Parameter publicURL: Where people reach this service, for example `https://login.example.com`.
    public init(publicURL: String) {
        check = SameOriginCheck(publicURL: publicURL)
    }

    /// Lets the request pass, or refuses it.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A WebSocket begins with a GET, and is no mere reading.
        let reads =
            (request.method == .get || request.method == .head || request.method == .options)
            && request.headers[.upgrade] == nil
        if context.login.transport == .cookie, !reads { try check.check(request) }
        return try await next(request, context)
    }
}
#endif
