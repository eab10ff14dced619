// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Something that happened to the keys of a provider.
public struct KeyCacheEvent: Sendable, Hashable {
    /// What happened.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, for example `fetch-failed`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The keys were fetched.
        public static let fetched = Self("fetched")
        /// The keys could not be fetched; ``KeyCacheEvent/failure`` says why.
        public static let fetchFailed = Self("fetch-failed")
        /// A key is there that was not; ``KeyCacheEvent/keyID`` names it.
        public static let keyAppeared = Self("key-appeared")
        /// A key is no longer there, and what it signed is refused from now on.
        public static let keyVanished = Self("key-vanished")
        /// A key cannot be used, and the others can; ``KeyCacheEvent/detail`` says why.
        public static let keySkipped = Self("key-skipped")
        /// The keys are past their lifetime and serve on, because they cannot be renewed.
        public static let servingStale = Self("serving-stale")
        /// The keys are past the stale limit and serve no more: nothing can be decided until some are fetched.
        public static let keysExpired = Self("keys-expired")
        /// There are no keys yet, and the first attempt to fetch some has failed: nothing can be decided.
        public static let noKeys = Self("no-keys")
        /// After failures, the keys are fresh again.
        public static let freshAgain = Self("fresh-again")
        /// The keys were taken from a file.
        public static let restored = Self("restored")
        /// A file with keys was there and was not used; ``KeyCacheEvent/detail`` says why.
        public static let notRestored = Self("not-restored")
        /// The keys could not be written to a file; ``KeyCacheEvent/detail`` says why.
        public static let notKept = Self("not-kept")
        /// Nothing happened: the keys are there, and their age is told once a minute.
        public static let inUse = Self("in-use")
    }

    /// What happened.
    public let kind: Kind

    /// The name of the provider, as it was given to the cache.
    public let provider: String

    /// The ID of the key that appeared, vanished or was skipped; nil if it has none.
    public var keyID: String?

    /// Why, where there is a reason, for the operator; on one line, bounded, and without secrets.
    public var detail: String?

    /// Why a fetch failed; of keys that are stale, expired or not there yet, why the last one did.
    public var failure: KeyFetchFailure?

    /// How long ago the keys were fetched; nil if there are none, and where the event is about a single key.
    public var age: Duration?

    init(_ kind: Kind, of provider: String) {
        self.kind = kind
        self.provider = provider
    }
}

/// Receives what happens to keys, for logs, metrics or alarms.
public struct KeyCacheObserver: Sendable {
    let receive: @Sendable (KeyCacheEvent) -> Void

    /// An observer.
    ///
    /// - Parameter receive: Is called with each event, in order for each provider. It must not block.
    public init(_ receive: @escaping @Sendable (KeyCacheEvent) -> Void) {
        self.receive = receive
    }
}
