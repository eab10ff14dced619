// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginTokens
internal import Synchronization

/// The APIs for which a service verifies access tokens, by name: each is a ``ProtectedResource`` on another server.
public final class ConfiguredAPIs: Sendable {
    private let byName = Mutex<[String: ProtectedResource]>([:])

    /// Creates an empty set.
    public init() {}

    /// Replaces all resources; requests in flight keep those they started with.
    ///
    /// - Parameter resources: The resources by name.
    public func replaceAll(with resources: [String: ProtectedResource]) {
        byName.withLock { $0 = resources }
    }

    /// Whether there are no resources.
    var isEmpty: Bool { byName.withLock { $0.isEmpty } }

    /// The maximum size of a token of any resource, in bytes; the default if there is none.
    var tokenBytes: Int {
        byName.withLock { $0.values.map(\.verifier.requirements.limits.tokenBytes).max() } ?? Limits.tokenBytes
    }

    /// Returns the resource with a name; nil if there is none.
    func resource(named name: String) -> ProtectedResource? { byName.withLock { $0[name] } }
}
#endif
