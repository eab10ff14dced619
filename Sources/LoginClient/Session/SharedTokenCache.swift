// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
    /// - Parameters:
    ///   - old: The tokens.
    ///   - now: A closure that returns the current time.
    /// - Returns: The tokens that replace them.
    /// - Throws: ``LoginClientError``: `signed-out` if the cache is empty, or has the tokens of another account or
    ///   service; the refusals of the service; rethrows errors of the cache.
    func successor(of old: CachedTokens, now: () -> Date) async throws -> CachedTokens {
        if let newer = try await newer(than: old) { return newer }
        let answer: ServiceCalls.SignedIn
        do {
            answer = try await service.resume(old.refreshToken)
        } catch let error as LoginClientError where error.code == .serviceUnreachable {
            if let newer = try await newer(than: old) { return newer }
            answer = try await service.resume(old.refreshToken)
        }
        // Another client may have kept the token of a provider meanwhile.
        let held = try await current(of: old)
        guard held.refreshToken == old.refreshToken else { return held }
        let new = answer.renewed(held, at: now())
        try await cache.cache(new)
        return new
    }

    /// Changes the cached tokens, unless the cache contains other tokens than the given ones.
    ///
    /// - Parameters:
    ///   - old: The tokens that are cached, apart from what other clients keep with them.
    ///   - change: Returns the tokens to store in place of the cached ones.
    /// - Throws: Rethrows errors of the cache.
    func update(_ old: CachedTokens, _ change: (CachedTokens) -> CachedTokens) async throws {
        guard let cached = try await cache.fetch(), cached.refreshToken == old.refreshToken else { return }
        try await cache.cache(change(cached))
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
        let cached = try await current(of: old)
        return cached.refreshToken == old.refreshToken ? nil : cached
    }

    /// Returns the cached tokens, which belong to the account and the service of the given ones.
    private func current(of held: CachedTokens) async throws -> CachedTokens {
        guard let cached = try await tokens(ofAccountOf: held) else { throw LoginClientError(.signedOut) }
        return cached
    }
}
