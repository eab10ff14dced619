// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A user's session with a service, from the sign-in to the sign-out.
///
/// ```swift
/// let session = ClientSession(
///     transport: try URLSessionTransport("https://login.example.com", userAgent: "MyTool/1.0"),
///     caching: TokenFile(path: path)
/// )
/// if try await session.load() == .createdTokenLoaded {
///     try await session.open()  // if it throws an error with `endsSession`, sign in with another session
/// } else {
///     let attempt = try await session.begin(provider: "corp")
///     let idToken = try await logIn(nonce: attempt.nonce)  // at the provider
///     let outcome = try await session.signIn(with: .idToken(idToken, attempt: attempt))
/// }
/// let notes = try await session.send(LoginClientRequest("GET", "/notes"))
/// ```
///
/// ``user`` has the operations on the account of the signed-in user, and ``multiFactor`` those on second factors.
///
/// ``state`` follows the session life of Facebook's SDK 3. The handler is called with each event, in order: when tokens
/// are loaded, the sign-in begins, succeeds or fails, when the tokens are refreshed, and when the session is closed.
/// ``statuses()`` has what an application shows of it, for any number of observers.
///
/// A request refreshes an expired token first. Concurrent requests wait for the same refresh.
public actor ClientSession {
    /// A closure that is called after each event.
    ///
    /// It receives the state, and the error that caused it; nil if there was none. It must not block.
    public typealias StateHandler = @Sendable (_ state: ClientSessionState, _ error: (any Error)?) -> Void

    /// The current state.
    public private(set) var state = ClientSessionState.created

    nonisolated let service: ServiceCalls
    let cache: any TokenCachingStrategy
    let now: @Sendable () -> Date
    private let handler: StateHandler
    private let observers = StatusObservers()
    var tokens: CachedTokens?
    /// The provider of the sign-in that has begun.
    var provider = ""
    /// The sign-in that waits for its second factor.
    var resolver: ClientResolver?
    /// Whether the service has ended the session.
    private var hasExpired = false
    /// The updates of ``tokens`` and of the cache.
    ///
    /// A sign-out waits for them, so that no token is stored afterwards.
    var updates = TokenUpdates()
    /// The tokens that a sign-out has not yet revoked, and deleted from the cache.
    private var unrevoked: CachedTokens?
    /// Whether a sign-out has yet to read the cache: a client that shares it may have refreshed the tokens.
    private var mustReadCache = false

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - transport: The connection to the service.
    ///   - strategy: The storage of the tokens.
    ///   - handler: The closure that is called after each event.
    ///   - now: A closure that returns the current time.
    public init(
        transport: any LoginClientTransport,
        caching strategy: any TokenCachingStrategy = InMemoryTokenCache(),
        handler: @escaping StateHandler = { _, _ in },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        service = ServiceCalls(transport: transport)
        cache = strategy
        self.now = now
        self.handler = handler
    }

    /// The permissions that the user granted at the provider of the sign-in; nil if the session has no tokens, or if the
    /// provider does not report permissions.
    ///
    /// The sign-in sets them, and ``account()`` updates them, in the cache too. ``load()`` restores the cached ones. Call
    /// ``account()`` after a request that changes permissions, and to learn of changes by other clients.
    public var permissions: [String]? { tokens?.permissions }

    /// The time at which the service issued the current tokens; nil if the session has none, or if it is unknown.
    public var refreshDate: Date? { tokens?.refreshDate }

    /// The operations on the account of the signed-in user.
    public nonisolated var user: ClientUser { ClientUser(session: self) }

    /// The operations on the second factors of the signed-in user.
    public nonisolated var multiFactor: ClientMultiFactor { ClientMultiFactor(session: self) }

    /// The status, as an application shows it.
    public var status: ClientStatus {
        ClientStatus(state: state, tokens: tokens, resolver: resolver, hasExpired: hasExpired)
    }

    /// Returns the status now, and after each change.
    ///
    /// Each call returns a stream of its own, for one observer. An observer that is slower than the changes gets the
    /// newest status only. The streams end after the status of a closed session: signing in again needs another
    /// session.
    ///
    /// - Returns: The stream.
    public func statuses() -> AsyncStream<ClientStatus> { observers.add(status, isLast: state.isTerminal) }
}

// MARK: - Requests

