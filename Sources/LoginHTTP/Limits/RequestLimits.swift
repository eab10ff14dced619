// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts

/// The maximum numbers of requests per minute and network.
///
/// They protect the service from overload, separately in each process. Guesses of passwords, codes and factors have
/// stricter limits in the store, which all servers share. Health checks have no limit, nor has a client without an
/// address: one on a Unix socket for which no proxy has reported one.
///
/// Each limit is evaluated for each request, so it may change while the service runs:
///
/// ```swift
/// login.limits = RequestLimits(requests: settings.requests.value)
/// ```
public struct RequestLimits: Sendable {
    private let requests, verifications, forwarded: @Sendable () -> Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - requests: The requests of one network per minute to the API, to the pages and to the application's routes, 1
    ///     or more.
    ///   - verifications: The tokens that one network verifies per minute with `POST /v1/verify`, 1 or more: servers do
    ///     so for many clients.
    ///   - forwarded: The forward-auth requests of one network of clients per minute, 1 or more: each image of a page is
    ///     one.
    public init(
        requests: @autoclosure @escaping @Sendable () -> Int = 600,
        verifications: @autoclosure @escaping @Sendable () -> Int = 6_000,
        forwarded: @autoclosure @escaping @Sendable () -> Int = 6_000
    ) {
        (self.requests, self.verifications, self.forwarded) = (requests, verifications, forwarded)
    }

    /// Returns the current limit of a group; nil for none.
    func perMinute(of group: RequestGroup) -> Int? {
        switch group {
        case .requests: requests()
        case .verifications: verifications()
        case .forwarded: forwarded()
        case .health: nil
        }
    }
}

/// A group of requests with a limit of its own.
enum RequestGroup: Sendable, CaseIterable {
    case requests, verifications, forwarded, health
}

/// The requests that a server has counted, for all groups.
final class RequestCounts: Sendable {
    private let (requests, verifications, forwarded) = (RateLimiter(), RateLimiter(), RateLimiter())
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Counts a request, unless these counts have counted it already.
    ///
    /// - Parameters:
    ///   - visit: The request.
    ///   - network: The network of its client; nil for a client without an address, which is not limited.
    ///   - group: Its group.
    ///   - perMinute: The limit; nil for none.
    /// - Throws: ``Problem`` with the code `too-many-requests`.
    func count(
        _ visit: inout Visit,
        of network: String?,
        in group: RequestGroup,
        perMinute: Int?
    ) throws(Problem) {
        guard let perMinute, let network, !visit.countedBy.contains(ObjectIdentifier(self)) else { return }
        visit.countedBy.append(ObjectIdentifier(self))
        let limiter =
            switch group {
            case .verifications: verifications
            case .forwarded: forwarded
            case .requests, .health: requests
            }
        guard let wait = limiter.take(network, perMinute: perMinute, at: now()) else { return }
        throw Problem(ProblemCode(.tooManyRequests), headers: [.retryAfter: String(Problem.seconds(wait))])
    }
}
#endif
