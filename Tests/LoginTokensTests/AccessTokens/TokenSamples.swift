// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens

/// A token of each known kind, with the header and the claims that its issuer documents, for one audience.
///
/// The audience of all samples is the same, and all keys too: the worst case, in which only issuer and form differ.
struct TokenSample: Sendable {
    static let audience = "shared-audience"
    static let client = "client-app"

    let name: String
    let provider: Provider
    let type: TestJSON?
    let change: @Sendable (inout TestJSON) -> Void

    private init(
        _ name: String,
        _ provider: Provider,
        type: TestJSON? = "JWT",
        _ change: @escaping @Sendable (inout TestJSON) -> Void = { _ in }
    ) {
        self.name = name
        self.provider = provider
        self.type = type
        self.change = change
    }

    /// The token in its compact serialization.
    var text: String {
        TestIssuer(provider: provider, audience: Self.audience).token {
            $0.header["typ"] = type
            change(&$0.claims)
        }
    }
}

/// The issuers of the samples.
enum SampleIssuers {
    static let tenant = "11111111-2222-4333-8444-555555555555"
    static let openID = Provider.openID(issuers: ["https://issuer.example"])

    static func all() throws -> [(name: String, issuer: AccessTokenIssuer)] {
        try [
            ("rfc9068", .rfc9068(issuers: openID.issuers)),
            ("microsoft", try .microsoft(tenantID: tenant)),
            ("microsoft-v1", try .microsoftV1(tenantID: tenant)),
            (
                "microsoft-b2c",
                try .microsoftB2C(tenantID: tenant, userFlow: "B2C_1_signin", host: "contoso.b2clogin.com")
            ),
            ("cognito", try .cognito(region: "eu-central-1", userPoolID: "eu-central-1_EXAMPLE")),
            ("auth0", try .auth0(domain: "example.eu.auth0.com")),
            ("okta", try .okta(domain: "example.okta.com")),
            ("keycloak", .keycloak(issuer: "https://login.example/realms/main")),
            ("supabase", try .supabase(projectID: "abcdefghij")),
            ("firebase", try .firebase(projectID: "my-project")),
            ("firebase-app-check", try .firebaseAppCheck(projectNumber: "1234567890")),
            ("github-actions", .gitHubActions(repository: "octo-org/octo-repo")),
            ("gitlab", .gitLab(project: "group/project")),
            (
                "kubernetes",
                .kubernetes(issuer: "https://kubernetes.default.svc", serviceAccounts: ["shop/orders"])
            ),
        ] + general()
    }

    /// The general form, with each kind of mark.
    static func general() throws -> [(name: String, issuer: AccessTokenIssuer)] {
        [
            ("jwt", try .jwt(issuers: ["https://as.example"], mark: .claim("scp"), scopeClaim: "scp")),
            ("jwt-value", try .jwt(issuers: ["https://sts.example"], mark: .value(claim: "token_use", ["access"]))),
        ]
    }
}

extension TokenSample {
    /// The ID tokens, each named after the policy for its provider.
    static func idTokens() throws -> [TokenSample] {
        let issuers = Dictionary(uniqueKeysWithValues: try SampleIssuers.all().map { ($0.name, $0.issuer.provider) })
        func provider(_ name: String) -> Provider { issuers[name] ?? .facebook }
        return [
            TokenSample("facebook", .facebook) { $0["jti"] = "id" },
            TokenSample("google", .google) { $0["azp"] = .string(client) },
            TokenSample("apple", .apple) { $0["nonce_supported"] = true },
            TokenSample("openid", SampleIssuers.openID) { $0["nonce"] = "n-1" },
            TokenSample("microsoft", provider("microsoft")) {
                $0["ver"] = "2.0"
                $0["oid"] = "object"
                $0["roles"] = ["Orders.Read"]
            },
            TokenSample("cognito", provider("cognito"), type: nil) {
                $0["token_use"] = "id"
                $0["cognito:groups"] = ["staff"]
            },
            TokenSample("auth0", provider("auth0")) { $0["sid"] = "session" },
            TokenSample("auth0/party", provider("auth0")) { $0["azp"] = .string(client) },
            TokenSample("okta", provider("okta"), type: nil) {
                $0["ver"] = 1
                $0["jti"] = "ID.x"
                $0["amr"] = ["pwd"]
            },
            TokenSample("keycloak", provider("keycloak")) {
                $0["typ"] = "ID"
                $0["jti"] = "x"
                $0["azp"] = .string(client)
            },
            TokenSample("gitlab", provider("gitlab")) { $0["auth_time"] = 1 },
            TokenSample("microsoft-b2c", provider("microsoft-b2c")) { $0["tfp"] = "B2C_1_signin" },
            TokenSample("jwt", provider("jwt"), type: nil) {
                ($0["azp"], $0["auth_time"], $0["sid"], $0["jti"]) = (.string(client), 1, "session", "x")
            },
            TokenSample("jwt-value", provider("jwt-value")) { ($0["azp"], $0["token_use"]) = (.string(client), "id") },
        ]
    }

