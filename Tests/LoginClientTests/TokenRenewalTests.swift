// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginClient
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.rule("SS-5")) struct TokenRenewalTests {
    /// Returns an open session whose token has expired since.
    static func expired(_ transport: ScriptedTransport, _ cache: InMemoryTokenCache, _ observed: Observed = Observed())
        async throws -> ClientSession
    {
        let clock = Mutex(now)
        let client = ClientSession(
            transport: transport,
            caching: cache,
            handler: observed.handler,
            now: { clock.withLock { $0 } }
        )
        try await client.load()
        try await client.open()
        clock.withLock { $0 = now + 3600 }
        return client
    }

    /// A time after that of the expired tokens.
    static let later = "2026-03-01T11:00:00Z"

    @Test func `concurrent requests wait for one refresh`() async throws {
        let (transport, observed) = (ScriptedTransport(session(2, expires: Self.later)), Observed())
        let client = try await Self.expired(transport, await cached(tokens(1)), observed)
        let headers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { try await client.authorizationHeader() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(headers == ["Bearer lls_2"])
        #expect(transport.requests == ["POST /v1/resume"])
        #expect(observed.states == ["createdTokenLoaded", "open", "openTokenExtended"])
    }

    @Test func `a refresh without a response is repeated with the same refresh token`() async throws {
        let transport = ScriptedTransport(lost, session(2, expires: Self.later))
        let cache = await cached(tokens(1))
        let client = try await Self.expired(transport, cache)
        #expect(try await client.authorizationHeader() == "Bearer lls_2")
        #expect(transport.bodies == [#"{"refreshToken":"llr_1"}"#, #"{"refreshToken":"llr_1"}"#])
        #expect(await cache.fetch()?.refreshToken == "llr_2")
    }

    @Test func `the session stays open while the service is unreachable, and the next request refreshes`() async throws
    {
        let transport = ScriptedTransport(lost, lost, session(2, expires: Self.later))
        let client = try await Self.expired(transport, await cached(tokens(1)))
        await ClientSessionTests.expect(.serviceUnreachable) { try await client.authorizationHeader() }
        #expect(await client.state == .open)
        #expect(try await client.authorizationHeader() == "Bearer lls_2")
    }

    @Test func `a refresh that is refused for good closes the session and clears the cache`() async throws {
        let (cache, observed) = (await cached(tokens(1)), Observed())
        let transport = ScriptedTransport(refusal(401, "invalid-user-token"))
        let client = try await Self.expired(transport, cache, observed)
        await ClientSessionTests.expect(.invalidUserToken) { try await client.authorizationHeader() }
        #expect(observed.states.last == "closed invalid-user-token")
        #expect(await cache.fetch() == nil)
    }

    @Test func `tokens that another process has refreshed are used without a refresh`() async throws {
        let (cache, transport) = (await cached(tokens(1)), ScriptedTransport())
        let client = try await Self.expired(transport, cache)
        await cache.cache(tokens(2, expiresIn: 7200))
        #expect(try await client.authorizationHeader() == "Bearer lls_2")
        #expect(transport.requests.isEmpty)
    }

    @Test func `a late response replaces no newer tokens`() async throws {
        let cache = await cached(tokens(1))
        let late = session(2, expires: Self.later)
        let transport = ScriptedTransport { request in
            await cache.cache(tokens(3, expiresIn: 7200))
            return try await late(request)
        }
        let client = try await Self.expired(transport, cache)
        #expect(try await client.authorizationHeader() == "Bearer lls_3")
        #expect(await cache.fetch()?.refreshToken == "llr_3")
    }

    @Test func `a sign-in of another user in another process closes the session, and its tokens stay cached`()
        async throws
    {
        let (cache, observed) = (await cached(tokens(1)), Observed())
        let client = try await Self.expired(ScriptedTransport(), cache, observed)
        await cache.cache(tokens(2, of: "a2", expiresIn: 7200))
        await ClientSessionTests.expect(.signedOut) { try await client.authorizationHeader() }
        #expect(observed.states.last == "closed signed-out")
        #expect(await cache.fetch()?.accountID == "a2")
    }

    @Test func `tokens of another service are not sent`() async throws {
        var foreign = tokens(1)
        foreign.service = "https://other.example"
        let transport = ScriptedTransport()
        let client = ClientSession(transport: transport, caching: await cached(foreign), now: { now })
        await ClientSessionTests.expect(.otherService) { try await client.load() }
        #expect(transport.requests.isEmpty)
    }

    @Test func `a sign-out in another process closes the session`() async throws {
        let (cache, observed) = (await cached(tokens(1)), Observed())
        let client = try await Self.expired(ScriptedTransport(), cache, observed)
        await cache.clear()
        await ClientSessionTests.expect(.signedOut) { try await client.authorizationHeader() }
        #expect(observed.states.last == "closed signed-out")
    }

    @Test func `a request whose token has expired is sent once more with a new token`() async throws {
        let transport = ScriptedTransport(
            refusal(401, "user-token-expired"),
            session(2),
            answer(200, "notes"),
            refusal(401, "requires-recent-login")
        )
        let client = ClientSession(transport: transport, caching: await cached(tokens(1)), now: { now })
        try await client.load()
        try await client.open()
        #expect(try await client.send(LoginClientRequest("GET", "/notes")).status == 200)
        #expect(transport.authorizations == ["Bearer lls_1", nil, "Bearer lls_2"])
        #expect(try await client.send(LoginClientRequest("DELETE", "/v1/account")).status == 401)
        #expect(transport.requests.count == 4)
    }

    @Test func `a sign-out with an expired token revokes its successor`() async throws {
        let transport = ScriptedTransport(refusal(401, "user-token-expired"), session(2), answer(204, ""))
        let client = try await Self.expired(transport, await cached(tokens(1)))
        try await client.signOut()
        #expect(transport.requests == ["POST /v1/sign-out", "POST /v1/resume", "POST /v1/sign-out"])
        #expect(transport.authorizations.last == "Bearer lls_2")
    }
}
