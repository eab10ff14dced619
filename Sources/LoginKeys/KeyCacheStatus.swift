// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// What a cache knows of one provider's keys at one moment, for health checks and for people.
public struct KeyCacheStatus: Sendable {
    /// The name of the provider, as it was given to the cache.
    public let provider: String

    /// The keys; nil if none were had yet.
    ///
    /// Whether they may still be used, ``isUsable`` says.
    public let keys: JSONWebKeySet?

    /// Where they are from.
    public let keySetURL: EndpointURL?

    /// How long ago they were fetched, by this process or an earlier one.
    public let age: Duration?

    /// How long they are good for, counted from when they were fetched: what the provider said, within the bounds.
    public let lifetime: Duration?

    /// Whether tokens can be verified with them now, fresh or stale.
    public let isUsable: Bool

    /// Whether they are past their lifetime and within the stale limit.
    ///
    /// While a service runs the cache, that means that they could not be renewed. Otherwise it can also mean that nobody has
    /// asked for them since.
    public let isStale: Bool

    /// Why the last attempt to fetch them failed; nil if it did not.
    public let lastFailure: KeyFetchFailure?

    init(_ state: KeyCacheState, provider: String, at now: Duration) {
        self.provider = provider
        keys = state.keys?.set
        keySetURL = state.keys?.url
        age = state.keys.map { now - $0.fetchedAt }
        lifetime = state.keys?.lifetime
        isUsable = state.mayUseKeys(at: now)
        isStale = isUsable && state.keys.map { now - $0.fetchedAt >= $0.lifetime } ?? false
        lastFailure = state.lastFailure
    }
}