extension ClientSession {
    /// Sends a request with the session token, and returns the response, whatever its status is.
    ///
    /// An expired token is refreshed before the request. If the service refuses the token, it is refreshed, and the
    /// request is sent once more; it was not executed before. New tokens in the response to an operation of the API,
    /// for example after a linked login or a new second factor, replace the tokens of the session. The responses of all
    /// other routes are only returned.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: ``LoginClientError``: `invalid-state` unless the session is open; `user-token-expired` and
    ///   `invalid-user-token` if the session has expired or was closed; `signed-out`; `service-unreachable`. Rethrows
    ///   errors of the cache, also after the service has carried out the request.
    public func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
        var used = try await validTokens()
        var response = try await service.send(request.authorized(by: used.sessionToken))
        if Self.refusesToken(response) {
            used = try await renew(used)
            response = try await service.send(request.authorized(by: used.sessionToken))
        }
        if let new = service.newTokens(in: response, to: request, replacing: used, at: now()) {
            try await replaceTokens { [used] held in
                guard held.refreshToken == used.refreshToken else { return held }
                var next = new
                next.providerTokens = held.providerTokens
                return next
            }
        }
        return response
    }

    private static func refusesToken(_ response: LoginClientResponse) -> Bool {
        guard response.status == 401, let code = response.headers["x-auth-error"] else { return false }
        return [LoginClientError.Code.userTokenExpired, .invalidUserToken].contains { $0.rawValue == code }
    }

    /// Returns the value of `Authorization` for a request that the application sends itself (RFC 6750 §2.1).
    ///
    /// Send it to your own servers only. It contains the session token.
    ///
    /// - Returns: `Bearer` and the session token, which is refreshed first if it has expired.
    /// - Throws: The errors of ``send(_:)``.
    public func authorizationHeader() async throws -> String { "Bearer \(try await validTokens().sessionToken)" }

    /// Returns the account of the user, and updates ``permissions``.
    ///
    /// - Returns: The account.
    /// - Throws: The errors of ``send(_:)``, and refusals of the service.
    public func account() async throws -> ClientAccount {
        try await adopt(service.content(of: await send(LoginClientRequest("GET", "/v1/account"))))
    }

    /// Updates ``permissions`` by an account that the service has returned just now.
    func adopt(_ account: ClientAccount) async throws -> ClientAccount {
        try await replaceTokens { old in
            var new = old
            new.permissions = account.permissions(of: old.provider)
            return new
        }
        return account
    }

    /// Replaces the tokens of an open session, in the cache too unless it contains other tokens.
    ///
    /// - Parameter change: Returns the tokens that replace the given ones.
    /// - Throws: Rethrows errors of the cache.
    func replaceTokens(_ change: @escaping @Sendable (CachedTokens) -> CachedTokens) async throws {
        let update = updates.add { try await self.replaceCurrentTokens(change) }
        try await update.value
    }

    private func replaceCurrentTokens(_ change: @Sendable (CachedTokens) -> CachedTokens) async throws {
        guard state.isOpen, let old = tokens else { return }
        let new = change(old)
        guard new != old else { return }
        let stored: Result<Void, any Error>
        do { stored = .success(try await sharedCache.update(old, change)) } catch { stored = .failure(error) }
        guard state.isOpen else { return try stored.get() }
        // The new tokens are used even if the cache fails: the service may accept no others, as after a new password.
        if new.refreshToken != old.refreshToken {
            try advance(by: .tokenExtended, with: new)
        } else {
            tokens = new
            publish()
        }
        try stored.get()
    }

    func validTokens() async throws -> CachedTokens {
        guard state.isOpen, let tokens else { throw LoginClientError(.invalidState) }
        return tokens.expiresAt > now() ? tokens : try await renew(tokens)
    }

    /// Returns the tokens that replace the given ones.
    ///
    /// A failed refresh fails every request that waits for it, and other failed updates of the tokens fail none.
    func renew(_ old: CachedTokens) async throws -> CachedTokens {
        let refresh = updates.addRefresh(with: old.refreshToken) { try await self.refresh(old) }
        try await refresh.value
        guard let tokens else { throw LoginClientError(.invalidState) }
        return tokens
    }

    private func refresh(_ old: CachedTokens) async throws {
        defer { updates.endRefresh(with: old.refreshToken) }
        try require(!state.isTerminal)
        guard tokens?.refreshToken == old.refreshToken else { return }
        let new: CachedTokens
        do {
            new = try await sharedCache.successor(of: old, now: now)
        } catch let error as LoginClientError where error.endsSession {
            if !state.isTerminal { try close(because: error) }
            try await sharedCache.discard(old)
            throw error
        }
        try advance(by: state.isOpen ? .tokenExtended : .opened, with: new)
    }

    var sharedCache: SharedTokenCache { SharedTokenCache(service: service, cache: cache) }
}

