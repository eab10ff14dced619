// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import LoginAccounts

/// Rejects the requests of a network that exceeds its rate limit.
///
/// It protects the service from overload, separately in each process. Guesses of passwords, codes and factors have
/// stricter limits in the store, which all servers share.
public struct RateLimitMiddleware<Context: RequestContext>: RouterMiddleware {
    private let limiter = RateLimiter()
    private let perMinute: @Sendable () -> Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// The network of a request; nil if its client has no address.
    private let network: @Sendable (Request, Context) -> String?

    /// Calls the next responder, or rejects the request with `too-many-requests`.
    ///
    /// Requests without a client address are not limited: those over a Unix socket for which no proxy has reported an
    /// address.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try check(request, context)
        return try await next(request, context)
    }

    /// Counts a request.
    ///
    /// - Throws: ``Problem`` with the code `too-many-requests`.
    package func check(_ request: Request, _ context: Context) throws(Problem) {
        guard let network = network(request, context),
            let wait = limiter.take(network, perMinute: perMinute(), at: now())
        else { return }
        throw Problem(ProblemCode(.tooManyRequests), headers: [.retryAfter: String(Problem.seconds(wait))])
    }
}

extension RateLimitMiddleware where Context: LoginRequestContext {
    /// Creates the middleware for routes behind ``OriginMiddleware``.
    ///
    /// - Parameter perMinute: A closure that returns the maximum number of requests per minute and network, 1 or more.
    ///   It is called for each request, so the limit may change.
    public init(perMinute: @escaping @Sendable () -> Int) {
        self.init(now: { .now }, perMinute: perMinute)
    }

    init(now: @escaping @Sendable () -> ContinuousClock.Instant, perMinute: @escaping @Sendable () -> Int) {
        self.perMinute = perMinute
        self.now = now
        network = { _, context in context.login.origin.addressPrefix }
    }
}

extension RateLimitMiddleware where Context: AccessTokenRequestContext {
    /// Creates the middleware for the routes of a protected resource, to be added before ``RequireAccessToken``.
    ///
    /// - Parameters:
    ///   - resource: The resource, whose trusted proxies report the address of the client in `X-Forwarded-For`.
    ///   - perMinute: A closure that returns the maximum number of requests per minute and network, 1 or more. It is
    ///     called for each request, so the limit may change.
    public init(for resource: ProtectedResource, perMinute: @escaping @Sendable () -> Int) {
        self.init(for: resource, now: { .now }, perMinute: perMinute)
    }

    init(
        for resource: ProtectedResource,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        perMinute: @escaping @Sendable () -> Int
    ) {
        self.perMinute = perMinute
        self.now = now
        let proxies = resource.trustedProxies
        network = { request, context in
            let forwarded = request.headers[values: .xForwardedFor]
            let client = proxies.client(peer: context.access.peer, forwarded: forwarded)
            return RequestOrigin(address: client).addressPrefix
        }
    }
}
#endif
