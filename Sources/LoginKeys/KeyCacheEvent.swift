// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An event of a provider's keys.
public struct KeyCacheEvent: Sendable, Hashable {
    /// The kind of event.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, for example `fetch-failed`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The keys were fetched.
        public static let fetched = Self("fetched")
        /// The keys could not be fetched; ``KeyCacheEvent/failure`` has the reason.
        public static let fetchFailed = Self("fetch-failed")
        /// The key set has a new key; ``KeyCacheEvent/keyID`` identifies it.
        public static let keyAppeared = Self("key-appeared")
        /// The key set no longer has a key.
        ///
        /// Tokens that it signed are refused from now on.
        public static let keyVanished = Self("key-vanished")
        /// A key of the set is unusable; ``KeyCacheEvent/detail`` has the reason.
        public static let keySkipped = Self("key-skipped")
        /// The keys are past their lifetime and stay in use, because they cannot be renewed.
        public static let servingStale = Self("serving-stale")
        /// The keys are past the stale limit.
        ///
        /// No token can be verified until the keys are fetched.
        public static let keysExpired = Self("keys-expired")
        /// The first attempt to fetch keys has failed.
        ///
        /// No token can be verified.
        public static let noKeys = Self("no-keys")
        /// The keys are fresh again after failures.
        public static let freshAgain = Self("fresh-again")
        /// The keys were loaded from the store.
        public static let restored = Self("restored")
        /// The stored keys could not be used; ``KeyCacheEvent/detail`` has the reason.
        public static let notRestored = Self("not-restored")
        /// The keys could not be stored; ``KeyCacheEvent/detail`` has the reason.
        public static let notKept = Self("not-kept")
        /// The keys are in use.
        ///
        /// Reported at most once a minute, with their age.
        public static let inUse = Self("in-use")
    }

    /// The kind of event.
    public let kind: Kind

    /// The name of the provider, as passed to the cache.
    public let provider: String

    /// The ID of the key that appeared, vanished or was skipped; nil if it has none.
    public var keyID: String?

    /// The reason, if there is one, for the operator: one line, bounded, without secrets.
    public var detail: String?

    /// The reason why the fetch failed; for stale, expired or missing keys, why the last fetch failed.
    public var failure: KeyFetchFailure?

    /// The time since the keys were fetched; nil if there are none, or if the event is about a single key.
    public var age: Duration?

    init(_ kind: Kind, of provider: String) {
        self.kind = kind
        self.provider = provider
    }
}

/// An observer of key events, for logs, metrics or alarms.
public struct KeyCacheObserver: Sendable {
    let receive: @Sendable (KeyCacheEvent) -> Void

    /// Creates an observer.
    ///
    /// - Parameter receive: A closure that receives each event, in order for each provider. It must not block.
    public init(_ receive: @escaping @Sendable (KeyCacheEvent) -> Void) {
        self.receive = receive
    }
}
