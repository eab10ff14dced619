// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A source of keys that writes down what it is asked.
public final class SpyKeySource: KeySource {
    /// What it was asked for: the keys at hand, or those after a look for an unknown one.
    public enum Call: Sendable, Hashable {
        /// The keys at hand.
        case snapshot(issuer: String)
        /// The keys after a look for more.
        case refreshed(issuer: String, unknownKeyID: String?)
    }

    private let first: Result<KeySnapshot, KeysUnavailable>
    private let second: Result<KeySnapshot, KeysUnavailable>
    private let made = Mutex<[Call]>([])

    /// Everything it was asked, in order.
    public var calls: [Call] { made.withLock { $0 } }

    /// A source that always has keys.
    ///
    /// - Parameters:
    ///   - first: The keys at hand.
    ///   - second: The keys after a look for more; nil for the same.
    public convenience init(_ first: KeySnapshot, then second: KeySnapshot? = nil) {
        self.init(.success(first), then: .success(second ?? first))
    }

    /// A source whose answers may be failures.
    public init(_ first: Result<KeySnapshot, KeysUnavailable>, then second: Result<KeySnapshot, KeysUnavailable>) {
        self.first = first
        self.second = second
    }

    /// The keys at hand.
    public func snapshot(for issuer: String) async throws(KeysUnavailable) -> KeySnapshot {
        made.withLock { $0.append(.snapshot(issuer: issuer)) }
        return try first.get()
    }

    /// The keys after a look for more.
    public func refreshed(for issuer: String, unknownKeyID: String?) async throws(KeysUnavailable) -> KeySnapshot {
        made.withLock { $0.append(.refreshed(issuer: issuer, unknownKeyID: unknownKeyID)) }
        return try second.get()
    }
}
