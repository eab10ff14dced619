// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import LoginKeys
import LoginProviders
import LoginTestServers
import LoginTesting
import LoginTokens
import Testing

/// The device authorization grant over sockets, with a clock that the test moves (RFC 8628).
@Suite struct DeviceLoginTests {
    private static let pending = ServerScript.json(["error": "authorization_pending"], status: 400)

    /// A provider on a scripted server, and a device.
    private struct Bench {
        let server: ScriptedServer
        let issuer: TestIssuer
        let clock = ManualContinuousClock()
        let login: DeviceLogin

        init(_ server: ScriptedServer, authentication: ClientAuthentication = .none) async throws {
            self.server = server
            var provider = Provider.openID(issuers: [server.url("")])
            provider.allowsLoopbackHTTP = true
            issuer = TestIssuer(provider: provider, audience: "tv")
            server.answer(
                "/.well-known/openid-configuration",
                with: .json([
                    "issuer": .string(server.url("")), "jwks_uri": .string(server.url("/keys")),
                    "token_endpoint": .string(server.url("/token")),
                    "device_authorization_endpoint": .string(server.url("/device")),
                ])
            )
            server.answer(
                "/device",
                with: .json([
                    "device_code": "dc-1", "user_code": "WDJB-MJHT", "verification_uri": .string(server.url("/code")),
                    "expires_in": 60, "interval": 5,
                ])
            )
            let transport = AsyncHTTPClientTransport()
            login = try DeviceLogin(
                metadata: await ProviderMetadata.fetch(
                    provider: provider,
                    transport: transport,
                    deadline: .seconds(60)
                ),
                clientID: "tv",
                authentication: authentication,
                verifier: TokenVerifier(
                    policy: TokenPolicy(provider: provider, audiences: ["tv"]),
                    keys: issuer.keys,
                    clock: issuer.clock
                ),
                transport: transport,
                clock: clock
            )
        }

        /// Returns the answer of the token endpoint with this ID token.
        func tokens(_ idToken: String) -> ServerScript {
            .json(["access_token": "a-1", "token_type": "Bearer", "expires_in": 300, "id_token": .string(idToken)])
        }

        /// Waits until the device sleeps, checks for how long, and wakes it.
        func pass(_ seconds: Int) async throws {
            try await clock.waitForSleepers(1)
            #expect(clock.untilNextWake == .seconds(seconds))
            clock.advance(by: .seconds(seconds))
        }

        /// Returns the value of a field in the form of the last request for a path.
        func field(_ name: String, of path: String) throws -> String? {
            let request = try #require(server.requests.last { $0.path == path })
            return try #require(FormFields(reading: request.body)).only(name)
        }
    }

