// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Logins at any OpenID provider with the authorization code flow.
@Suite struct OpenIDLoginTests {
    private let issuer = TestIssuer()
    private let transport = StubTransport()

    private static let tokenEndpoint = "https://login.issuer.example/token"

    private func metadata(_ change: (inout TestJSON) -> Void = { _ in }) throws -> ProviderMetadata {
        var json: TestJSON = [
            "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
            "authorization_endpoint": "https://login.issuer.example/authorize?tenant=1",
            "token_endpoint": .string(Self.tokenEndpoint),
        ]
        change(&json)
        return try ProviderMetadata(json: json.text, provider: .openID(issuers: ["https://issuer.example"]))
    }

    private func logins(
        authentication: ClientAuthentication = .post(secret: "s3cr3t of ours"),
        clientID: String = "client-1",
        provider: Provider? = nil,
        attempts: (any AttemptStore)? = nil,
        _ change: (inout TestJSON) -> Void = { _ in },
        onVerdict: (@Sendable (VerificationError?) -> Void)? = nil
    ) throws -> LoginManager {
        try openIDLogins(
            at: issuer,
            provider: provider,
            metadata: try metadata(change),
            clientID: clientID,
            authentication: authentication,
            attempts: attempts,
            transport: transport,
            onVerdict: onVerdict
        )
    }

    /// Logs in with a valid token and token response, both of which the test may change.
    private func logIn(
        _ logins: LoginManager,
        _ request: LoginRequest? = nil,
        callback: [(name: String, value: String)] = [("code", "c0de-of-the-provider")],
        expecting userID: String? = nil,
        token: (inout TestToken) -> Void = { _ in },
        answer change: (inout TestJSON) -> Void = { _ in }
    ) async throws -> (result: LoginResult, url: [String: String]) {
        let started = try await logins.begin(request, purpose: .signIn, expecting: userID)
        let seen = try parameters(of: started.url)
        var answer: TestJSON = [
            "access_token": "an access token", "token_type": "Bearer", "expires_in": 300,
            "id_token": .string(issuer.token(nonce: seen["nonce"], token)),
        ]
        change(&answer)
        transport.answer(Self.tokenEndpoint, with: .json(answer))
        let state = [(name: "state", value: seen["state"] ?? "")]
        let result = try await logins.finish(
            LoginCallback(parameters: state + callback),
            purpose: .signIn,
            secret: started.secret
        )
        return (result, seen)
    }

    @Test func `a login returns the identity and the tokens of the provider`() async throws {
        let request = try LoginRequest.openID(scopes: ["email", "profile"])
        let (result, seen) = try await logIn(try logins(), request, answer: { $0["scope"] = "openid email" })
        let login = try success(result)
        #expect(login.identity.subject == "1000000000000001")
        let tokens = try #require(login.identity.providerTokens)
        #expect(tokens.accessToken == "an access token")
        #expect(tokens.lifetime == .seconds(300))
        #expect(tokens.refreshToken == nil)
        #expect(tokens.scopes == ["openid", "email"])
        #expect(login.identity.permissions == nil && login.identity.permissionSource == nil)
        #expect(login.authenticationToken == nil)
        #expect(login.profile == nil)
        #expect(!"\(login) \(login.identity) \(tokens)".contains("an access token"))
        // The endpoint's own query is kept, and not repeated.
        #expect(seen["tenant"] == "1")
        #expect(seen["response_type"] == "code")
        #expect(seen["scope"] == "email openid profile")
        #expect(seen["code_challenge_method"] == "S256")
        #expect(seen["client_id"] == "client-1")
        #expect(seen["redirect_uri"] == LoginBench.redirectURL)
    }

