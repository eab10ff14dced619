// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The presets: their issuers, their keys, and the claims that each requires.
@Suite struct AccessTokenIssuerTests {
    static let places: [(name: String, issuer: String, keys: String?)] = [
        ("rfc9068", "https://issuer.example", nil),
        (
            "microsoft", "https://login.microsoftonline.com/\(SampleIssuers.tenant)/v2.0",
            "https://login.microsoftonline.com/\(SampleIssuers.tenant)/discovery/v2.0/keys"
        ),
        (
            "microsoft-v1", "https://sts.windows.net/\(SampleIssuers.tenant)/",
            "https://login.microsoftonline.com/common/discovery/keys"
        ),
        (
            "microsoft-b2c", "https://contoso.b2clogin.com/\(SampleIssuers.tenant)/v2.0/",
            "https://contoso.b2clogin.com/\(SampleIssuers.tenant)/B2C_1_signin/discovery/v2.0/keys"
        ),
        (
            "cognito", "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE",
            "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE/.well-known/jwks.json"
        ),
        ("auth0", "https://example.eu.auth0.com/", "https://example.eu.auth0.com/.well-known/jwks.json"),
        ("okta", "https://example.okta.com/oauth2/default", "https://example.okta.com/oauth2/default/v1/keys"),
        (
            "keycloak", "https://login.example/realms/main",
            "https://login.example/realms/main/protocol/openid-connect/certs"
        ),
        (
            "supabase", "https://abcdefghij.supabase.co/auth/v1",
            "https://abcdefghij.supabase.co/auth/v1/.well-known/jwks.json"
        ),
        (
            "firebase", "https://securetoken.google.com/my-project",
            "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        ),
        (
            "firebase-app-check", "https://firebaseappcheck.googleapis.com/1234567890",
            "https://firebaseappcheck.googleapis.com/v1/jwks"
        ),
        (
            "github-actions", "https://token.actions.githubusercontent.com",
            "https://token.actions.githubusercontent.com/.well-known/jwks"
        ),
        ("gitlab", "https://gitlab.com", "https://gitlab.com/oauth/discovery/keys"),
        ("kubernetes", "https://kubernetes.default.svc", nil),
        ("jwt", "https://as.example", nil),
        ("jwt-value", "https://sts.example", nil),
    ]

    /// Presets at another host than the usual one.
    private static func elsewhere(_ name: String) throws -> AccessTokenIssuer? {
        let tenant = SampleIssuers.tenant
        return switch name {
        case "microsoft, US Government": try .microsoft(tenantID: tenant, host: "login.microsoftonline.us")
        case "microsoft, China": try .microsoft(tenantID: tenant, host: "login.partner.microsoftonline.cn")
        case "microsoft, customers": try .microsoft(tenantID: tenant, host: "\(tenant).ciamlogin.com")
        case "microsoft-v1, US Government": try .microsoftV1(tenantID: tenant, host: "login.microsoftonline.us")
        case "microsoft-v1, China": try .microsoftV1(tenantID: tenant, host: "login.partner.microsoftonline.cn")
        case "microsoft-b2c, custom domain":
            try .microsoftB2C(tenantID: tenant, userFlow: "B2C_1A_signin", host: "login.example.com")
        case "cognito, China": try .cognito(region: "cn-north-1", userPoolID: "cn-north-1_EXAMPLE")
        case "cognito, updated issuer":
            try .cognito(
                region: "eu-central-1",
                userPoolID: "eu-central-1_EXAMPLE",
                host: "issuer-cognito-idp.eu-central-1.amazonaws.com"
            )
        case "supabase": .supabase(issuer: "https://api.example/auth/v1")
        case "keycloak": .keycloak(issuer: "https://id.example/auth/realms/main")
        case "github-actions, server":
            .gitHubActions(owner: "octo-org", issuer: "https://github.example/_services/token")
        case "github-actions, enterprise":
            .gitHubActions(repository: "o/r", issuer: AccessTokenIssuer.gitHubIssuer + "/octo-enterprise")
        default: nil
        }
    }

    @Test(
        arguments: [
            (
                "microsoft, US Government", "https://login.microsoftonline.us/\(SampleIssuers.tenant)/v2.0",
                "https://login.microsoftonline.us/\(SampleIssuers.tenant)/discovery/v2.0/keys"
            ),
            (
                "microsoft, China", "https://login.partner.microsoftonline.cn/\(SampleIssuers.tenant)/v2.0",
                "https://login.partner.microsoftonline.cn/\(SampleIssuers.tenant)/discovery/v2.0/keys"
            ),
            (
                "microsoft, customers", "https://\(SampleIssuers.tenant).ciamlogin.com/\(SampleIssuers.tenant)/v2.0",
                "https://\(SampleIssuers.tenant).ciamlogin.com/\(SampleIssuers.tenant)/discovery/v2.0/keys"
            ),
            (
                "microsoft-v1, US Government", "https://sts.windows.net/\(SampleIssuers.tenant)/",
                "https://login.microsoftonline.us/common/discovery/keys"
            ),
            (
                "microsoft-v1, China", "https://sts.chinacloudapi.cn/\(SampleIssuers.tenant)/",
                "https://login.partner.microsoftonline.cn/common/discovery/keys"
            ),
            (
                "microsoft-b2c, custom domain", "https://login.example.com/\(SampleIssuers.tenant)/v2.0/",
                "https://login.example.com/\(SampleIssuers.tenant)/B2C_1A_signin/discovery/v2.0/keys"
            ),
            (
                "cognito, China", "https://cognito-idp.cn-north-1.amazonaws.com.cn/cn-north-1_EXAMPLE",
                "https://cognito-idp.cn-north-1.amazonaws.com.cn/cn-north-1_EXAMPLE/.well-known/jwks.json"
            ),
            (
                "cognito, updated issuer", "https://issuer-cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE",
                "https://issuer-cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE/.well-known/jwks.json"
            ),
            ("supabase", "https://api.example/auth/v1", "https://api.example/auth/v1/.well-known/jwks.json"),
            (
                "keycloak", "https://id.example/auth/realms/main",
                "https://id.example/auth/realms/main/protocol/openid-connect/certs"
            ),
            ("github-actions, server", "https://github.example/_services/token", nil),
            ("github-actions, enterprise", "https://token.actions.githubusercontent.com/octo-enterprise", nil),
        ] as [(String, String, String?)]
    )
    func `a preset at another host has its issuer and its key set`(name: String, issuer: String, keys: String?) throws {
        let preset = try #require(try Self.elsewhere(name))
        #expect(preset.provider.issuers == [issuer])
        #expect(preset.provider.keySetURL == keys)
        try AccessTokenBench(preset).verify()
    }

    @Test func `a host that is none, or has no tokens of version 1`() throws {
        for host in ["", "https://login.example", "login.example/x", "Login.example", "login"] {
            #expect(throws: PolicyError.self) {
                try AccessTokenIssuer.microsoft(tenantID: SampleIssuers.tenant, host: host)
            }
            #expect(throws: PolicyError.self) {
                try AccessTokenIssuer.microsoftB2C(tenantID: SampleIssuers.tenant, userFlow: "x", host: host)
            }
            #expect(throws: PolicyError.self) {
                try AccessTokenIssuer.cognito(region: "x", userPoolID: "x", host: host)
            }
        }
        #expect(throws: PolicyError.self) {
            try AccessTokenIssuer.microsoftV1(tenantID: SampleIssuers.tenant, host: "x.ciamlogin.com")
        }
    }

    private static func issuer(_ name: String) throws -> AccessTokenIssuer {
        try #require(try SampleIssuers.all().first { $0.name == name }).issuer
    }

    @Test func `every preset has a row in the table of places`() throws {
        #expect(try SampleIssuers.all().map(\.name) == Self.places.map(\.name))
    }

    @Test(arguments: places)
    func `a preset has the issuer and the key set that its provider documents`(
        name: String,
        issuer: String,
        keys: String?
    ) throws {
        let preset = try Self.issuer(name)
        #expect(preset.provider.issuers == [issuer])
        #expect(preset.provider.keySetURL == keys)
        #expect(preset.provider.requiresKeyID == !["rfc9068", "jwt", "jwt-value"].contains(name))
    }

    @Test(.rule("T-222"), arguments: places.map(\.name))
    func `a token without one of the claims that the preset requires is refused`(name: String) throws {
        let preset = try Self.issuer(name)
        let bench = try AccessTokenBench(preset)
        try bench.verify()
        for claim in preset.requiredClaims where preset.requiredValues[claim] == nil {
            expectRefusal(.missingClaim) { try bench.verify { $0.claims[claim] = nil } }
        }
        if preset.requiresClient {
            expectRefusal(.missingClaim) {
                try bench.verify { for claim in preset.clientClaims where claim != "aud" { $0.claims[claim] = nil } }
            }
        }
    }

    @Test(.rule("T-224"), arguments: places.map(\.name))
    func `a token without a mark or a required value of the preset is refused`(name: String) throws {
        let preset = try Self.issuer(name)
        let bench = try AccessTokenBench(preset)
        for value in [nil, "another"] as [TestJSON?] {
            for claim in preset.marks.keys {
                expectRefusal(.tokenType) { try bench.verify { $0.claims[claim] = value } }
            }
            for claim in preset.requiredValues.keys {
                let code: VerificationCode =
                    value == nil && (claim == "sub" || preset.requiredClaims.contains(claim))
                    ? .missingClaim : .claimValue
                expectRefusal(code) { try bench.verify { $0.claims[claim] = value } }
            }
        }
    }

    @Test func `the version of a token of Microsoft decides which preset accepts it`() throws {
        let (current, old) = (try Self.issuer("microsoft"), try Self.issuer("microsoft-v1"))
        let token = TestIssuer(accessTokensOf: old, audience: AccessTokenBench.audience).accessToken(old)
        let bench = try AccessTokenBench(current)
        expectRefusal(.issuer) { try bench.verifier.verify(token, with: bench.issuer.keys) }
        #expect(try AccessTokenBench(old).verify().tenantID == SampleIssuers.tenant)
    }

    @Test func `a token for Microsoft Graph is refused with the reason that only Graph can verify it`() throws {
        let bench = try AccessTokenBench(try Self.issuer("microsoft"))
        let refusal = expectRefusal(.signature) {
            try bench.verify {
                $0.header["nonce"] = "hashed-before-signing"
                $0.signing = .key(.another)
            }
        }
        #expect(refusal?.description.contains("only Microsoft Graph can verify its tokens") == true)
    }

    @Test func `any tenant of Microsoft can be accepted`() throws {
        let bench = try AccessTokenBench(.microsoft(.microsoftAnyTenant))
        #expect(try bench.verify().tenantID == "00000000-0000-4000-8000-000000000001")
    }

    @Test(.rule("T-221"))
    func `the client of a token of Cognito is its audience, unless it names another`() throws {
        let bench = try AccessTokenBench(try Self.issuer("cognito"))
        #expect(try bench.verify().audience == AccessTokenBench.audience)
        expectRefusal(.audience) { try bench.verify { $0.claims["client_id"] = "another" } }
        expectRefusal(.audience) { try bench.verify { $0.claims["aud"] = "another" } }
        let token = try bench.verify {
            $0.claims["aud"] = .string(AccessTokenBench.audience)
            $0.claims["client_id"] = "another"
        }
        #expect(token.clientID == "another")
    }

    @Test func `roles, groups and scopes are found where each provider has them`() throws {
        let cognito = try AccessTokenBench(try Self.issuer("cognito")).verify {
            $0.claims["cognito:groups"] = ["staff"]
        }
        #expect(cognito.groups == ["staff"])
        let microsoft = try AccessTokenBench(try Self.issuer("microsoft")).verify { $0.claims["roles"] = ["admin"] }
        #expect(microsoft.roles == ["admin"] && microsoft.scopes == ["orders:read"])
        #expect(try AccessTokenBench(try Self.issuer("okta")).verify().scopes == ["orders:read"])
        let supabase = try AccessTokenBench(try Self.issuer("supabase")).verify {
            $0.claims["amr"] = [["method": "password", "timestamp": 1]]
        }
        #expect(supabase.authenticationMethods == ["password"])
    }

    @Test func `a token of the authorization server of an Okta organization is refused by its type`() throws {
        let okta = try AccessTokenBench(try Self.issuer("okta"))
        expectRefusal(.tokenType) { try okta.verify { $0.header["typ"] = "application/okta-internal-at+jwt" } }
    }

    @Test(.rule("T-223"))
    func `scopes of another form than the provider's are refused`() throws {
        let okta = try AccessTokenBench(try Self.issuer("okta"))
        for value in ["orders:read", ["orders:read", 1], ["two scopes"]] as [TestJSON] {
            expectRefusal(.claimType) { try okta.verify { $0.claims["scp"] = value } }
        }
    }

    @Test func `workflows of one owner can be accepted`() throws {
        let bench = try AccessTokenBench(.gitHubActions(owner: "octo-org"))
        try bench.verify { $0.claims["repository"] = "octo-org/any" }
        expectRefusal(.claimValue) { try bench.verify { $0.claims["repository_owner"] = "octo-orga" } }
    }

    @Test func `an issuer with its own form is described by its differences`() throws {
        var issuer = AccessTokenIssuer(.openID(issuers: ["https://login.example"]))
        issuer.types = ["at+jwt", "jwt"]
        issuer.clientClaims = ["azp"]
        let bench = try AccessTokenBench(issuer)
        #expect(try bench.verify { $0.header["typ"] = "JWT" }.clientID == "client-app")
    }

    // MARK: Invalid settings

    @Test func `a name that would change the issuer is refused`() {
        for domain in [
            "", "https://example.auth0.com", "example.auth0.com/x", "Example.auth0.com", "localhost", "a.b?c",
        ] {
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.auth0(domain: domain) }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.okta(domain: domain) }
        }
        for label in ["", "a/b", "a.b", "a b", "\u{E9}", "a?", "{tenantid}"] {
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.cognito(region: label, userPoolID: "x") }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.cognito(region: "x", userPoolID: label) }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.supabase(projectID: label) }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.firebase(projectID: label) }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.okta(domain: "a.b", authorizationServer: label) }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.firebaseAppCheck(projectNumber: label) }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.microsoft(tenantID: label) }
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.microsoftV1(tenantID: label) }
        }
    }
}
