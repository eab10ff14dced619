// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LoginTokens
internal import Logging

/// Accepts requests with an access token for a ``ProtectedResource``, and rejects others.
///
/// Handlers behind it have the token as `context.token`. A group with one such middleware may contain routes with
/// another that requires more: the token, and its proof of possession, are verified once for each request. A middleware
/// of another resource verifies both again, for that resource, and a ledger that the two share records the proof once.
///
/// ```swift
/// router.group().add(middleware: RequireAccessToken<MyContext>(orders, scopes: ["orders:read"]))
/// ```
///
/// A route may also require a recent authentication of the user, or one of certain classes (RFC 9470). A token without
/// it is refused with the error `insufficient_user_authentication`, and the challenge names what the client must request
/// from the authorization server.
public struct RequireAccessToken<Context: AccessTokenRequestContext>: RouterMiddleware {
    private let resource: ProtectedResource
    private let route: RouteRequirements

    /// Creates the middleware of a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - scopes: The scopes that a token must contain, all of them, in addition to those of the policy.
    ///   - maximumAuthenticationAge: The maximum time since the user was authenticated, `auth_time`, to which the leeway
    ///     of the policy is added; one second or more, nil for no limit.
    ///   - acceptedACRs: The accepted authentication context classes, `acr`, in order of preference: printable ASCII
    ///     without spaces. Empty to accept any that the policy accepts.
    public init(
        _ resource: ProtectedResource,
        scopes: [String] = [],
        maximumAuthenticationAge: Duration? = nil,
        acceptedACRs: [String] = []
    ) {
        self.resource = resource
        route = RouteRequirements(
            scopes: scopes,
            maximumAuthenticationAge: maximumAuthenticationAge,
            acceptedACRs: acceptedACRs
        )
    }

    /// Verifies the token, and calls the next responder if it meets the requirements of the route.
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
            try resource.check(token, for: route, logger: context.logger)
            return try await next(request, context)
        }
        var access = context.access
        let token = try await resource.authenticate(
            request,
            access: &access,
            route: route,
            logger: context.logger
        )
        try resource.check(token, for: route, logger: context.logger)
        context.access = access
        var response = try await next(request, context)
        resource.addNonce(to: &response, for: token)
        return response
    }
}
#endif