    /// The access tokens, each named after the policy for its issuer, with a variant after a slash.
    static func accessTokens() throws -> [TokenSample] {
        let issuers = Dictionary(uniqueKeysWithValues: try SampleIssuers.all().map { ($0.name, $0.issuer.provider) })
        func sample(
            _ name: String,
            type: TestJSON? = "JWT",
            _ change: @escaping @Sendable (inout TestJSON) -> Void
        ) -> TokenSample {
            let issuer = name.split(separator: "/").first.map(String.init) ?? name
            return TokenSample(name, issuers[issuer] ?? .facebook, type: type, change)
        }
        return try [
            sample("rfc9068", type: "at+jwt") {
                $0["client_id"] = .string(client)
                $0["jti"] = "x"
                $0["scope"] = "orders:read"
            },
            sample("microsoft/user") {
                ($0["ver"], $0["azp"], $0["azpacr"], $0["scp"]) = ("2.0", .string(client), "1", "Orders.Read")
            },
            sample("microsoft/application") {
                ($0["ver"], $0["azp"], $0["azpacr"], $0["roles"]) = ("2.0", .string(client), "2", ["Orders.Read.All"])
            },
            sample("microsoft-v1/user") {
                ($0["ver"], $0["appid"], $0["appidacr"], $0["scp"]) = ("1.0", .string(client), "0", "Orders.Read")
                ($0["acr"], $0["amr"]) = ("1", ["pwd"])
            },
            sample("microsoft-b2c") {
                ($0["ver"], $0["azp"], $0["scp"], $0["tfp"]) = ("1.0", .string(client), "read", "B2C_1_signin")
            },
            sample("cognito", type: nil) {
                ($0["token_use"], $0["client_id"], $0["aud"]) = ("access", .string(audience), nil)
                ($0["jti"], $0["scope"], $0["cognito:groups"]) = ("x", "orders/read", ["staff"])
            },
            sample("cognito/resource", type: nil) {
                ($0["token_use"], $0["client_id"]) = ("access", .string(client))
                ($0["jti"], $0["scope"]) = ("x", "orders/read")
            },
            sample("auth0/user") {
                ($0["azp"], $0["scope"]) = (.string(client), "openid orders:read")
                $0["aud"] = [.string(audience), "https://example.eu.auth0.com/userinfo"]
            },
            sample("auth0/machine") { ($0["azp"], $0["gty"]) = (.string(client), "client-credentials") },
            sample("auth0/rfc9068", type: "at+jwt") { ($0["client_id"], $0["jti"]) = (.string(client), "x") },
            sample("okta", type: nil) {
                ($0["ver"], $0["jti"], $0["cid"], $0["scp"]) = (1, "AT.x", .string(client), ["orders:read"])
            },
            sample("keycloak") {
                ($0["typ"], $0["jti"], $0["azp"], $0["scope"]) = ("Bearer", "x", .string(client), "orders:read")
            },
            sample("keycloak/dpop", type: "at+jwt") {
                ($0["typ"], $0["jti"], $0["azp"], $0["cnf"]) = ("DPoP", "x", .string(client), ["jkt": "x"])
            },
            sample("supabase") {
                ($0["role"], $0["session_id"], $0["aal"]) = ("authenticated", "x", "aal1")
                $0["amr"] = [["method": "password", "timestamp": 1]]
            },
            sample("firebase") { ($0["auth_time"], $0["firebase"]) = (1, ["sign_in_provider": "password"]) },
            sample("firebase-app-check") { $0["aud"] = [.string(audience), "projects/my-project"] },
            sample("github-actions") {
                ($0["jti"], $0["repository"], $0["repository_owner"]) = ("x", "octo-org/octo-repo", "octo-org")
            },
            sample("gitlab") { ($0["jti"], $0["project_path"], $0["job_id"]) = ("x", "group/project", "1") },
            sample("kubernetes", type: nil) {
                $0["aud"] = [.string(audience)]
                $0["sub"] = "system:serviceaccount:shop:orders"
                $0["kubernetes.io"] = ["namespace": "shop"]
            },
        ] + general()
    }

    /// The access tokens of the general form.
    private static func general() throws -> [TokenSample] {
        let issuers = try SampleIssuers.general().map(\.issuer.provider)
        return [
            TokenSample("jwt", issuers[0], type: nil) {
                ($0["client_id"], $0["scp"]) = (.string(client), ["orders:read"])
            },
            TokenSample("jwt/typed", issuers[0]) {
                ($0["client_id"], $0["scp"], $0["iat"]) = (.string(client), "orders:read", nil)
            },
            TokenSample("jwt-value", issuers[1]) { ($0["client_id"], $0["token_use"]) = (.string(client), "access") },
        ]
    }

    /// Other tokens of the same issuers, which no policy accepts.
    static func others() throws -> [TokenSample] {
        try SampleIssuers.all().flatMap { name, issuer in
            [
                TokenSample("\(name): logout token", issuer.provider, type: "logout+jwt") { $0["events"] = [:] },
                TokenSample("\(name): event", issuer.provider) { $0["events"] = [:] },
                TokenSample("\(name): proof", issuer.provider, type: "dpop+jwt") { $0["htm"] = "GET" },
                TokenSample("\(name): client assertion", issuer.provider) { $0["iss"] = .string(client) },
                TokenSample("\(name): refresh token", issuer.provider) {
                    ($0["typ"], $0["aud"]) = ("Refresh", .string(issuer.provider.issuers[0]))
                },
            ]
        }
    }
}
