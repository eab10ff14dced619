// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import HTTPTypes

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

    /// Verifies that a page of this site made a request that changes state and that a browser authenticates by cookie.
    ///
    /// Browsers do not send a bearer token by themselves.
    ///
    /// - Throws: ``Problem`` with the code `cross-site-request`.
    func check(_ visit: Visit) throws(Problem) {
        let request = visit.request
        // A WebSocket handshake is a GET, but the connection is not read-only.
        let reads = [.get, .head, .options].contains(request.method) && request.headers[.upgrade] == nil
        if visit.transport == .cookie, !reads { try check(request) }
    }

    /// Verifies that a page of this site made a request.
    ///
    /// - Throws: ``Problem`` with the code `cross-site-request`.
    package func check(_ request: ServerRequest) throws(Problem) {
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
#endif
