// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LoginTokens
internal import Logging

/// Accepts requests with an access token for a ``ProtectedResource``, and rejects others.
///
/// Handlers behind it have the token as `context.token`. A group with one such middleware may contain routes with
/// another that requires further scopes: the token, and its proof of possession, are verified once for each request.
/// A middleware of another resource verifies both again, for that resource, and a ledger that the two share records the
/// proof once.
///
/// ```swift
/// router.group().add(middleware: RequireAccessToken<MyContext>(orders, scopes: ["orders:read"]))
/// ```
public struct RequireAccessToken<Context: AccessTokenRequestContext>: RouterMiddleware {
    private let resource: ProtectedResource
    private let scopes: [String]

    /// Creates the middleware of a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - scopes: The scopes that a token must contain, all of them, in addition to those of the policy.
    public init(_ resource: ProtectedResource, scopes: [String] = []) {
        precondition(scopes.allSatisfy { ScopeList.isScope($0.utf8) }, "a scope is printable ASCII (RFC 6749 §3.3)")
        self.resource = resource
        self.scopes = scopes
    }

    /// Verifies the token, and calls the next responder if it has the scopes.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        // The other middleware logs the ID of the response under this name.
        if context.logger[metadataKey: "request.id"] == nil {
            context.logger[metadataKey: "request.id"] = context.logger[metadataKey: "hb.request.id"]
        }
        if let token = context.access.token, context.access.resource === resource.identity {
            try resource.checkScopes(scopes, of: token, logger: context.logger)
            return try await next(request, context)
        }
        var access = context.access
        let token = try await resource.authenticate(
            request,
            access: &access,
            scopes: scopes,
            logger: context.logger
        )
        try resource.checkScopes(scopes, of: token, logger: context.logger)
        context.access = access
        var response = try await next(request, context)
        resource.addNonce(to: &response, for: token)
        return response
    }
}
#endif
