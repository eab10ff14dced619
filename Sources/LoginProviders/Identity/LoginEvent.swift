// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An event of the browser logins at a provider, or of the provider's metadata.
///
/// Each login that has begun ends at most once: with ``Kind/succeeded``, ``Kind/cancelled`` or ``Kind/failed``. One that
/// never ends did not come back from the provider, or came back without its secret, after its attempt had expired, or
/// while the store was unavailable. No process tracks the logins: they may end on another server. The difference of the
/// two numbers, over all servers and longer than `Limits.nonceLifetime`, is the number of logins that did not come back.
public struct LoginEvent: Sendable {
    /// The kind of event.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The stable name, for example `callback-refused`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// A login has begun: its attempt is stored, and the browser is sent to the provider.
        public static let begun = Self("begun")
        /// A login has ended with a verified ID token.
        ///
        /// Accounts may still refuse it, for example a disabled one.
        public static let succeeded = Self("succeeded")
        /// A login has ended because the user cancelled it.
        public static let cancelled = Self("cancelled")
        /// A login has ended with a failure; ``LoginEvent/failure`` has the reason.
        public static let failed = Self("failed")
        /// A callback was refused that ends no login; ``LoginEvent/failure`` has the reason.
        ///
        /// Anyone can make up such callbacks.
        public static let callbackRefused = Self("callback-refused")
        /// The provider's metadata could not be fetched; ``LoginEvent/detail`` has the reason.
        ///
        /// Reported for the first failure since the start or since a success. If ``LoginEvent/age`` is nil, there is no
        /// metadata, and logins fail; otherwise the earlier metadata stays in use.
        public static let metadataUnavailable = Self("metadata-unavailable")
        /// The provider's metadata was fetched after failures.
        public static let metadataAvailable = Self("metadata-available")
    }

    /// The kind of event.
    public let kind: Kind

    /// The provider.
    public let provider: ProviderID

    /// The reason of a failed login or a refused callback; nil for other events.
    public internal(set) var failure: LoginFailure?

    /// The reason why the metadata is unavailable, for the operator; nil for other events.
    public internal(set) var detail: String?

    /// The time since the metadata in use was fetched, if it could not be renewed; nil for other events.
    public internal(set) var age: Duration?

    init(_ kind: Kind, of provider: ProviderID) {
        (self.kind, self.provider) = (kind, provider)
    }

    /// Creates the event of a callback that was refused before its login was known.
    package init(refused failure: LoginFailure, of provider: ProviderID) {
        self.init(.callbackRefused, of: provider)
        self.failure = failure
    }

    /// Creates the event of a result.
    init(_ result: LoginResult, of provider: ProviderID) {
        switch result {
        case .success: self.init(.succeeded, of: provider)
        case .cancelled: self.init(.cancelled, of: provider)
        case .failed(let failure) where failure.endsAttempt:
            self.init(.failed, of: provider)
            self.failure = failure
        case .failed(let failure): self.init(refused: failure, of: provider)
        }
    }

    /// Creates the event of a change of the metadata's availability.
    init(_ change: ProviderDiscovery.Change, of provider: ProviderID) {
        switch change {
        case .available: self.init(.metadataAvailable, of: provider)
        case .unavailable(let error, let age):
            self.init(.metadataUnavailable, of: provider)
            (detail, self.age) = ("\(error)", age)
        }
    }
}

/// An observer of logins at providers, for logs, metrics or alarms.
///
/// `LoginHTTP` has observers that log and that record metrics.
public struct LoginObserver: Sendable {
    let receive: @Sendable (LoginEvent) -> Void

    /// Creates an observer.
    ///
    /// - Parameter receive: A closure that receives each event. It must not block.
    public init(_ receive: @escaping @Sendable (LoginEvent) -> Void) {
        self.receive = receive
    }
}
