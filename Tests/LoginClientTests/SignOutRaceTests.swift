// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginClient
import TestSupport
import Testing

/// Sign-outs while the response to another request is outstanding: it arrives once the session is closed.
@Suite(.rule("SS-5")) struct SignOutRaceTests {
    private let observed = Observed()
    private let sent = AsyncStream<Void>.makeStream()

    /// Returns an answer that arrives after the sign-out has begun.
    private func afterwards(_ answer: @escaping ScriptedTransport.Answer) -> ScriptedTransport.Answer {
        { request in
            sent.continuation.finish()
            await observed.closed()
            return try await answer(request)
        }
    }

    /// Waits until the request with the late answer is sent.
    private func wasSent() async { for await _ in sent.stream {} }

    @Test func `a sign-out during a refresh clears and revokes the new tokens`() async throws {
        let cache = await cached(tokens(1))
        let late = afterwards(session(2, expires: TokenRenewalTests.later))
        let transport = ScriptedTransport(late, answer(204, ""))
        let client = try await TokenRenewalTests.expired(transport, cache, observed)
        let request = Task { try await client.authorizationHeader() }
        await wasSent()
        try await client.signOut()
        #expect(await cache.fetch() == nil)
        await ClientSessionTests.expect(.invalidState) { try await request.value }
        #expect(transport.requests == ["POST /v1/resume", "POST /v1/sign-out"])
        #expect(transport.authorizations.last == "Bearer lls_2")
        #expect(await cache.fetch() == nil)
        #expect(observed.states == ["createdTokenLoaded", "open", "closed"])
    }

    @Test func `a sign-out during a refresh keeps the tokens of another user in the cache`() async throws {
        let cache = await cached(tokens(1))
        let late = session(2, expires: TokenRenewalTests.later)
        let transport = ScriptedTransport(
            afterwards { request in
                await cache.cache(tokens(3, of: "a2"))
                return try await late(request)
            },
            answer(204, "")
        )
        let client = try await TokenRenewalTests.expired(transport, cache, observed)
        let request = Task { try await client.authorizationHeader() }
        await wasSent()
        try await client.signOut()
        await ClientSessionTests.expect(.signedOut) { try await request.value }
        #expect(await cache.fetch()?.accountID == "a2")
        #expect(transport.authorizations.last == "Bearer lls_1")
    }

    @Test func `a sign-in whose response arrives after a sign-out stores nothing, and is revoked`() async throws {
        let (cache, late) = (InMemoryTokenCache(), afterwards(session(1, account: true)))
        let transport = ScriptedTransport(attemptAnswer, late, answer(204, ""))
        let client = ClientSession(transport: transport, caching: cache, handler: observed.handler, now: { now })
        let attempt = try await client.begin(provider: "corp")
        let signIn = Task { try await client.signIn(with: .idToken("eyJ", attempt: attempt)) }
        await wasSent()
        try await client.signOut()
        await ClientSessionTests.expect(.invalidState) { try await signIn.value }
        #expect(await cache.fetch() == nil)
        #expect(transport.requests == ["POST /v1/attempts", "POST /v1/sign-in", "POST /v1/sign-out"])
        #expect(transport.authorizations.last == "Bearer lls_1")
        #expect(observed.states == ["createdOpening", "closedLoginFailed"])
    }
}