    @Test func `a code is exchanged once, in a form, with its code verifier`() async throws {
        let (result, seen) = try await logIn(try logins())
        _ = try success(result)
        #expect(transport.requests.count == 1)
        let request = try #require(transport.requests.first)
        #expect(request.method == .post)
        #expect(request.url.description == Self.tokenEndpoint)
        let form = try #require(FormFields(reading: request.body))
        #expect(form.only("grant_type") == "authorization_code")
        #expect(form.only("code") == "c0de-of-the-provider")
        #expect(form.only("redirect_uri") == LoginBench.redirectURL)
        #expect(form.only("client_id") == "client-1")
        let verifier = try #require(form.only("code_verifier").flatMap(CodeVerifier.init))
        #expect(verifier.challenge == seen["code_challenge"])
        let headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { first, _ in first }
        #expect(headers["Accept"] == "application/json")
        #expect(headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func `a login verifies its token exactly once`() async throws {
        let verdicts = Verdicts()
        let logins = try logins(onVerdict: { verdicts.add($0) })
        _ = try success(try await logIn(logins).result)
        #expect(verdicts.refusals == [nil])
        let (result, _) = try await logIn(logins, token: { $0.claims["aud"] = "client-2" })
        expectFailure(.token, result)
        #expect(verdicts.refusals == [nil, .audience])
    }

    @Test func `a client authenticates in the configured way only`() async throws {
        struct NoSecret: Error {}
        for (authentication, header, secret, id) in [
            (ClientAuthentication.none, nil, nil, "a:b c"), (.post(secret: "s e:c"), nil, "s e:c", "a:b c"),
            // "a%3Ab%20c:s%20e%3Ac", each part encoded before they are joined.
            (.basic(secret: "s e:c"), "Basic YSUzQWIlMjBjOnMlMjBlJTNBYw==", nil, nil as String?),
            (.post { "made for this call" }, nil, "made for this call", "a:b c"),
        ] {
            transport.answer(Self.tokenEndpoint, with: .failure(.connection))
            let (result, _) = try await logIn(try logins(authentication: authentication, clientID: "a:b c"))
            // The token has another audience, but the request was right.
            expectFailure(.token, result, hiding: ["made for this call"])
            let request = try #require(transport.requests.last)
            let form = try #require(FormFields(reading: request.body))
            #expect(form.only("client_secret") == secret)
            #expect(form.only("client_id") == id)
            #expect(request.headers.first { $0.name == "Authorization" }?.value == header)
            #expect(!"\(authentication) \(String(reflecting: authentication))".contains("made"))
            #expect(Mirror(reflecting: authentication).children.isEmpty)
        }
        let before = transport.requests.count
        for unable in [ClientAuthentication.post { throw NoSecret() }, .post { "" }] {
            let (result, _) = try await logIn(try logins(authentication: unable))
            expectFailure(.unavailable, result)
        }
        #expect(transport.requests.count == before)
    }

    @Test func `an empty client secret is an error, and a missing one makes a public client`() throws {
        for authentication in [ClientAuthentication.basic(secret: ""), .post(secret: "")] {
            let error = #expect(throws: LoginManagerError.self) { try logins(authentication: authentication) }
            #expect(error?.code == .client)
        }
        for authentication in [ClientAuthentication.basic(secret: "s"), .post(secret: "s"), .none] {
            _ = try logins(authentication: authentication)
        }
    }

    @Test func `prompt, max_age and login_hint are sent, and the token must satisfy max_age`() async throws {
        let request = try LoginRequest.openID(
            prompts: [.selectAccount, .login],
            maximumAuthenticationAge: .seconds(300),
            loginHint: "ada@example.com"
        )
        let now = Int(issuer.clock.now.timeIntervalSince1970)
        let (result, seen) = try await logIn(
            try logins(),
            request,
            token: { $0.claims["auth_time"] = .number("\(now)") }
        )
        _ = try success(result)
        #expect(seen["prompt"] == "login select_account")
        #expect(seen["max_age"] == "300")
        #expect(seen["login_hint"] == "ada@example.com")
        for time in [nil, TestJSON.number("\(now - 331)")] {
            let (result, _) = try await logIn(try logins(), request, token: { $0.claims["auth_time"] = time })
            #expect(expectFailure(.token, result)?.refusal?.code == .authTime)
        }
    }