// MARK: - Closing

extension ClientSession {
    /// Signs out: revokes the tokens, and clears the cache.
    ///
    /// The tokens are no longer accepted anywhere. A new session loads its tokens first. A session that was closed
    /// otherwise is left alone. Facebook's SDK 3 calls this `closeAndClearTokenInformation`.
    ///
    /// The session is closed at once. A refresh in flight ends first, and its tokens are revoked too; the requests that
    /// wait for it throw `invalid-state`. Tokens of another account or service, which a client that shares the cache
    /// has stored, are neither deleted nor revoked.
    ///
    /// The tokens are revoked even if the cache fails. After an error the call can be repeated: it does what is left.
    /// The cache keeps tokens that a repetition may revoke, so that a later process can sign out with them; until then,
    /// a new session can open with them. Clear the cache yourself to forget them without revocation.
    ///
    /// - Throws: ``LoginClientError``: `service-unreachable` or the code of a refusal if the tokens were not revoked;
    ///   `other-service` if the session is new and the cached tokens belong to another service. Rethrows errors of the
    ///   cache.
    public func signOut() async throws {
        if state == .created { try await load() }
        if !state.isTerminal {
            (unrevoked, mustReadCache) = (tokens, tokens != nil)
            try close()
        }
        // In a closed session, later updates store nothing.
        _ = await updates.last?.result
        var cacheError: (any Error)?
        do { try await adoptCachedTokens() } catch { cacheError = error }
        guard let remaining = unrevoked else { return }
        var refusal: LoginClientError?
        do {
            try await service.revoke(remaining)
        } catch let error as LoginClientError where error.isFinal {
            // No repetition can revoke the tokens.
            refusal = error
        }
        if let cacheError { throw cacheError }
        try await sharedCache.discard(remaining)
        unrevoked = nil
        if let refusal { throw refusal }
    }

    /// Reads the cache for a sign-out, once: tokens of a later sign-in are left alone.
    private func adoptCachedTokens() async throws {
        guard mustReadCache, let held = unrevoked else { return }
        if let cached = try await sharedCache.tokens(ofAccountOf: held) { unrevoked = cached }
        mustReadCache = false
    }

    /// Closes this session, and keeps its tokens in the cache: another ``ClientSession`` opens with them.
    ///
    /// The user stays signed in on this device. Facebook's SDK 3 calls this `close`.
    ///
    /// - Throws: ``LoginClientError`` with the code `invalid-state` if the session is already closed.
    public func closeKeepingTokens() throws { try close() }

    private func close(because error: (any Error)? = nil) throws {
        let hasFailed = !state.isOpen && (tokens == nil || error != nil)
        try advance(by: hasFailed ? .loginFailed : .closed, because: error)
    }

    /// Closes this session after the service has deleted its account, or has merged it into another, and deletes the
    /// tokens of the account from the cache.
    func forget() async throws {
        guard let held = tokens else { return }
        try close()
        // In a closed session, later updates store nothing.
        _ = await updates.last?.result
        if let cached = try await sharedCache.tokens(ofAccountOf: held) { try await sharedCache.discard(cached) }
    }

    func require(_ isAllowed: Bool) throws(LoginClientError) {
        guard isAllowed else { throw LoginClientError(.invalidState) }
    }

    /// Enters the next state, with new tokens if there are any.
    ///
    /// A closed session has no tokens.
    func advance(
        by event: ClientSessionEvent,
        with new: CachedTokens? = nil,
        because error: (any Error)? = nil
    ) throws(LoginClientError) {
        guard let next = state.after(event) else { throw LoginClientError(.invalidState) }
        state = next
        resolver = nil
        if let new { tokens = new }
        if next.isTerminal {
            tokens = nil
            hasExpired = (error as? LoginClientError)?.endsSession == true
        }
        handler(next, error)
        publish()
    }

    /// Makes the sign-in wait for its second factor.
    func wait(for resolver: ClientResolver) {
        self.resolver = resolver
        publish()
    }

    private func publish() { observers.publish(status, isLast: state.isTerminal) }
}
