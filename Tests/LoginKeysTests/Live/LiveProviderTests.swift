// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginKeys
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Discovery, keys and tokens of independent providers, over sockets, from the first login to the end of an outage.
///
/// No test waits for a time: the events of the cache announce each change.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveProviderTests {
    @Test(.rule("T-162"), arguments: LiveProvider.Kind.allCases)
    func `a token is verified with discovered keys after one request`(
        kind: LiveProvider.Kind
    ) async throws {
        try await LiveProvider.running(kind) { provider in
            let (alice, bob) = (try await provider.logIn(as: "alice"), try await provider.logIn(as: "bob"))
            let relyingParty = try RelyingParty(at: provider)
            try await relyingParty.cache.running {
                // All verifications begin before the first keys arrive.
                try await withThrowingTaskGroup { group in
                    for login in Array(repeating: [alice, bob], count: 20).joined() {
                        group.addTask {
                            let token = try await relyingParty.verify(login)
                            #expect(token.subject == login.subject)
                            #expect(token.nonceCheck == .exactly)
                        }
                    }
                    try await group.waitForAll()
                }
                await expectRefused(.nonce) { () async throws(VerificationError) in
                    try await relyingParty.verify(alice, nonce: bob.nonce)
                }
                await expectRefused(.accessTokenHash) { () async throws(VerificationError) in
                    try await relyingParty.verify(alice, accessToken: bob.accessToken)
                }
            }
            #expect(alice.subject != bob.subject)
            #expect(relyingParty.requests.discoveries == 1)
            #expect(relyingParty.requests.keyFetches == 1)
        }
    }

    @Test(.rule("T-162", "T-168"), arguments: LiveProvider.Kind.allCases)
    func `a token with a new key is verified after one request, and the old key is refused from then on`(
        kind: LiveProvider.Kind
    ) async throws {
        try await LiveProvider.running(kind) { provider in
            let old = try await provider.logIn()
            let relyingParty = try RelyingParty(at: provider)
            try await relyingParty.cache.running {
                _ = try await relyingParty.verify(old)
                #expect(relyingParty.requests.keyFetches == 1)

                try await provider.stop()
                try await provider.rotate()
                try await provider.start()
                let new = try await provider.logIn()
                // No token with the new key has arrived yet: until then the old key stays in use.
                _ = try await relyingParty.verify(old)
                #expect(relyingParty.requests.keyFetches == 1)

                try await withThrowingTaskGroup { group in
                    for _ in 0..<20 { group.addTask { _ = try await relyingParty.verify(new) } }
                    try await group.waitForAll()
                }
                #expect(relyingParty.requests.keyFetches == 2)
                // One provider's tokens name their key, the other's do not.
                await expectRefused(kind == .mock ? .signature : .keyNotFound) { () async throws(VerificationError) in
                    try await relyingParty.verify(old)
                }
                #expect(relyingParty.requests.keyFetches == 2)
            }
        }
    }

    @Test func `a token with a key that was published in advance is verified without a request`() async throws {
        try await LiveProvider.running(.django) { provider in
            let old = try await provider.logIn()
            try await provider.announce()
            let relyingParty = try RelyingParty(at: provider)
            try await relyingParty.cache.running {
                _ = try await relyingParty.verify(old)
                #expect(relyingParty.cache.status(of: provider.issuer)?.keys?.keys.count == 2)
                try await provider.retire()
                _ = try await relyingParty.verify(try await provider.logIn())
            }
            #expect(relyingParty.requests.keyFetches == 1)
        }
    }

    @Test(.rule("T-173"), arguments: LiveProvider.Kind.allCases)
    func `tokens are verified while the provider is down, and its recovery is noticed`(
        kind: LiveProvider.Kind
    ) async throws {
        try await LiveProvider.running(kind) { provider in
            let login = try await provider.logIn()
            let relyingParty = try RelyingParty(at: provider, lifetime: .seconds(1))
            try await relyingParty.cache.running {
                _ = try await relyingParty.verify(login)
                let events = relyingParty.cache.events()
                try await provider.stop()
                try await relyingParty.wait(for: events) { status in
                    status.isStale && status.lastFailure?.code == .transport(.connection)
                }
                _ = try await relyingParty.verify(login)

                try await provider.start()
                try await relyingParty.wait(for: events) { status in !status.isStale && status.lastFailure == nil }
                _ = try await relyingParty.verify(try await provider.logIn())
            }
        }
    }

    @Test(.rule("T-166"), arguments: LiveProvider.Kind.allCases)
    func `tokens are undecided while a provider was never available`(
        kind: LiveProvider.Kind
    ) async throws {
        try await LiveProvider.running(kind) { provider in
            let login = try await provider.logIn()
            try await provider.stop()
            let relyingParty = try RelyingParty(at: provider)
            try await relyingParty.cache.running {
                let events = relyingParty.cache.events()
                await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
                    try await relyingParty.verify(login)
                }
                try await provider.start()
                try await relyingParty.wait(for: events) { status in status.isUsable }
                _ = try await relyingParty.verify(try await provider.logIn())
            }
        }
    }

    @Test(arguments: LiveProvider.Kind.allCases)
    func `a discovery document whose issuer differs by a trailing slash is refused`(
        kind: LiveProvider.Kind
    ) async throws {
        try await LiveProvider.running(kind) { provider in
            let issuer = "\(provider.issuer)/"
            let relyingParty = try RelyingParty(at: provider, issuer: issuer)
            await relyingParty.cache.running {
                let error = await #expect(throws: VerificationUnavailable.self) {
                    try await relyingParty.cache.snapshot(for: issuer)
                }
                #expect(error?.code == .discovery)
            }
            #expect(relyingParty.cache.status(of: issuer)?.lastFailure?.code == .discoveryIssuer)
            #expect(relyingParty.requests.keyFetches == 0)
        }
    }
}