    @Test func `a posted response is handled like any other`() async throws {
        let logins = try logins()
        let started = try await logins.begin(try .openID(responseMode: .formPost), purpose: .signIn)
        let seen = try parameters(of: started.url)
        let token = issuer.token(nonce: seen["nonce"])
        let answer: TestJSON = ["access_token": "a", "token_type": "Bearer", "id_token": .string(token)]
        transport.answer(Self.tokenEndpoint, with: .json(answer))
        // Apple adds the name, which is not authenticated.
        let fields = [("state", seen["state"] ?? ""), ("code", "c0de"), ("user", #"{"name":{}}"#)]
        let form = FormFields(fields.map { (name: $0.0, value: $0.1) }).encoded
        let callback = LoginCallback(form: Array(form.utf8))
        _ = try success(try await logins.finish(callback, purpose: .signIn, secret: started.secret))
    }

    @Test func `a parameter that is already in the authorization endpoint's URL is not repeated`() async throws {
        let logins = try logins()
        let twice = try LoginRequest.openID(parameters: ["tenant": "2"])
        let error = await #expect(throws: LoginManagerError.self) {
            try await logins.begin(twice, purpose: .signIn)
        }
        #expect(error?.code == .request)
        let ambiguous = try self.logins { $0["authorization_endpoint"] = "https://login.issuer.example/?state=x" }
        let fault = await #expect(throws: LoginManagerError.self) {
            try await ambiguous.begin(try .openID(), purpose: .signIn)
        }
        #expect(fault?.code == .provider)
        let other = try LoginRequest.openID(parameters: ["Tenant": "2"])
        let url = try await logins.begin(other, purpose: .signIn).url
        #expect(try parameters(of: url)["tenant"] == "1")
    }

    @Test(arguments: ["login_required", "interaction_required", "consent_required"])
    func `an error of the provider to prompt=none is a failure`(name: String) async throws {
        let request = try LoginRequest.openID(prompts: [.none])
        let (result, seen) = try await logIn(try logins(), request, callback: [("error", name)])
        #expect(seen["prompt"] == "none")
        expectFailure(.providerError, result)
        _ = try success(try await logIn(try logins(), request).result)
        let error = #expect(throws: LoginManagerError.self) { try LoginRequest.openID(prompts: [.none, .login]) }
        #expect(error?.code == .request)
    }

