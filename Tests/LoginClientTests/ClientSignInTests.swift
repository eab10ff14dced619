// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginClient
import TestSupport
import Testing

/// Sign-ins without an attempt, and the typed results.
@Suite(.rule("SS-5")) struct ClientSignInTests {
    private static let password = ClientCredential.password(email: "ada@corp.example", password: "correct horse")

    @Test func `after a wrong password the user tries again in the same session`() async throws {
        let observed = Observed()
        let transport = ScriptedTransport(refusal(401, "wrong-password"), session(1, account: true))
        let client = ClientSession(transport: transport, handler: observed.handler, now: { now })
        await ClientSessionTests.expect(.wrongPassword) { try await client.signIn(with: Self.password) }
        guard case .signedIn(let result) = try await client.signIn(with: Self.password) else {
            Issue.record("not signed in")
            return
        }
        #expect(result.account.id == "a1" && result.session.id == "s1")
        #expect(observed.states == ["createdOpening", "open"])
        #expect(transport.requests == ["POST /v1/sign-in", "POST /v1/sign-in"])
        await ClientSessionTests.expect(.invalidState) { try await client.signIn(with: Self.password) }
    }

    @Test func `a guest and a new account are signed in`() async throws {
        for signIn: @Sendable (ClientSession) async throws -> ClientAuthResult in [
            { try await $0.signInAnonymously() },
            { try await $0.signUp(email: "ada@corp.example", password: "correct horse") },
        ] {
            let cache = InMemoryTokenCache()
            let client = ClientSession(
                transport: ScriptedTransport(session(1, account: true)),
                caching: cache,
                now: { now }
            )
            #expect(try await signIn(client).account.id == "a1")
            #expect(await client.state == .open)
            #expect(await cache.fetch()?.refreshToken == "llr_1")
        }
    }

    @Test func `a sign-in without an attempt begins only if tokens can be stored`() async throws {
        let (cache, transport) = (BreakableCache(nil), ScriptedTransport(session(1, account: true)))
        let client = ClientSession(transport: transport, caching: cache)
        await cache.setBroken(true)
        await #expect(throws: BreakableCache.Broken.self) { try await client.signInAnonymously() }
        #expect(transport.requests.isEmpty)
    }

    @Test func `a token without a sign-in that has begun is refused, and no request is sent`() async throws {
        let transport = ScriptedTransport(attemptAnswer)
        let attempt = try await ClientSession(transport: transport).begin(provider: "corp")
        let other = ClientSession(transport: transport)
        await ClientSessionTests.expect(.invalidState) {
            try await other.signIn(with: .idToken("eyJ", attempt: attempt))
        }
        #expect(transport.requests == ["POST /v1/attempts"])
    }

    @Test func `a result has the identity and the profile, and one of unknown form is left out`() async throws {
        let opened = { (profile: String) in
            answer(
                200,
                #"""
                {"account":\#(account()),"outcome":"created","identity":{"provider":"facebook","uid":"7",
                "permissions":{"granted":["email"],"declined":["user_birthday"],"expired":[]},"profile":\#(profile)},
                "session":{"id":"s1","account":"a1","level":1,"methods":["fed"],
                "authenticatedAt":"2026-03-01T09:00:00Z","createdAt":"2026-03-01T09:00:00Z",
                "expiresAt":"2026-03-31T09:00:00Z"},
                "tokens":{"sessionToken":"lls_1","refreshToken":"llr_1","expiresAt":"2026-03-01T10:00:00Z"}}
                """#
            )
        }
        let shared = #"""
            {"userID":"7","firstName":"Ada","isLimited":true,"refreshDate":"2026-03-01T09:00:00Z",
            "birthday":{"month":12,"day":10},"ageRange":{"min":21},"permissions":["email"]}
            """#
        for (profile, firstName) in [(shared, "Ada"), (#"{"form":2}"#, nil)] {
            let client = ClientSession(transport: ScriptedTransport(opened(profile)), now: { now })
            let result = try await client.signInAnonymously()
            let identity = try #require(result.identity)
            #expect(result.outcome == .created && identity.uid == "7")
            #expect(identity.permissions?.declined == ["user_birthday"])
            #expect(identity.profile?.firstName == firstName)
            #expect(identity.profile?.birthday?.month == (firstName == nil ? nil : 12))
            #expect(!"\(result) \(identity)".contains("Ada"))
        }
    }

    @Test func `a refused link has the credential of the conflict, which signs in to the other account`() async throws {
        let members = #"""
            ,"pendingCredential":{"expiresAt":"2026-03-01T09:11:00Z","providerID":"club","token":"llp_1"}
            """#
        let transport = ScriptedTransport(refusal(409, "credential-already-in-use", members: members))
        let client = ClientSession(transport: transport, caching: await cached(tokens(1)), now: { now })
        try await client.load()
        try await client.open()
        let error = await #expect(throws: LoginClientError.self) { try await client.user.link(with: Self.password) }
        let pending = try #require(error?.pendingCredential)
        #expect(pending.providerID == "club")
        #expect(await client.state == .open)
        let next = ScriptedTransport(session(2, account: true))
        _ = try await ClientSession(transport: next, now: { now }).signIn(with: .pending(pending))
        #expect(next.bodies[0].contains(#""token":"llp_1""#) && next.bodies[0].contains(#""provider":"club""#))
    }

    @Test func `a merge closes the session of the merged account, and clears its tokens`() async throws {
        let (cache, transport) = (await cached(tokens(1)), ScriptedTransport(session(3, account: true)))
        let target = ClientSession(transport: transport, caching: cache, now: { now })
        let sourceCache = await cached(tokens(2, of: "a2"))
        let source = ClientSession(transport: ScriptedTransport(), caching: sourceCache, now: { now })
        for client in [target, source] {
            try await client.load()
            try await client.open()
        }
        _ = try await target.user.merge(from: source, idempotencyKey: "k1")
        #expect(transport.bodies[0].contains(#""source":"lls_2""#))
        #expect(await source.state == .closed)
        #expect(await sourceCache.fetch() == nil)
        #expect(await target.state == .openTokenExtended)
        #expect(await cache.fetch()?.refreshToken == "llr_3")
    }

    @Test func `deleting the account closes the session without a sign-out, and clears the cache`() async throws {
        let (cache, transport) = (await cached(tokens(1)), ScriptedTransport(answer(204, "")))
        let client = ClientSession(transport: transport, caching: cache, now: { now })
        try await client.load()
        try await client.open()
        try await client.user.deleteAccount()
        #expect(await client.state == .closed)
        #expect(await cache.fetch() == nil)
        #expect(transport.requests == ["DELETE /v1/account"])
    }
}
