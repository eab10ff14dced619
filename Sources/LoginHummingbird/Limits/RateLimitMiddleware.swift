// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import LoginAccounts

/// Refuses the requests of a network that has made too many.
///
/// It protects the service from being kept busy. Guesses at passwords, codes and factors have stricter limits of their own, in the
/// store, which all servers share; this one is of each process.
public struct RateLimitMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let limiter: RateLimiter
    private let perMinute: @Sendable () -> Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// A limit.
    ///
    /// - Parameter perMinute: How many requests a network may make in a minute, 1 or more. It is asked with each request, so that it
    ///   may change.
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

    /// Lets the request pass, or refuses it with `too-many-requests`.
    ///
    /// Who has no address is not counted: over a Unix socket, where the proxy names nobody.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let network = context.login.origin.addressPrefix,
            let wait = limiter.take(network, perMinute: perMinute(), at: now())
        {
            throw Problem(
                ProblemCode(.tooManyRequests),
                headers: [.retryAfter: String(Problem.seconds(wait))]
            )
        }
        return try await next(request, context)
    }
}
#endif