    @Test func `an authorization URL beyond the length limit is refused`() async throws {
        let scopes = Set((10..<64).map { "\($0)" + String(repeating: "a", count: 200) })
        let error = await #expect(throws: LoginManagerError.self) {
            try await logins().begin(try .openID(scopes: scopes), purpose: .signIn)
        }
        #expect(error?.code == .request)
    }

    // MARK: The provider

    @Test(arguments: [
        "authorization_endpoint", "token_endpoint", "response_types_supported", "code_challenge_methods_supported",
        "token_endpoint_auth_methods_supported",
    ])
    func `a provider without a required feature is refused before the login`(member: String) throws {
        for value: TestJSON in member.hasSuffix("endpoint") ? [.null, "http://issuer.example/a"] : [["plain"], []] {
            let error = #expect(throws: LoginManagerError.self) { try logins { $0[member] = value } }
            #expect(error?.code == .provider)
        }
        _ = try logins {
            $0["response_types_supported"] = ["id_token", "code"]
            $0["code_challenge_methods_supported"] = ["plain", "S256"]
            $0["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
        }
    }

    @Test func `metadata of one provider and tokens of another are refused`() throws {
        let error = #expect(throws: LoginManagerError.self) { try logins(provider: .google) }
        #expect(error?.code == .provider)
        let nobody = #expect(throws: LoginManagerError.self) { try logins(clientID: "") }
        #expect(nobody?.code == .client)
    }

    @Test
    func `issuer mix-up: a response without the iss parameter, or with another, is refused if the provider sends it`()
        async throws
    {
        let code = (name: "code", value: "c0de-of-the-provider")
        for (issuer, isSupported, isBelieved) in [
            ("https://issuer.example", true, true), ("https://issuer.example", false, true), (nil, false, true),
            (nil, true, false), ("https://issuer.example/", true, false), ("https://evil.example", false, false),
        ] {
            let before = transport.requests.count
            let logins = try logins { json in
                json["authorization_response_iss_parameter_supported"] = .boolean(isSupported)
            }
            let callback = [code] + (issuer.map { [(name: "iss", value: $0)] } ?? [])
            let (result, _) = try await logIn(logins, callback: callback)
            if isBelieved {
                _ = try success(result)
            } else {
                expectFailure(.issuerMismatch, result, hiding: [code.value])
                #expect(transport.requests.count == before)
            }
        }
    }

    @Test func `issuer mix-up: a code never reaches the token endpoint of another provider`() async throws {
        let attempts = InMemoryAttemptStore(clock: issuer.clock)
        let facebook = try LoginBench(FacebookStandIn(clock: issuer.clock), attempts: attempts)
        let honest = try logins(attempts: attempts)
        let started = try await honest.begin(purpose: .signIn)
        let state = try #require(try parameters(of: started.url)["state"])
        let callback = Answer(query: [("state", state), ("code", "c0de-of-the-provider")]).callback
        let result = try await facebook.logins.finish(callback, purpose: .signIn, secret: started.secret)
        expectFailure(.issuerMismatch, result, hiding: ["c0de-of-the-provider"])
        #expect(facebook.facebook.requestCount() == 0)
    }

    // MARK: The token endpoint

    @Test(arguments: [
        ("access_token", TestJSON.null), ("access_token", ""), ("access_token", 1), ("token_type", "DPoP"),
        ("token_type", .null), ("id_token", .null), ("id_token", ""), ("id_token", TestJSON.array(["e30.e30.e30"])),
    ])
    func `a token response without a bearer token or an ID token is refused`(member: String, value: TestJSON)
        async throws
    {
        let (result, _) = try await logIn(try logins(), answer: { $0[member] = value })
        expectFailure(.exchangeResponse, result, hiding: ["an access token"])
    }

    @Test(.rule("T-089")) func `a byte order mark before a token response is skipped`() async throws {
        let (result, _) = try await logIn(try logins(), answer: { $0 = .raw("\u{FEFF}" + $0.text) })
        #expect(try success(result).identity.subject == "1000000000000001")
    }

    @Test(arguments: [TestJSON.string("300"), .number("-1"), .number("1e99"), .null])
    func `an invalid lifetime is unknown`(lifetime: TestJSON) async throws {
        let (result, _) = try await logIn(
            try logins(),
            answer: { json in
                json["expires_in"] = lifetime
                json["refresh_token"] = "a refresh token"
            }
        )
        let tokens = try success(result).identity.providerTokens
        #expect(tokens?.lifetime == nil)
        #expect(tokens?.refreshToken == "a refresh token")
        #expect(tokens?.scopes == ["openid"])
    }

    @Test func `the response of a token endpoint is a refusal, an outage or unreadable`() async throws {
        let json = [(name: "Content-Type", value: "application/json")]
        let grant = #"{"error":"invalid_grant","error_description":"the code c0de-of-the-provider"}"#
        let cases: [(Int, [(name: String, value: String)], String, LoginFailure.Code)] = [
            (400, json, grant, .exchangeRefused), (401, json, #"{"error":"invalid_client"}"#, .exchangeRefused),
            (400, json, #"{"error":"unauthorized_client"}"#, .exchangeRefused),
            (400, json, #"{"error":"<script>"}"#, .exchangeRefused), (403, [], "<html>", .exchangeRefused),
            (400, json, "{}", .exchangeRefused), (401, json, "{", .exchangeRefused), (408, json, "{}", .unavailable),
            (429, json, "{}", .unavailable),
            (500, json, grant, .unavailable), (503, [], "", .unavailable), (200, [], "{}", .exchangeResponse),
            (200, [("Content-Type", "text/html")], "{}", .exchangeResponse), (200, json, "{", .exchangeResponse),
            (200, json, #"{"id_token":"a","id_token":"b"}"#, .exchangeResponse), (302, json, "{}", .exchangeResponse),
            (204, json, "", .exchangeResponse), (200, json + [("Content-Encoding", "gzip")], "{}", .exchangeResponse),
            (200, json, String(repeating: "[", count: 100_000), .exchangeResponse),
        ]
        for (status, headers, body, code) in cases {
            let logins = try logins()
            let started = try await logins.begin(purpose: .signIn)
            let state = try parameters(of: started.url)["state"] ?? ""
            let response = TransportResponse(status: status, headers: headers, body: Array(body.utf8))
            transport.answer(Self.tokenEndpoint, with: .response(response))
            let callback = LoginCallback(parameters: [("state", state), ("code", "c0de-of-the-provider")])
            let result = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
            let failure = expectFailure(code, result, hiding: ["c0de-of-the-provider", state, "<script>"])
            #expect(failure?.isRetryable == (code == .unavailable))
            #expect(failure?.isMisconfigured == (status == 401 || body.contains("unauthorized_client")))
        }
        // Each was requested once.
        #expect(transport.requests.count == cases.count)
    }

    @Test func `a token response of 256 KiB is read, within the deadline of a login`() async throws {
        let start = #"{"error":"invalid_grant""#
        for (bytes, name) in [(256 * 1024, "invalid_grant"), (256 * 1024 + 1, "more than 262144 bytes")] {
            let logins = try logins()
            let started = try await logins.begin(purpose: .signIn)
            let body = start + String(repeating: " ", count: bytes - start.utf8.count - 1) + "}"
            let headers = [(name: "Content-Type", value: "application/json")]
            let response = TransportResponse(status: 400, headers: headers, body: Array(body.utf8))
            transport.answer(Self.tokenEndpoint, with: .response(response))
            let state = try parameters(of: started.url)["state"] ?? ""
            let callback = LoginCallback(parameters: [("state", state), ("code", "c0de")])
            let result = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
            let failure = expectFailure(.exchangeRefused, result)
            #expect(failure?.description.contains(name) == true)
            let request = try #require(transport.requests.last)
            #expect(request.responseLimit == Limits.tokenResponseBytes && request.deadline == .seconds(10))
        }
    }

    @Test func `a token endpoint that does not respond is an outage, not a refusal`() async throws {
        let logins = try logins()
        let started = try await logins.begin(purpose: .signIn)
        let state = try parameters(of: started.url)["state"] ?? ""
        let callback = LoginCallback(parameters: [("state", state), ("code", "c0de-of-the-provider")])
        let result = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
        expectFailure(.unavailable, result)
        #expect(transport.requests.count == 1)
    }

    // MARK: The token

    @Test func `nonce, issuer, client and hashes of the token are checked`() async throws {
        let hash = "AAAAAAAAAAAAAAAAAAAAAA"
        let cases: [(VerificationCode, @Sendable (inout TestToken) -> Void)] = [
            (.nonce, { $0.claims["nonce"] = "another" }), (.nonce, { $0.claims["nonce"] = nil }),
            (.issuer, { $0.claims["iss"] = "https://evil.example" }), (.audience, { $0.claims["aud"] = "client-2" }),
            (.accessTokenHash, { $0.claims["at_hash"] = .string(hash) }),
            (.codeHash, { $0.claims["c_hash"] = .string(hash) }), (.signature, { $0.signing = .key(.another) }),
        ]
        for (code, change) in cases {
            let (result, _) = try await logIn(try logins(), token: change)
            let failure = expectFailure(.token, result)
            #expect(failure?.refusal?.code == code)
        }
    }

    @Test func `a login must be by the expected user`() async throws {
        _ = try success(try await logIn(try logins(), expecting: "1000000000000001").result)
        let (result, _) = try await logIn(try logins(), expecting: "1000000000000009")
        expectFailure(.userMismatch, result, hiding: ["1000000000000001", "1000000000000009"])
    }

    @Test func `a refusal by the user is a cancellation`() async throws {
        // Apple and LinkedIn have names of their own for it.
        for error in ["access_denied", "user_cancelled_authorize", "user_cancelled_login"] {
            let (result, _) = try await logIn(try logins(), callback: [("error", error)])
            guard case .cancelled = result else {
                Issue.record("\(error): \(result)")
                return
            }
        }
        let (other, _) = try await logIn(try logins(), callback: [("error", "login_required")])
        let failure = expectFailure(.providerError, other)
        #expect(failure?.description == "login failed: provider-error: the provider reports the error login_required")
    }

    @Test(arguments: [
        ("error=access_denied", "provider-error: the callback reports the error access_denied, and has no state"),
        (
            "error=call_0900&state=&code=x",
            "provider-error: the callback reports an error that RFC 6749 does not define, and has no state"
        ),
        ("code=x", "callback: it has no state"),
        ("", "callback: it has no parameters; a page has to post those in the fragment"),
    ])
    func `a response without state is reported and completes no login`(query: String, words: String) async throws {
        let logins = try logins()
        let started = try await logins.begin(purpose: .signIn)
        let result = try await logins.finish(LoginCallback(query: query), purpose: .signIn, secret: started.secret)
        guard case .failed(let failure) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(failure.description == "login failed: \(words)" && !failure.endsAttempt)
    }
}
