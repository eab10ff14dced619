// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import LoginAccounts
public import LoginKeys

/// A check of a dependency that the service needs to handle requests.
public struct ReadinessCheck: Sendable {
    /// The name of the dependency in the response, one or two words.
    public let name: String

    /// A closure that returns whether the dependency is available.
    public let isReady: @Sendable () async -> Bool

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - name: The name of the dependency in the response, one or two words.
    ///   - isReady: A closure that returns whether the dependency is available. It should return within about a second.
    public init(_ name: String, isReady: @escaping @Sendable () async -> Bool) {
        self.name = name
        self.isReady = isReady
    }

    /// Returns a check that the store of accounts responds, has the tables of this version, and is the one that was
    /// opened.
    ///
    /// A full disk does not fail it: reads continue then, and all instances that share the store have the same disk.
    ///
    /// - Parameter auth: The accounts.
    /// - Returns: The check.
    public static func store(of auth: Auth) -> Self {
        Self("store") {
            do {
                try await auth.store.check()
                return true
            } catch {
                return false
            }
        }
    }

    #if HTTPClient
    /// Returns a check that the keys of at least one provider are usable.
    ///
    /// The outage of one provider does not affect users of another provider, or users who are signed in. The metrics of
    /// the cache report it.
    ///
    /// - Parameter keys: The key cache.
    /// - Returns: The check.
    public static func keys(_ keys: KeyCache) -> Self {
        Self("keys") {
            let statuses = keys.statuses
            return statuses.isEmpty || statuses.contains(where: \.isUsable)
        }
    }
    #endif
}
#endif
