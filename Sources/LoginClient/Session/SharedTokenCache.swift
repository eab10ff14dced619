// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The access of a session to its token cache, which other clients may share.
struct SharedTokenCache: Sendable {
    let service: ServiceCalls
    let cache: any TokenCachingStrategy

    /// Returns the successors of tokens, after they were stored.
    ///
    /// The cache is read before each request: if another client has replaced the tokens, its tokens are returned, and
    /// no request is sent. It is read again before the new tokens are stored, so that a late response replaces nothing.
    /// A request without a response is repeated once with the same refresh token. The service returns the same new
    /// tokens to a repetition.
    ///
    /// - Parameter old: The tokens.
    /// - Returns: The tokens that replace them.
    /// - Throws: ``LoginClientError``: `signed-out` if the cache is empty, or has the tokens of another account or
    ///   service; the refusals of the service; rethrows errors of the cache.
    func successor(of old: CachedTokens) async throws -> CachedTokens {
        if let newer = try await newer(than: old) { return newer }
        let answer: ServiceCalls.SignedIn
        do {
            answer = try await service.resume(old.refreshToken)
        } catch let error as LoginClientError where error.code == .serviceUnreachable {
            if let newer = try await newer(than: old) { return newer }
            answer = try await service.resume(old.refreshToken)
        }
        let new = answer.renewed(old)
        if let newer = try await newer(than: old) { return newer }
        try await cache.cache(new)
        return new
    }

    /// Stores tokens in place of earlier ones, unless the cache contains other tokens.
    ///
    /// - Parameters:
    ///   - old: The tokens that are cached.
    ///   - new: The tokens to store.
    /// - Throws: Rethrows errors of the cache.
    func replace(_ old: CachedTokens, by new: CachedTokens) async throws {
        if try await cache.fetch()?.refreshToken == old.refreshToken { try await cache.cache(new) }
    }

    /// Clears the cache, unless it contains other tokens.
    func discard(_ old: CachedTokens) async throws {
        guard try await cache.fetch()?.refreshToken == old.refreshToken else { return }
        try await cache.clear()
    }

    /// Returns the cached tokens if they belong to the account and the service of the given ones; otherwise nil.
    ///
    /// A client that shares the cache may have signed in as another user, or at another service.
    func tokens(ofAccountOf held: CachedTokens) async throws -> CachedTokens? {
        guard let cached = try await cache.fetch(), cached.accountID == held.accountID, cached.service == held.service
        else { return nil }
        return cached
    }

    /// Returns the cached tokens if another client has replaced the given ones; otherwise nil.
    private func newer(than old: CachedTokens) async throws -> CachedTokens? {
        guard let cached = try await tokens(ofAccountOf: old) else { throw LoginClientError(.signedOut) }
        return cached.refreshToken == old.refreshToken ? nil : cached
    }
}
