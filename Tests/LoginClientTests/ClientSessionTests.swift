// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginClient
import TestSupport
import Testing

@Suite(.rule("SS-5")) struct ClientSessionTests {
    /// The tokens of another service.
    private var elsewhere: CachedTokens {
        var foreign = tokens(2)
        foreign.service = "https://other.example"
        return foreign
    }

    /// Expects that `body` throws a ``LoginClientError`` with this code.
    static func expect<Value>(
        _ code: LoginClientError.Code,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Value
    ) async {
        do {
            _ = try await body()
            Issue.record("no error, expected \(code.rawValue)", sourceLocation: sourceLocation)
        } catch let error as LoginClientError {
            #expect(error.code == code, sourceLocation: sourceLocation)
        } catch {
            Issue.record("\(error), expected \(code.rawValue)", sourceLocation: sourceLocation)
        }
    }

    /// Returns a session that is open with the cached tokens.
    private static func open(
        _ transport: ScriptedTransport,
        _ cache: any TokenCachingStrategy,
        _ observed: Observed = Observed()
    ) async throws -> ClientSession {
        let client = ClientSession(transport: transport, caching: cache, handler: observed.handler, now: { now })
        try await client.load()
        try await client.open()
        return client
    }

    @Test func `a sign-in opens the session, and a sign-out revokes and clears the tokens`() async throws {
        let transport = ScriptedTransport(attemptAnswer, session(1, account: true), answer(204, ""))
        let (cache, observed) = (InMemoryTokenCache(), Observed())
        let client = ClientSession(
            transport: transport,
            caching: cache,
            handler: observed.handler,
            now: { now }
        )
        #expect(try await client.load() == .created)
        let attempt = try await client.begin(provider: "corp")
        #expect(attempt.nonce == "n1")
        let outcome = try await client.signIn(with: .idToken("eyJ", attempt: attempt))
        guard case .signedIn(let result) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(result.account.email == "ada@corp.example")
        #expect(await cache.fetch()?.refreshToken == "llr_1")
        #expect(await client.permissions == ["email"])
        #expect(try await client.authorizationHeader() == "Bearer lls_1")
        try await client.signOut()
        #expect(await cache.fetch() == nil)
        #expect(transport.requests == ["POST /v1/attempts", "POST /v1/sign-in", "POST /v1/sign-out"])
        #expect(transport.bodies[1].contains("lla_1"))
        #expect(transport.authorizations.last == "Bearer lls_1")
        #expect(observed.states == ["createdOpening", "open", "closed"])
        await Self.expect(.invalidState) { try await client.authorizationHeader() }
    }

    @Test func `a sign-in begins only if tokens can be stored`() async throws {
        let (cache, transport) = (BreakableCache(nil), ScriptedTransport(attemptAnswer))
        let client = ClientSession(transport: transport, caching: cache)
        await cache.setBroken(true)
        await #expect(throws: BreakableCache.Broken.self) { try await client.begin(provider: "corp") }
        #expect(transport.requests.isEmpty)
        await cache.setBroken(false)
        #expect(try await client.begin(provider: "corp").nonce == "n1")
    }

    @Test func `a sign-out neither deletes nor revokes the cached tokens of another service or account`() async throws {
        for foreign in [elsewhere, tokens(2, of: "a2")] {
            let (cache, transport) = (await cached(tokens(1)), ScriptedTransport(answer(204, "")))
            let client = ClientSession(transport: transport, caching: cache)
            try await client.load()
            await cache.cache(foreign)
            try await client.signOut()
            #expect(await cache.fetch() == foreign)
            #expect(transport.authorizations == ["Bearer lls_1"])
        }
    }

    @Test func `a new session signs out with the cached tokens of its own service only`() async throws {
        let (cache, transport) = (await cached(elsewhere), ScriptedTransport(answer(204, "")))
        let client = ClientSession(transport: transport, caching: cache)
        await Self.expect(.otherService) { try await client.signOut() }
        #expect(await cache.fetch() == elsewhere)
        #expect(transport.requests.isEmpty)
        await cache.cache(tokens(1))
        try await client.signOut()
        #expect(await cache.fetch() == nil)
        #expect(transport.authorizations == ["Bearer lls_1"])
    }

    @Test(arguments: [
        ("HTTPS://Login.Corp.example:443/", true), ("https://login.corp.example:8443", false),
        ("https://login.corp.example/other", false), ("http://login.corp.example", false),
    ])
    func `the URL of the service is compared in its normal form`(_ url: String, _ isSame: Bool) async throws {
        var stored = tokens(1)
        stored.service = url
        let client = ClientSession(transport: ScriptedTransport(), caching: await cached(stored))
        if isSame {
            #expect(try await client.load() == .createdTokenLoaded)
        } else {
            await Self.expect(.otherService) { try await client.load() }
        }
    }

    @Test func `a sign-out with a broken cache revokes the tokens, and is repeated to clear the cache`() async throws {
        let cache = BreakableCache(tokens(1))
        let transport = ScriptedTransport(
            answer(204, ""),
            refusal(401, "invalid-user-token"),
            refusal(401, "invalid-user-token")
        )
        let client = ClientSession(transport: transport, caching: cache)
        try await client.load()
        await cache.setBroken(true)
        await #expect(throws: BreakableCache.Broken.self) { try await client.signOut() }
        #expect(transport.authorizations == ["Bearer lls_1"])
        await cache.setBroken(false)
        try await client.signOut()
        #expect(try await cache.fetch() == nil)
    }

    @Test func `a sign-out without a response is repeated until the tokens are revoked`() async throws {
        let (cache, transport) = (await cached(tokens(1)), ScriptedTransport(lost, answer(204, "")))
        let client = ClientSession(transport: transport, caching: cache)
        try await client.load()
        await Self.expect(.serviceUnreachable) { try await client.signOut() }
        #expect(await client.state == .closed)
        await cache.cache(tokens(2))
        for _ in 0..<2 { try await client.signOut() }
        #expect(transport.authorizations == ["Bearer lls_1", "Bearer lls_1"])
        #expect(await cache.fetch() == tokens(2), "the tokens of a later sign-in are kept")
    }

    @Test func `a sign-out without a response is completed by another session with the same cache`() async throws {
        let (cache, transport) = (await cached(tokens(1)), ScriptedTransport(lost, answer(204, "")))
        await Self.expect(.serviceUnreachable) {
            try await ClientSession(transport: transport, caching: cache).signOut()
        }
        #expect(await cache.fetch() == tokens(1))
        try await ClientSession(transport: transport, caching: cache).signOut()
        #expect(await cache.fetch() == nil)
        #expect(transport.authorizations == ["Bearer lls_1", "Bearer lls_1"])
    }

    @Test func `a sign-out that is refused for good clears the cache`() async throws {
        let (cache, observed) = (await cached(tokens(1)), Observed())
        let transport = ScriptedTransport(refusal(403, "user-disabled"))
        let client = ClientSession(transport: transport, caching: cache, handler: observed.handler)
        await Self.expect(.userDisabled) { try await client.signOut() }
        #expect(await cache.fetch() == nil)
        #expect(observed.states == ["createdTokenLoaded", "closed"])
    }

    @Test func `a sign-out with a replaced session token revokes the session by its refresh token`() async throws {
        let cache = await cached(tokens(1))
        let transport = ScriptedTransport(refusal(401, "invalid-user-token"), session(2), answer(204, ""))
        try await ClientSession(transport: transport, caching: cache).signOut()
        #expect(transport.requests == ["POST /v1/sign-out", "POST /v1/resume", "POST /v1/sign-out"])
        #expect(transport.authorizations == ["Bearer lls_1", nil, "Bearer lls_2"])
        #expect(await cache.fetch() == nil)
    }

    @Test func `a sign-out that a proxy refuses keeps the tokens for a repetition`() async throws {
        let cache = await cached(tokens(1))
        let transport = ScriptedTransport(answer(403, "<html>"), answer(204, ""))
        let client = ClientSession(transport: transport, caching: cache)
        await Self.expect(.invalidResponse) { try await client.signOut() }
        #expect(await cache.fetch() == tokens(1))
        try await client.signOut()
        #expect(await cache.fetch() == nil)
    }

    @Test func `new tokens that cannot be stored are used, since the service may accept no others`() async throws {
        let (cache, transport) = (BreakableCache(tokens(1)), ScriptedTransport(session(2), answer(200, "[]")))
        let client = try await Self.open(transport, cache, Observed())
        await cache.setBroken(true)
        await #expect(throws: BreakableCache.Broken.self) {
            try await client.send(LoginClientRequest("POST", "/v1/link"))
        }
        await cache.setBroken(false)
        _ = try await client.send(LoginClientRequest("GET", "/notes"))
        #expect(transport.authorizations == ["Bearer lls_1", "Bearer lls_2"])
    }

    @Test func `reading the account updates the permissions in the session and in its cached tokens`() async throws {
        let (cache, changed) = (await cached(tokens(1)), answer(200, account(permissions: #"["birthday"]"#)))
        let transport = ScriptedTransport(answer(200, account()), answer(200, account()), changed)
        let client = ClientSession(transport: transport, caching: cache, now: { now })
        try await client.load()
        try await client.open()
        #expect(await client.permissions == nil)
        for _ in 0..<2 {
            _ = try await client.account()
            #expect(await client.permissions == ["email"])
            #expect(await cache.fetch()?.permissions == ["email"])
        }
        await cache.cache(tokens(2))
        _ = try await client.account()
        #expect(await client.permissions == ["birthday"])
        #expect(await cache.fetch() == tokens(2), "the tokens of another client are kept")
    }

    @Test func `new tokens in a response replace those of the session and of its cache`() async throws {
        let (cache, observed) = (await cached(tokens(1)), Observed())
        let transport = ScriptedTransport(session(2, account: true), session(3), answer(200, "[]"))
        let client = try await Self.open(transport, cache, observed)
        #expect(try await client.send(LoginClientRequest("POST", "/v1/link")).status == 200)
        #expect(await cache.fetch()?.refreshToken == "llr_2")
        #expect(await client.permissions == ["email"])
        _ = try await client.send(LoginClientRequest("POST", "/v1/reauthenticate?a=b"))
        #expect(await cache.fetch()?.refreshToken == "llr_3")
        _ = try await client.send(LoginClientRequest("GET", "/notes"))
        #expect(transport.authorizations == ["Bearer lls_1", "Bearer lls_2", "Bearer lls_3"])
        #expect(observed.states == ["createdTokenLoaded", "open", "openTokenExtended", "openTokenExtended"])
    }

    @Test(arguments: [
        ("GET", "/notes"), ("POST", "/notes?/v1/link"), ("POST", "/v1/link/notes"), ("GET", "/v1/link"),
        ("POST", "/v1/sign-in"), ("POST", "/v1/resume"),
    ])
    func `a session in the response of another route is not adopted`(_ method: String, _ path: String) async throws {
        let (cache, transport) = (await cached(tokens(1)), ScriptedTransport(session(2, account: true)))
        let client = try await Self.open(transport, cache)
        #expect(try await client.send(LoginClientRequest(method, path)).status == 200)
        #expect(try await client.authorizationHeader() == "Bearer lls_1")
        #expect(await cache.fetch() == tokens(1))
    }

    @Test func `new tokens of another account are not adopted`() async throws {
        let (cache, transport) = (await cached(tokens(1)), ScriptedTransport(session(2, of: "a2")))
        let client = try await Self.open(transport, cache)
        #expect(try await client.send(LoginClientRequest("POST", "/v1/merge")).status == 200)
        #expect(try await client.authorizationHeader() == "Bearer lls_1")
        #expect(await cache.fetch() == tokens(1))
    }

    @Test func `new tokens in a late response do not replace those that came after its request`() async throws {
        let (sent, replaced) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let late = session(2)
        let transport = ScriptedTransport(
            { request in
                sent.continuation.finish()
                for await _ in replaced.stream {}
                return try await late(request)
            },
            session(3)
        )
        let cache = await cached(tokens(1))
        let client = try await Self.open(transport, cache)
        let request = Task { try await client.send(LoginClientRequest("POST", "/v1/link")) }
        for await _ in sent.stream {}
        _ = try await client.send(LoginClientRequest("POST", "/v1/step-up"))
        replaced.continuation.finish()
        #expect(try await request.value.status == 200)
        #expect(try await client.authorizationHeader() == "Bearer lls_3")
        #expect(await cache.fetch()?.refreshToken == "llr_3")
    }

    @Test func `a refused sign-in closes the session, and a lost response does not`() async throws {
        let observed = Observed()
        let client = ClientSession(
            transport: ScriptedTransport(attemptAnswer, lost, refusal(401, "invalid-credential")),
            handler: observed.handler
        )
        let attempt = try await client.begin(provider: "corp")
        await Self.expect(.serviceUnreachable) { try await client.signIn(with: .idToken("eyJ", attempt: attempt)) }
        #expect(await client.state == .createdOpening)
        await Self.expect(.invalidCredential) { try await client.signIn(with: .idToken("eyJ", attempt: attempt)) }
        #expect(observed.states == ["createdOpening", "closedLoginFailed invalid-credential"])
        await Self.expect(.invalidState) { try await client.begin(provider: "corp") }
    }

    @Test func `an error without a response has the error of the transport, and does not show it`() async throws {
        let client = ClientSession(transport: ScriptedTransport(lost))
        let thrown = await #expect(throws: LoginClientError.self) { try await client.begin(provider: "corp") }
        let error = try #require(thrown)
        #expect(error.underlying is LostResponse)
        #expect(error == LoginClientError(.serviceUnreachable))
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), dumped] { #expect(!text.contains("LostResponse")) }
    }

    @Test func `a refusal has the title of the service on one line, the ID of the request and the time to wait`()
        async throws
    {
        let body = #"{"code":"store-unavailable","title":"Try\u001b[2J\nagain","requestID":"r1"}"#
        let client = ClientSession(transport: ScriptedTransport(answer(503, body, headers: ["Retry-After": "7"])))
        let error = await #expect(throws: LoginClientError.self) { try await client.begin(provider: "corp") }
        #expect(error?.title == "Try [2J again" && error?.requestID == "r1" && error?.retryAfter == 7)
        #expect(error?.description == "store-unavailable (status 503)" && error?.endsSession == false)
    }

    @Test(arguments: [("-1", 7), ("-9223372036854775808", 7), ("3", 3), ("0", 0)])
    func `a negative time to wait in the body is ignored, as in the header`(_ seconds: String, _ expected: Int)
        async throws
    {
        let body = #"{"code":"store-unavailable","retryAfter":\#(seconds)}"#
        let client = ClientSession(transport: ScriptedTransport(answer(503, body, headers: ["Retry-After": "7"])))
        let error = await #expect(throws: LoginClientError.self) { try await client.begin(provider: "corp") }
        #expect(error?.retryAfter == expected)
        let alone = ClientSession(transport: ScriptedTransport(answer(503, body, headers: ["Retry-After": "-5"])))
        let other = await #expect(throws: LoginClientError.self) { try await alone.begin(provider: "corp") }
        #expect(other?.retryAfter == (Int(seconds).flatMap { $0 < 0 ? nil : $0 }))
    }

    @Test(arguments: ["lls_1\\r\\nX-Admin: 1", "lls 1", "", "lls_\u{E9}", "lls_\\u0000", "lls_\\u007f"])
    func `a token that no header field can carry is an invalid response, and is not stored`(_ token: String)
        async throws
    {
        for names in [("sessionToken", "refreshToken"), ("refreshToken", "sessionToken")] {
            let body = #"""
                {"account":\#(account()),"session":{"account":"a1"},
                "tokens":{"\#(names.0)":"\#(token)","\#(names.1)":"ll_1","expiresAt":"2026-03-01T10:00:00Z"}}
                """#
            let cache = InMemoryTokenCache()
            let transport = ScriptedTransport(attemptAnswer, answer(200, body))
            let client = ClientSession(transport: transport, caching: cache, now: { now })
            let attempt = try await client.begin(provider: "corp")
            let error = await #expect(throws: LoginClientError.self) {
                try await client.signIn(with: .idToken("eyJ", attempt: attempt))
            }
            #expect(error?.code == .invalidResponse)
            #expect(await cache.fetch() == nil)
        }
    }

    @Test func `a second factor completes the sign-in, after a wrong code too`() async throws {
        let resolver = #"""
            ,"resolver":{"attemptsLeft":5,"expiresAt":"2026-03-01T09:11:00Z","token":"llm_1",
            "hints":[{"uid":"f1","factorID":"totp","enrollmentDate":"2026-02-01T12:00:00Z"}]}
            """#
        let transport = ScriptedTransport(
            attemptAnswer,
            refusal(401, "second-factor-required", members: resolver),
            refusal(401, "invalid-verification-code"),
            session(1, account: true)
        )
        let client = ClientSession(transport: transport, now: { now })
        let attempt = try await client.begin(provider: "corp")
        let outcome = try await client.signIn(with: .idToken("eyJ", attempt: attempt))
        guard case .secondFactorRequired(let pending) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(pending.hints.map(\.uid) == ["f1"])
        #expect(await client.state == .createdOpening)
        let factor = ClientSecondFactor.totp(uid: "f1", code: "492039")
        await Self.expect(.invalidVerificationCode) { try await client.complete(pending, with: factor) }
        #expect(try await client.complete(pending, with: factor).account.id == "a1")
        #expect(await client.state == .open)
        #expect(transport.bodies[3].contains(#""type":"totp""#))
    }

    @Test func `a sign-in that meets an account with the same address reports it and closes the session`() async throws
    {
        let members = #"""
            ,"pendingCredential":{"email":"ada@corp.example","expiresAt":"2026-03-01T09:11:00Z","providerID":"club",
            "token":"llp_1"}
            """#
        let client = ClientSession(
            transport: ScriptedTransport(
                attemptAnswer,
                refusal(409, "account-exists-with-different-credential", members: members)
            )
        )
        let attempt = try await client.begin(provider: "club")
        let outcome = try await client.signIn(with: .idToken("eyJ", attempt: attempt))
        guard case .accountExists(let pending) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(pending.providerID == "club")
        #expect(await client.state == .closedLoginFailed)
    }

    @Test func `cancelling a sign-in closes the session as failed`() async throws {
        let observed = Observed()
        let client = ClientSession(transport: ScriptedTransport(attemptAnswer), handler: observed.handler)
        _ = try await client.begin(provider: "corp")
        try await client.cancelSignIn()
        #expect(observed.states == ["createdOpening", "closedLoginFailed"])
    }

    @Test func `valid cached tokens open a session without a request, and can be kept when it is closed`() async throws
    {
        let (cache, observed, transport) = (await cached(tokens(1)), Observed(), ScriptedTransport())
        for _ in 0..<2 {
            let client = ClientSession(
                transport: transport,
                caching: cache,
                handler: observed.handler,
                now: { now }
            )
            #expect(try await client.load() == .createdTokenLoaded)
            try await client.open()
            try await client.closeKeepingTokens()
            await Self.expect(.invalidState) { try await client.send(LoginClientRequest("GET", "/notes")) }
        }
        #expect(observed.states == ["createdTokenLoaded", "open", "closed", "createdTokenLoaded", "open", "closed"])
        #expect(transport.requests.isEmpty)
    }

    @Test func `an expired session cannot open, and its tokens are cleared`() async throws {
        let (cache, observed) = (await cached(tokens(1, expiresIn: -1)), Observed())
        let client = ClientSession(
            transport: ScriptedTransport(refusal(503, "store-unavailable"), refusal(401, "user-token-expired")),
            caching: cache,
            handler: observed.handler,
            now: { now }
        )
        try await client.load()
        await Self.expect(.init(rawValue: "store-unavailable")) { try await client.open() }
        #expect(await cache.fetch() != nil)
        let error = await #expect(throws: LoginClientError.self) { try await client.open() }
        #expect(error?.code == .userTokenExpired && error?.endsSession == true)
        #expect(await cache.fetch() == nil)
        #expect(observed.states == ["createdTokenLoaded", "closedLoginFailed user-token-expired"])
    }

    @Test func `the descriptions of values contain no secrets`() async throws {
        let client = ClientSession(transport: ScriptedTransport(attemptAnswer))
        let attempt = try await client.begin(provider: "corp")
        let request = LoginClientRequest("GET", "/notes", headers: ["Authorization": "Bearer lls_1"])
        for value in [attempt, tokens(1), request] as [any RedactedValue] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("ll"), "\(text)")
            }
        }
    }
}
