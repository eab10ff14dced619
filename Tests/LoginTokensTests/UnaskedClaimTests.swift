// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Claims that no policy, provider or caller uses: of any type, they change no verdict.
@Suite struct UnaskedClaimTests {
    /// A value of each JSON type; none has the type of the claim that a test gives it to.
    static let values: [TestJSON] = [.null, true, 1, [1], [["a"]], ["a": 1], .number("1e300")]

    // MARK: ID tokens

    @Test(
        .rule("T-140"),
        arguments: ["jti", "amr", "acr", "auth_time", "scope", "groups", "roles", "client_id", "email", "s_hash"],
        values
    )
    func `a claim that nothing uses does not refuse an ID token`(name: String, value: TestJSON) throws {
        let claims = try Bench().verify { $0.claims[name] = value }.claims
        #expect(
            claims.tokenID == nil && claims.authenticationContextClass == nil && claims.authenticationMethods.isEmpty
        )
        if name == "auth_time", value.text != "1" { #expect(claims.authenticatedAt == nil) }
    }

    @Test(
        .rule("T-140"),
        arguments: [("jti", 1), ("acr", 1), ("azp", ["client-1"]), ("client_id", 1), ("amr", "pwd")]
            as [(String, TestJSON)]
    )
    func `a claim that the provider's tokens always have must have its type`(name: String, value: TestJSON) throws {
        let provider = Provider(name: "p", issuers: ["https://p.example"], requiredClaims: [name])
        let bench = try Bench(issuer: TestIssuer(provider: provider))
        expectRefusal(.claimType) { try bench.verify { $0.claims[name] = value } }
        for missing in [nil, .null, ""] as [TestJSON?] {
            let refusal = expectRefusal(.missingClaim) { try bench.verify { $0.claims[name] = missing } }
            #expect(refusal?.member == name)
        }
    }

    @Test func `a required claim that no standard defines may have any type but null`() throws {
        let provider = Provider(name: "p", issuers: ["https://p.example"], requiredClaims: ["plan"])
        let bench = try Bench(issuer: TestIssuer(provider: provider))
        for value in Self.values where value.text != "null" { try bench.verify { $0.claims["plan"] = value } }
        expectRefusal(.missingClaim) { try bench.verify { $0.claims["plan"] = .null } }
    }

    @Test(.rule("T-100", "T-110", "T-113", "T-122", "T-129"), arguments: ["iss", "aud", "sub", "exp", "iat"])
    func `a claim that every ID token has is missing if it is null`(name: String) throws {
        let refusal = expectRefusal(.missingClaim) { try Bench().verify { $0.claims[name] = .null } }
        #expect(refusal?.member == name)
    }

    // MARK: Access tokens

    /// Claims of access tokens that RFC 9068 defines and does not require.
    static let optional = ["acr", "amr", "auth_time", "scope", "roles", "groups", "entitlements"]

