// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A key source that records its calls.
public final class SpyKeySource: KeySource {
    /// A call.
    public enum Call: Sendable, Hashable {
        /// A call of ``snapshot(for:)``.
        case snapshot(issuer: String)
        /// A call of ``refreshed(for:unknownKeyID:)``.
        case refreshed(issuer: String, unknownKeyID: String?)
    }

    private let first: Result<KeySnapshot, VerificationUnavailable>
    private let second: Result<KeySnapshot, VerificationUnavailable>
    private let made = Mutex<[Call]>([])

    /// All calls, in order.
    public var calls: [Call] { made.withLock { $0 } }

    /// Creates a source that never fails.
    ///
    /// - Parameters:
    ///   - first: The current keys.
    ///   - second: The keys after a refresh; nil for the same.
    public convenience init(_ first: KeySnapshot, then second: KeySnapshot? = nil) {
        self.init(.success(first), then: .success(second ?? first))
    }

    /// Creates a source with these results, which may be failures.
    public init(
        _ first: Result<KeySnapshot, VerificationUnavailable>,
        then second: Result<KeySnapshot, VerificationUnavailable>
    ) {
        self.first = first
        self.second = second
    }

    /// Returns the current keys.
    public func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot {
        made.withLock { $0.append(.snapshot(issuer: issuer)) }
        return try first.get()
    }

    /// Returns the keys after a refresh.
    public func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable)
        -> KeySnapshot
    {
        made.withLock { $0.append(.refreshed(issuer: issuer, unknownKeyID: unknownKeyID)) }
        return try second.get()
    }
}
