// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension ProtectedResource {
    /// Returns the response to a CORS preflight for a route of the resource.
    ///
    /// ``token(of:meeting:)-(ServerRequest,_)`` and ``respond(to:meeting:with:)`` answer preflights themselves. This function
    /// is for routers that find no route for `OPTIONS`: call it before the router.
    ///
    /// - Parameter request: The request.
    /// - Returns: The complete response; nil if the request is no preflight, or the resource allows no origins.
    public func preflight(_ request: ServerRequest) -> ServerResponse? {
        request.isPreflight ? preflight(visit(request)) : nil
    }

    /// Returns the same for a request that was checked before.
    func preflight(_ visit: Visit) -> ServerResponse? {
        guard var response = allowedOrigins.preflight(visit.request) else { return nil }
        visit.finish(&response.headers)
        return response
    }
}
#endif
