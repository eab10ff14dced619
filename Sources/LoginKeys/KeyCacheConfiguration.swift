// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// How a key cache behaves.
///
/// What it begins with suits the big providers; change a number only with a reason.
public struct KeyCacheConfiguration: Sendable {
    /// How long keys are good for, however long their provider says: 5 minutes to 24 hours.
    ///
    /// A provider that says nothing, or that keys must not be kept, gets the lower bound: asking more often than that helps
    /// nobody, and a key that was withdrawn is gone within the upper one.
    public var lifetime: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)

    /// How long keys serve beyond their lifetime while their provider does not answer: 24 hours.
    ///
    /// Longer bridges a longer outage. It is also how long somebody who keeps us from the provider can keep a withdrawn key
    /// in use.
    public var staleLimit: Duration = .seconds(86_400)

    /// How often tokens that name unknown keys can make us look for new ones: once in 30 seconds.
    public var cooldown: Duration = .seconds(30)

    /// How long after a failure the next attempt is made: 1 second at first, twice as long after each, 5 minutes at most.
    ///
    /// The upper bound is how long after its return a provider is noticed at the latest.
    public var retry: ClosedRange<Duration> = .seconds(1) ... .seconds(300)

    /// How long one fetch may take, discovery included: 5 seconds.
    public var fetchDeadline: Duration = .seconds(5)

    /// Hosts, in lower case, that a discovery document may send us to for keys, beside the issuer's own origin.
    public var keySetHosts: Set<String> = []

    /// The media types that answers may have: `application/json` and `application/jwk-set+json`.
    public var contentTypes: Set<String> = ["application/json", "application/jwk-set+json"]

    /// Whether `http` will do for addresses on this machine: for tests and development only.
    public var allowsLoopbackHTTP = false

    /// Whether keys will do whose private half everybody can read: for tests only.
    public var allowsPublishedTestKeys = false

    /// The configuration that suits the big providers.
    public init() {}
}

/// Why a key cache cannot be made: a mistake in what it was given.
public struct KeyCacheError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and with what.
    public let description: String

    init(_ description: String) {
        self.description = oneLine(description, limit: 4 * Limits.quotedCharacters)
    }
}

extension KeyCacheConfiguration {
    /// Refuses numbers that would make a cache that cannot work, or that floods its providers.
    func validate() throws(KeyCacheError) {
        try times.validate()
        guard retry.lowerBound >= .milliseconds(100), retry.upperBound <= .seconds(3600) else {
            throw KeyCacheError("retry is to lie within 0.1 seconds and 1 hour")
        }
        // An IPv6 address stands here as in `EndpointURL.host`, without brackets.
        for host in keySetHosts
        where (try? EndpointURL("https://\(host.contains(":") ? "[\(host)]" : host)/"))?.host != host {
            throw KeyCacheError("keySetHosts: \(quoted(host)) is no host in lower case, without scheme and port")
        }
        guard !contentTypes.isEmpty else { throw KeyCacheError("contentTypes is empty: no answer could be read") }
        for type in contentTypes where type != type.lowercased() || !type.contains("/") || type.contains(";") {
            throw KeyCacheError("contentTypes: \(quoted(type)) is no media type in lower case, without parameters")
        }
        guard fetchDeadline >= .milliseconds(100), fetchDeadline <= .seconds(60) else {
            throw KeyCacheError("fetchDeadline is to lie within 0.1 and 60 seconds")
        }
    }
}
