// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Where a client keeps the tokens of its session, so that it finds them when it begins anew.
///
/// It is for clients that are servers or commands themselves; a browser keeps its tokens in cookies.
public protocol TokenCachingStrategy: Sendable {
    /// Keeps tokens, in place of those before.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: Where they could not be kept; those before are there then.
    func cache(_ tokens: SessionTokens) async throws

    /// The tokens that were kept last.
    ///
    /// - Returns: The tokens; nil where none are kept.
    /// - Throws: Where that cannot be said.
    func fetch() async throws -> SessionTokens?

    /// Forgets what is kept.
    ///
    /// - Throws: Where it is still there.
    func clear() async throws
}

/// The session of a client that is a server or a command itself: opened with the tokens that it kept, and kept again.
///
/// ```swift
/// let cache = SessionCache(auth: auth, strategy: TokenFile(directory: directory, key: key))
/// let resumed = try await cache.resume()  // nil where somebody has to sign in
/// ```
public struct SessionCache: Sendable {
    private let auth: Auth
    private let strategy: any TokenCachingStrategy

    /// A cache.
    ///
    /// - Parameters:
    ///   - auth: Whose sessions.
    ///   - strategy: Where the tokens are kept.
    public init(auth: Auth, strategy: any TokenCachingStrategy) {
        self.auth = auth
        self.strategy = strategy
    }

    /// Where a session stands before it is opened: ``SessionState/createdTokenLoaded`` where there are tokens.
    ///
    /// - Throws: What the strategy throws.
    public func state() async throws -> SessionState {
        try await strategy.fetch() == nil ? .created : .createdTokenLoaded
    }

    /// Opens a session with the tokens that were kept, and keeps those that it has then.
    ///
    /// Where the tokens lead to no session any more they are forgotten; where the store does not answer they stay.
    ///
    /// - Returns: The session; nil where there were no tokens.
    /// - Throws: ``AuthError``, as ``Auth/resume(_:from:)``; what the strategy throws.
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

    /// Keeps the tokens of a session that was opened otherwise.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: What the strategy throws.
    public func keep(_ tokens: SessionTokens) async throws {
        try await strategy.cache(tokens)
    }

    /// Signs out: clears the cached tokens, closes the session, and revokes its tokens.
    ///
    /// Facebook's SDK 3 calls this `closeAndClearTokenInformation`.
    ///
    /// - Parameter session: The session.
    /// - Throws: ``AuthError``, as ``Session/signOut()``; the errors of the strategy.
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
    /// - Throws: ``AuthError``, as ``Session/closeKeepingTokens()``.
    public func closeKeepingTokens(_ session: Session) async throws(AuthError) {
        try await session.closeKeepingTokens()
    }

    /// What no later try changes.
    private static let ends: [AuthError.Code] = [.invalidUserToken, .userTokenExpired]
}

/// Tokens in the memory of this process.
public actor InMemoryTokenCache: TokenCachingStrategy {
    private var tokens: SessionTokens?

    /// Nothing yet.
    public init() {}

    /// Keeps tokens.
    public func cache(_ tokens: SessionTokens) { self.tokens = tokens }

    /// The tokens that were kept last.
    public func fetch() -> SessionTokens? { tokens }

    /// Forgets them.
    public func clear() { tokens = nil }
}
