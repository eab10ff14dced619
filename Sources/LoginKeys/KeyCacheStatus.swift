// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The status of one provider's keys at one moment, for health checks and operators.
public struct KeyCacheStatus: Sendable {
    /// The name of the provider, as passed to the cache.
    public let provider: String

    /// The keys; nil if none were fetched yet.
    ///
    /// ``isUsable`` tells whether they can still be used.
    public let keys: JSONWebKeySet?

    /// The URL of the key set; nil if none was fetched yet, or if the key set is a file.
    public let keySetURL: EndpointURL?

    /// The time since the keys were fetched, by this process or an earlier one.
    public let age: Duration?

    /// The lifetime of the keys, from the time of the fetch: the one the provider stated, clamped to the configured
    /// bounds.
    public let lifetime: Duration?

    /// Whether the keys can verify tokens now, fresh or stale.
    public let isUsable: Bool

    /// Whether the keys are past their lifetime and within the stale limit.
    ///
    /// While a service runs the cache, this means that they could not be renewed. Otherwise it can also mean that no
    /// verification has needed them since.
    public let isStale: Bool

    /// The reason why the last fetch failed; nil if it succeeded.
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
