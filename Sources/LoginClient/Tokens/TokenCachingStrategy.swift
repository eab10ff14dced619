// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The storage of a client's tokens across restarts.
///
/// ``TokenFile`` and ``InMemoryTokenCache`` implement it. An application implements it to store the tokens elsewhere,
/// for example in the keychain of the system or in a database on its server. ``CachedTokens`` is `Codable` for that
/// purpose. The tokens are secrets: whoever has them is signed in.
///
/// Several clients, also of different processes, may share a storage. A client reads it before it refreshes, and stores
/// new tokens only if the storage still contains those that it has presented.
public protocol TokenCachingStrategy: Sendable {
    /// Prepares to store tokens.
    ///
    /// ``ClientSession/begin(provider:)`` calls it, so that an unusable storage fails the sign-in before the user
    /// logs in at the provider. The default implementation does nothing.
    ///
    /// - Throws: An error if tokens cannot be stored.
    func prepare() async throws

    /// Stores tokens, and replaces the previous ones as a whole.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: An error if the tokens were not stored. The previous ones are unchanged then.
    func cache(_ tokens: CachedTokens) async throws

    /// Returns the stored tokens.
    ///
    /// - Returns: The tokens that were stored last; nil if there are none.
    /// - Throws: An error if the storage cannot be read.
    func fetch() async throws -> CachedTokens?

    /// Deletes the stored tokens.
    ///
    /// - Throws: An error if the tokens were not deleted.
    func clear() async throws
}

extension TokenCachingStrategy {
    /// Does nothing.
    public func prepare() async throws {}
}

/// A token cache in the memory of this process.
public actor InMemoryTokenCache: TokenCachingStrategy {
    private var tokens: CachedTokens?

    /// Creates an empty cache.
    public init() {}

    /// Stores tokens.
    public func cache(_ tokens: CachedTokens) { self.tokens = tokens }

    /// Returns the stored tokens.
    public func fetch() -> CachedTokens? { tokens }

    /// Deletes the tokens.
    public func clear() { tokens = nil }
}
