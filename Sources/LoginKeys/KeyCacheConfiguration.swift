// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The configuration of a key cache.
///
/// The defaults suit the large providers. Change a value only for a reason.
public struct KeyCacheConfiguration: Sendable {
    /// The bounds of the lifetime of keys: 5 minutes to 24 hours by default.
    ///
    /// The lifetime that the provider states is clamped to these bounds. Without one, or with `no-store` or `no-cache`,
    /// the lower bound applies, because more frequent fetches have no benefit. The upper bound is the longest time that
    /// a withdrawn key stays in use while the provider is reachable.
    public var lifetime: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)

    /// The time that keys stay in use beyond their lifetime while the provider is unavailable: 24 hours by default.
    ///
    /// A longer time bridges a longer outage. It is also the time for which an attacker who blocks the connection to
    /// the provider can keep a withdrawn key in use.
    public var staleLimit: Duration = .seconds(86_400)

    /// The minimum time between two fetches that tokens with unknown keys, or an operator, can cause: 30 seconds by
    /// default.
    public var cooldown: Duration = .seconds(30)

    /// The delay after a failure: 1 second by default, doubled after each further failure, 5 minutes at most.
    ///
    /// A random part of up to half is subtracted. The upper bound is the longest time after which the return of a
    /// provider is noticed.
    public var retry: ClosedRange<Duration> = .seconds(1) ... .seconds(300)

    /// The maximum duration of a fetch, discovery included: 5 seconds by default.
    public var fetchDeadline: Duration = .seconds(5)

    /// The hosts, in lowercase, that a `jwks_uri` may have beside the issuer's own origin.
    public var keySetHosts: Set<String> = []

    /// The maximum number of keys in a set, and its maximum size: by default 100 keys in 256 KiB.
    public var keySetLimits = KeySetLimits.standard

    /// Whether keys with a published private key are accepted, for tests only.
    public var allowsPublishedTestKeys = false

    /// Creates the default configuration.
    public init() {}
}

/// An invalid argument or configuration of a key cache.
public struct KeyCacheError: Error, Sendable, CustomStringConvertible {
    /// The details of the error.
    public let description: String

    init(_ description: String) {
        self.description = oneLine(description, limit: 4 * Limits.quotedCharacters)
    }
}

extension KeyCacheConfiguration {
    /// Returns a stated lifetime clamped to the bounds, or the lower bound if none is stated (T-165).
    package func clamped(_ stated: Duration?) -> Duration {
        min(max(stated ?? lifetime.lowerBound, lifetime.lowerBound), lifetime.upperBound)
    }

    /// Throws an error if a value would break the cache, or flood the providers with requests.
    func validate() throws(KeyCacheError) {
        try times.validate()
        guard retry.lowerBound >= .milliseconds(100), retry.upperBound <= .seconds(3600) else {
            throw KeyCacheError("retry must be between 0.1 seconds and 1 hour")
        }
        // As in `EndpointURL.host`, an IPv6 address has no brackets.
        for host in keySetHosts
        where (try? EndpointURL("https://\(host.contains(":") ? "[\(host)]" : host)/"))?.host != host {
            throw KeyCacheError(
                "keySetHosts: \(quoted(host)) must be a host name in lowercase, without scheme and port"
            )
        }
        guard fetchDeadline >= .milliseconds(100), fetchDeadline <= .seconds(60) else {
            throw KeyCacheError("fetchDeadline must be between 0.1 and 60 seconds")
        }
    }
}