    @Test func `a device signs its user in, and waits longer when the provider demands it`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            let slowDown = ServerScript.json(["error": "slow_down"], status: 400)
            server.answer(
                "/token",
                first: [Self.pending, slowDown, Self.pending],
                then: bench.tokens(bench.issuer.token())
            )
            let code = try await bench.login.begin()
            #expect(code.userCode == "WDJB-MJHT" && code.verificationURL == server.url("/code"))
            #expect(try bench.field("client_id", of: "/device") == "tv")
            #expect(try bench.field("scope", of: "/device") == "email openid profile")
            let outcome = Task { try await bench.login.finish(code) }
            for seconds in [5, 5, 10, 10] { try await bench.pass(seconds) }
            guard case .success(let success) = try await outcome.value else {
                Issue.record("the user did not decline")
                return
            }
            #expect(success.token.subject == "1000000000000001" && success.token.nonceCheck == .absent)
            #expect(success.tokens.accessToken == "a-1")
            #expect(server.requestCount(of: "/token") == 4)
            #expect(
                try bench.field("grant_type", of: "/token") == "urn:ietf:params:oauth:grant-type:device_code"
                    && bench.field("device_code", of: "/token") == "dc-1"
                    && bench.field("client_id", of: "/token") == "tv"
            )
        }
    }

    @Test func `requests that fail are repeated at twice the interval`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            server.answer(
                "/token",
                first: [.respond(status: 503), .close],
                then: bench.tokens(bench.issuer.token())
            )
            let code = try await bench.login.begin()
            let outcome = Task { try await bench.login.finish(code) }
            for seconds in [5, 10, 20] { try await bench.pass(seconds) }
            guard case .success = try await outcome.value else {
                Issue.record("the user did not decline")
                return
            }
        }
    }

    @Test func `a login ends when the code expires, without a request after that`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            server.answer("/token", with: Self.pending)
            let code = try await bench.login.begin()
            let outcome = Task { try await bench.login.finish(code) }
            for _ in 1...11 { try await bench.pass(5) }
            let failure = await #expect(throws: LoginFailure.self) { try await outcome.value }
            #expect(failure?.code == .expired)
            #expect(server.requestCount(of: "/token") == 11)
        }
    }

    @Test(arguments: [
        ("expired_token", LoginFailure.Code.expired), ("invalid_client", .exchangeRefused),
        ("invalid_grant", .exchangeRefused),
    ])
    func `an error of the token endpoint ends the login`(_ error: String, _ expected: LoginFailure.Code) async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            server.answer("/token", with: .json(["error": .string(error)], status: 400))
            let code = try await bench.login.begin()
            let outcome = Task { try await bench.login.finish(code) }
            try await bench.pass(5)
            let failure = await #expect(throws: LoginFailure.self) { try await outcome.value }
            #expect(failure?.code == expected)
        }
    }

    @Test func `a user who declines is no failure`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            server.answer("/token", with: .json(["error": "access_denied"], status: 400))
            let code = try await bench.login.begin()
            let outcome = Task { try await bench.login.finish(code) }
            try await bench.pass(5)
            guard case .cancelled = try await outcome.value else {
                Issue.record("the user has declined")
                return
            }
        }
    }

    @Test func `an ID token with a nonce belongs to another login, and is refused`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            server.answer("/token", with: bench.tokens(bench.issuer.token(nonce: "n-1")))
            let code = try await bench.login.begin()
            let outcome = Task { try await bench.login.finish(code) }
            try await bench.pass(5)
            let failure = await #expect(throws: LoginFailure.self) { try await outcome.value }
            #expect(failure?.code == .token && failure?.refusal?.code == .nonce)
        }
    }

    @Test func `a cancelled task stops waiting at once`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            let code = try await bench.login.begin()
            let waiting = Task { try await bench.login.finish(code) }
            try await bench.clock.waitForSleepers(1)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(server.requestCount(of: "/token") == 0)
        }
    }

    @Test func `a refused device authorization request is reported, and an outage is retryable`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server)
            let cases: [(ServerScript, LoginFailure.Code)] = [
                (.json(["error": "unauthorized_client"], status: 400), .exchangeRefused),
                (.respond(status: 503), .unavailable), (.json([:]), .exchangeResponse),
            ]
            for (script, expected) in cases {
                server.answer("/device", with: script)
                let failure = await #expect(throws: LoginFailure.self) { try await bench.login.begin() }
                #expect(failure?.code == expected)
            }
        }
    }

    @Test func `a confidential client authenticates both requests`() async throws {
        try await ScriptedServer.run { server in
            let bench = try await Bench(server, authentication: .post(secret: "s3cret"))
            server.answer("/token", with: bench.tokens(bench.issuer.token()))
            let code = try await bench.login.begin()
            let outcome = Task { try await bench.login.finish(code) }
            try await bench.pass(5)
            _ = try await outcome.value
            for path in ["/device", "/token"] { #expect(try bench.field("client_secret", of: path) == "s3cret") }
        }
    }

    @Test func `a provider without the flow, and a verifier for another client, are refused`() throws {
        let issuer = TestIssuer()
        func login(_ endpoint: String?, audience: String = "client-1") throws -> DeviceLogin {
            var json: TestJSON = [
                "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
                "token_endpoint": "https://issuer.example/token",
            ]
            json["device_authorization_endpoint"] = endpoint.map { .string($0) }
            return try DeviceLogin(
                metadata: ProviderMetadata(json: json.text, provider: issuer.provider),
                clientID: "client-1",
                verifier: TokenVerifier(
                    policy: TokenPolicy(provider: issuer.provider, audiences: [audience]),
                    keys: issuer.keys
                ),
                transport: StubTransport()
            )
        }
        _ = try login("https://issuer.example/device")
        for endpoint in [nil, "http://issuer.example/device"] {
            let error = #expect(throws: LoginManagerError.self) { try login(endpoint) }
            #expect(error?.code == .provider)
        }
        let error = #expect(throws: LoginManagerError.self) {
            try login("https://issuer.example/device", audience: "client-2")
        }
        #expect(error?.code == .client)
    }
}
#endif