/// A server with logins at one provider.
private struct RelyingParty: Sendable {
    let cache: KeyCache
    let requests = CountingTransport(AsyncHTTPClientTransport())
    private let verifier: TokenVerifier

    /// - Parameters:
    ///   - provider: The provider.
    ///   - issuer: The expected issuer; nil for the provider's own.
    ///   - lifetime: The lifetime of the keys.
    /// - Throws: The error of an invalid cache configuration or policy.
    init(at provider: LiveProvider, issuer: String? = nil, lifetime: Duration = .seconds(300)) throws {
        var openID = Provider.openID(issuers: [issuer ?? provider.issuer])
        openID.allowsLoopbackHTTP = true
        var configuration = KeyCacheConfiguration()
        // A busy machine may be slow.
        configuration.fetchDeadline = .seconds(60)
        configuration.lifetime = lifetime...lifetime
        configuration.retry = .milliseconds(100) ... .milliseconds(500)
        cache = try KeyCache(providers: [openID], transport: requests, configuration: configuration)
        let policy = try TokenPolicy(provider: openID, audiences: [provider.clientID])
        verifier = TokenVerifier(policy: policy, keys: cache)
    }

    func verify(
        _ login: LiveProvider.Login,
        nonce: String? = nil,
        accessToken: String? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        try await verifier.verify(
            login.token,
            nonce: .exactly(nonce ?? login.nonce),
            accessToken: .required(accessToken ?? login.accessToken)
        )
    }

    /// Waits until the status satisfies a condition, which is checked after every event of the keys.
    func wait(for events: AsyncStream<KeyCacheEvent>, until isThere: (KeyCacheStatus) -> Bool) async throws {
        if cache.statuses.allSatisfy(isThere) { return }
        for await _ in events where cache.statuses.allSatisfy(isThere) { return }
        throw LiveProvider.Failure("the cache has ended, or its time is up")
    }
}
#endif