    @Test(.rule("T-223"), arguments: optional, values)
    func `a claim that nothing uses does not refuse an access token, and has no value`(
        name: String,
        value: TestJSON
    ) throws {
        let token = try AccessTokenBench().verify(scopes: []) { $0.claims[name] = value }
        #expect(token.scopes.isEmpty && token.roles.isEmpty && token.groups.isEmpty && token.entitlements.isEmpty)
        #expect(token.authenticationContextClass == nil && token.authenticationMethods.isEmpty)
        if name == "auth_time", value.text != "1" { #expect(token.authenticatedAt == nil) }
    }

    @Test(.rule("T-223"), arguments: optional)
    func `a claim that an access token always has must have its type`(name: String) throws {
        var form = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])
        form.requiredClaims = [name]
        let bench = try AccessTokenBench(form)
        let refusal = expectRefusal(.claimType) { try bench.verify { $0.claims[name] = ["a": 1] } }
        #expect(refusal?.member == name)
        expectRefusal(.missingClaim) { try bench.verify { $0.claims[name] = .null } }
    }

    @Test(.rule("T-223"), arguments: [["orders:read"], "a\tb", "caf\u{E9}", "say\"", 1] as [TestJSON])
    func `scopes of another form are refused if the policy requires a scope`(scope: TestJSON) throws {
        let bench = try AccessTokenBench(requiredScopes: ["orders:read"])
        expectRefusal(.claimType) { try bench.verify { $0.claims["scope"] = scope } }
        expectRefusal(.insufficientScope) { try bench.verify { $0.claims["scope"] = .null } }
        #expect(try AccessTokenBench().verify { $0.claims["scope"] = scope }.scopes.isEmpty)
    }

    @Test(.rule("T-223"), arguments: values)
    func `an issuer whose tokens name no client may use its claims otherwise`(value: TestJSON) throws {
        var form = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])
        (form.requiresClient, form.requiredClaims) = (false, [])
        let token = try AccessTokenBench(form).verify {
            $0.claims["client_id"] = value
            $0.claims["jti"] = value
        }
        #expect(token.clientID == nil && token.tokenID == nil)
    }

    @Test(.rule("T-222", "T-225"), arguments: [1, .null, "", ["client-app"], [:]] as [TestJSON])
    func `the claim that names the client never gives way to the next one`(value: TestJSON) throws {
        var form = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])
        form.clientClaims = ["client_id", "azp"]
        let isMissing = ["null", "\"\""].contains(value.text)
        let required = try AccessTokenBench(form)
        let change: (inout TestToken) -> Void = {
            $0.claims["client_id"] = value
            $0.claims["azp"] = "client-app"
        }
        expectRefusal(isMissing ? .missingClaim : .claimType) { try required.verify(change) }
        form.requiresClient = false
        let limited = try AccessTokenBench(form, allowedClients: ["client-app"])
        expectRefusal(isMissing ? .authorizedParty : .claimType) { try limited.verify(change) }
        #expect(try AccessTokenBench(form).verify(change).clientID == nil)
        let second = try limited.verify {
            $0.claims["client_id"] = nil
            $0.claims["azp"] = "client-app"
        }
        #expect(second.clientID == "client-app")
    }

    @Test(.rule("T-221"))
    func `the claim that names the audience never gives way to the next one`() throws {
        var form = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])
        form.audienceClaims = ["aud", "client_id"]
        let bench = try AccessTokenBench(form)
        let refusal = expectRefusal(.missingClaim) {
            try bench.verify {
                $0.claims["aud"] = .null
                $0.claims["client_id"] = .string(AccessTokenBench.audience)
            }
        }
        #expect(refusal?.member == "aud")
    }

    @Test(.rule("T-224"))
    func `a mark or a required value that is null is refused`() throws {
        var form = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])
        form.marks = ["token_use": ["access"]]
        expectRefusal(.tokenType) { try AccessTokenBench(form).verify { $0.claims["token_use"] = .null } }
        expectRefusal(.claimValue) {
            try AccessTokenBench(requiredValues: ["plan": ["gold"]]).verify { $0.claims["plan"] = .null }
        }
    }

    @Test(.rule("T-201"))
    func `a confirmation that is null is refused, as it binds the token to nothing that can be checked`() throws {
        let token = try AccessTokenBench().verify { $0.claims["cnf"] = .null }
        expectRefusal(.confirmationUnsupported) { try token.confirmation.check() }
    }

    @Test(.rule("T-124", "T-226"))
    func `an nbf that is null restricts no access token`() throws {
        try AccessTokenBench().verify { $0.claims["nbf"] = .null }
    }

    // MARK: Introspection

    @Test(
        .rule("T-243"),
        arguments: ["jti", "acr", "amr", "auth_time", "scope", "groups", "username", "nbf"],
        [.null, true, [1], ["a": 1]] as [TestJSON]
    )
    func `a member that nothing uses does not refuse an answer`(name: String, value: TestJSON) async throws {
        guard name != "nbf" || value.text == "null" else { return }
        let bench = try IntrospectionBench()
        bench.answer {
            $0["scope"] = nil
            $0[name] = value
        }
        let token = try await bench.introspector().verify(IntrospectionBench.token)
        #expect(token.scopes.isEmpty && token.tokenID == nil && token.clientID == "client-app")
    }

    @Test(.rule("T-243"), arguments: [["orders:read"], "a\tb", 1] as [TestJSON])
    func `scopes of another form are refused in an answer if the policy requires a scope`(scope: TestJSON) async throws
    {
        let bench = try IntrospectionBench(requiredScopes: ["orders:read"])
        bench.answer { $0["scope"] = scope }
        let introspector = try bench.introspector()
        await expectRefused(.claimType) { () async throws(VerificationError) in
            try await introspector.verify(IntrospectionBench.token)
        }
    }

    @Test(.rule("T-244"))
    func `an answer whose token type is null has none`() async throws {
        let bench = try IntrospectionBench()
        bench.answer { $0["token_type"] = .null }
        _ = try await bench.introspector().verify(IntrospectionBench.token)
    }
}
