// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LoginTokens

extension TokenVerifier {
    /// Creates a verifier for the tokens of one provider, which fetches the provider's keys.
    ///
    /// ```swift
    /// let google = try TokenVerifier(issuer: .google, audience: "client-1")
    /// let token = try await google.verify(text, nonce: .exactly(nonce))
    /// ```
    ///
    /// Create one verifier and share it: it has its own ``KeyCache``. The first verification waits for the keys, later
    /// ones use the cached keys. A server that verifies tokens of several providers, fetches keys before the first
    /// request, stores them, or logs key events creates the cache and a `TokenPolicy` itself, and passes both to
    /// `TokenVerifier(policy:keys:)`.
    ///
    /// - Parameters:
    ///   - issuer: The provider that issues the tokens, a `Provider` such as `.google`, `.apple` or
    ///     `.openID(issuers:)`.
    ///   - audience: Your client ID at the provider.
    ///   - transport: The transport that fetches the keys.
    ///   - clock: The clock for the times in tokens and for dates in responses.
    /// - Throws: `PolicyError` if the audience is empty, ``KeyCacheError`` if the URL of the provider's keys is
    ///   invalid.
    public init(
        issuer: Provider,
        audience: String,
        transport: any HTTPTransport = AsyncHTTPClientTransport(),
        clock: any WallClock = .system
    ) throws {
        let policy = try TokenPolicy(provider: issuer, audiences: [audience])
        let keys = try KeyCache(providers: [issuer], transport: transport, wallClock: clock)
        self.init(policy: policy, keys: keys, clock: clock)
    }
}
#endif
