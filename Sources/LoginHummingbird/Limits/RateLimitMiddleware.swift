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
public struct RateLimitMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let limiter: RateLimiter
    private let perMinute: @Sendable () -> Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates the middleware.
    ///
    /// - Parameter perMinute: A closure that returns the maximum number of requests per minute and network, 1 or more.
    ///   It is called for each request, so the limit may change.
    public init(perMinute: @escaping @Sendable () -> Int) {
        self.init(limiter: RateLimiter(), perMinute: perMinute) { .now }
    }

    init(
        limiter: RateLimiter,
        perMinute: @escaping @Sendable () -> Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.limiter = limiter
        self.perMinute = perMinute
        self.now = now
    }

    /// Calls the next responder, or rejects the request with `too-many-requests`.
    ///
    /// Requests without a client address are not limited: those over a Unix socket for which no proxy has reported an
    /// address.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try check(context)
        return try await next(request, context)
    }

    /// Counts a request.
    ///
    /// - Throws: ``Problem`` with the code `too-many-requests`.
    package func check(_ context: Context) throws(Problem) {
        if let network = context.login.origin.addressPrefix,
            let wait = limiter.take(network, perMinute: perMinute(), at: now())
        {
            throw Problem(
                ProblemCode(.tooManyRequests),
                headers: [.retryAfter: String(Problem.seconds(wait))]
            )
        }
    }
}
#endif
