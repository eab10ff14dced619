// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import LoginAccounts
public import LoginKeys

/// Something that a service needs to do its work, and whether it is there.
public struct ReadinessCheck: Sendable {
    /// What it is, in a word or two: it stands in the answer.
    public let name: String

    /// Whether it is there now.
    public let isReady: @Sendable () async -> Bool

    /// A check.
    ///
    /// - Parameters:
    ///   - name: What is needed, in a word or two. It stands in the answer.
    ///   - isReady: Whether it is there now. It answers within a second or so.
    public init(_ name: String, isReady: @escaping @Sendable () async -> Bool) {
        self.name = name
        self.isReady = isReady
    }

    /// Whether the store of accounts answers.
    ///
    /// - Parameter auth: Whose store.
    /// - Returns: The check.
    public static func store(of auth: Auth) -> Self {
        Self("store") {
            do {
                try await auth.store.read { _ in }
                return true
            } catch {
                return false
            }
        }
    }

    #if HTTPClient
    /// Whether there are keys to verify with: of one provider at least.
    ///
    /// The outage of one provider takes nothing from those who sign in with another, or are signed in; that its keys are not there, the
    /// metrics of the cache say.
    ///
    /// - Parameter keys: What fetches them.
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
