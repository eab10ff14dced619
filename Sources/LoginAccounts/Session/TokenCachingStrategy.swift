// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The storage of a client's session tokens across restarts.
///
/// It is for clients that are servers or command-line tools. A browser keeps its tokens in cookies.
public protocol TokenCachingStrategy: Sendable {
    /// Stores tokens, and replaces the previous ones.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: An error if the tokens were not stored. The previous ones are unchanged then.
    func cache(_ tokens: SessionTokens) async throws

    /// Returns the stored tokens.
    ///
    /// - Returns: The tokens; nil if there are none.
    /// - Throws: An error if the storage cannot be read.
    func fetch() async throws -> SessionTokens?

    /// Deletes the stored tokens.
    ///
    /// - Throws: An error if the tokens were not deleted.
    func clear() async throws
}

/// The session of a client that is a server or command-line tool: resumed with stored tokens, whose successors are
/// stored again.
///
/// ```swift
/// let cache = SessionCache(auth: auth, strategy: TokenFile(directory: directory, key: key))
/// let resumed = try await cache.resume()  // nil where somebody has to sign in
/// ```
public struct SessionCache: Sendable {
    private let auth: Auth
    private let strategy: any TokenCachingStrategy

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - auth: The accounts.
    ///   - strategy: The storage of the tokens.
    public init(auth: Auth, strategy: any TokenCachingStrategy) {
        self.auth = auth
        self.strategy = strategy
    }

    /// Returns the state of the session before it is opened: ``SessionState/createdTokenLoaded`` if there are tokens.
    ///
    /// - Throws: Rethrows errors of the strategy.
    public func state() async throws -> SessionState {
        try await strategy.fetch() == nil ? .created : .createdTokenLoaded
    }

    /// Resumes a session with the stored tokens, and stores the new ones.
    ///
    /// If the tokens are no longer valid, they are deleted; if the store is unavailable, they are kept.
    ///
    /// - Returns: The session; nil if there were no tokens.
    /// - Throws: ``AuthError``: the errors of ``Auth/resume(_:from:)``; rethrows errors of the strategy.
    public func resume() async throws -> RefreshedSession? {
        guard let tokens = try await strategy.fetch() else { return nil }
        let resumed: RefreshedSession
        do throws(AuthError) {
            resumed = try await auth.resume(tokens.refreshToken)
        } catch {
            if Self.ends.contains(error.code) { try await strategy.clear() }
            throw error
        }
        try await strategy.cache(resumed.tokens)
        return resumed
    }

    /// Stores the tokens of a session that was opened elsewhere.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: Rethrows errors of the strategy.
    public func keep(_ tokens: SessionTokens) async throws {
        try await strategy.cache(tokens)
    }

    /// Signs out: clears the cached tokens, closes the session, and revokes its tokens.
    ///
    /// Facebook's SDK 3 calls this `closeAndClearTokenInformation`.
    ///
    /// - Parameter session: The session.
    /// - Throws: ``AuthError``: the errors of ``Session/signOut()``; rethrows errors of the strategy.
    public func signOut(_ session: Session) async throws {
        // The client is signed out even if the service does not respond.
        try await strategy.clear()
        try await session.signOut()
    }

    /// Closes a session, and keeps its tokens in the cache: ``resume()`` opens another session with them.
    ///
    /// Facebook's SDK 3 calls this `close`.
    ///
    /// - Parameter session: The session.
    /// - Throws: ``AuthError``: the errors of ``Session/closeKeepingTokens()``.
    public func closeKeepingTokens(_ session: Session) async throws(AuthError) {
        try await session.closeKeepingTokens()
    }

    /// The permanent errors: the tokens will not become valid again.
    private static let ends: [AuthError.Code] = [.invalidUserToken, .userTokenExpired]
}

/// A token cache in the memory of this process.
public actor InMemoryTokenCache: TokenCachingStrategy {
    private var tokens: SessionTokens?

    /// Creates an empty cache.
    public init() {}

    /// Stores tokens.
    public func cache(_ tokens: SessionTokens) { self.tokens = tokens }

    /// Returns the stored tokens.
    public func fetch() -> SessionTokens? { tokens }

    /// Deletes the tokens.
    public func clear() { tokens = nil }
}
