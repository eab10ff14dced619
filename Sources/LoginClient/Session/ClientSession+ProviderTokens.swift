// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// MARK: - Tokens of providers

extension ClientSession {
    /// Keeps a token of a provider beside the tokens of the session, for example an access token for the provider's
    /// API.
    ///
    /// It is stored where the tokens of the session are stored, with the same protection, and deleted with them: by a
    /// sign-out, and when the service has ended the session. ``ClientUser/unlink(provider:uid:closingOtherSessions:idempotencyKey:)``
    /// and ``ClientUser/revokeLogin(at:accessToken:)`` delete the token of their provider. It is sent to no server.
    ///
    /// - Parameters:
    ///   - token: The token, which replaces that of the same provider.
    ///   - provider: The name of the provider in the configuration of the service.
    /// - Throws: ``LoginClientError``: `invalid-state` unless the session is open; `invalid-provider-token` if the
    ///   token is empty, has more than 16,384 bytes, or has other characters than printable ASCII without spaces, or if
    ///   the session has tokens of eight other providers. Rethrows errors of the cache.
    public func keep(_ token: ClientProviderToken, of provider: String) async throws {
        guard state.isOpen, let kept = tokens?.providerTokens else { throw LoginClientError(.invalidState) }
        let isToken =
            (1...ClientProviderToken.bytes).contains(token.token.utf8.count)
            && token.token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isToken, (1...64).contains(provider.utf8.count),
            kept[provider] != nil || kept.count < ClientProviderToken.count
        else { throw LoginClientError(.invalidProviderToken) }
        try await replaceTokens { old in
            var new = old
            new.providerTokens[provider] = token
            return new
        }
    }

    /// Returns the kept token of a provider.
    ///
    /// - Parameter provider: The name of the provider in the configuration of the service.
    /// - Returns: The token; nil if there is none, or if it has expired.
    public func providerToken(of provider: String) -> ClientProviderToken? {
        guard let token = tokens?.providerTokens[provider] else { return nil }
        return token.expiresAt.map { $0 > now() } ?? true ? token : nil
    }

    /// Deletes the kept token of a provider.
    ///
    /// - Parameter provider: The name of the provider in the configuration of the service.
    /// - Throws: ``LoginClientError`` with the code `invalid-state` unless the session is open. Rethrows errors of the
    ///   cache.
    public func deleteProviderToken(of provider: String) async throws {
        try require(state.isOpen)
        try await dropProviderToken(of: provider)
    }

    /// Deletes the kept token of a provider whose login is gone, if there is one and the session is still open.
    func dropProviderToken(of provider: String) async throws {
        try await replaceTokens { old in
            var new = old
            new.providerTokens[provider] = nil
            return new
        }
    }
}
