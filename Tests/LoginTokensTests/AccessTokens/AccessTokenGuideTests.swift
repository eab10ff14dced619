// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Testing

/// The policies of the pages in `docs/guides/access-tokens`.
@Suite struct AccessTokenGuideTests {
    static func microsoft() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .microsoft(tenantID: "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"),
            audiences: ["a5b0c9d2-41f6-4e0e-8a62-d0b2b1f3c7e4"],
            requiredScopes: ["Orders.Read"]
        )
        return policy
    }

    static func microsoftV1() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .microsoftV1(tenantID: "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"),
            audiences: ["api://orders", "a5b0c9d2-41f6-4e0e-8a62-d0b2b1f3c7e4"],
            requiredScopes: ["Orders.Read"]
        )
        return policy
    }

    static func microsoftB2C() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .microsoftB2C(
                tenantID: "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88",
                userFlow: "B2C_1_signin",
                host: "contoso.b2clogin.com"
            ),
            audiences: ["a5b0c9d2-41f6-4e0e-8a62-d0b2b1f3c7e4"],
            requiredScopes: ["Orders.Read"],
            requiredValues: ["tfp": ["B2C_1_signin"]]
        )
        return policy
    }

    static func cognito() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .cognito(region: "eu-central-1", userPoolID: "eu-central-1_EXAMPLE"),
            audiences: ["1example23456789"],  // the app client IDs
            requiredScopes: ["orders/read"]
        )
        return policy
    }

    static func supabaseLegacy(_ policy: AccessTokenPolicy, _ jwtSecret: String) throws -> AccessTokenVerifier {
        let secret = try SharedSecret(jwtSecret, algorithm: .hs256)
        let verifier = try AccessTokenVerifier(policy: policy, secret: secret)
        return verifier
    }

    static func auth0() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .auth0(domain: "example.eu.auth0.com"),
            audiences: ["https://orders.example"],
            requiredScopes: ["orders:read"]
        )
        return policy
    }

    static func okta() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .okta(domain: "example.okta.com", authorizationServer: "default"),
            audiences: ["api://default"],
            requiredScopes: ["orders:read"]
        )
        return policy
    }

    static func keycloak() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .keycloak(issuer: "https://login.example/realms/main"),
            audiences: ["orders"],
            requiredScopes: ["orders:read"]
        )
        return policy
    }

    static func supabase() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .supabase(projectID: "abcdefghijklmnopqrst"),
            audiences: ["authenticated"]
        )
        return policy
    }

    static func firebase() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(issuer: .firebase(projectID: "my-project"), audiences: ["my-project"])
        return policy
    }

    static func firebaseAppCheck() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .firebaseAppCheck(projectNumber: "1234567890"),
            audiences: ["projects/1234567890"]
        )
        return policy
    }

    static func gitHubActions() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .gitHubActions(repository: "octo-org/octo-repo"),
            audiences: ["https://deploy.example"],
            requiredValues: ["repository_owner_id": ["65"], "ref": ["refs/heads/main"]],
            maximumAge: .seconds(300)
        )
        return policy
    }

    static func gitLab() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .gitLab(project: "group/project"),
            audiences: ["https://deploy.example"],
            requiredValues: ["project_id": ["22"], "ref_protected": ["true"]]
        )
        return policy
    }

    static func kubernetes() throws -> AccessTokenPolicy {
        let policy = try AccessTokenPolicy(
            issuer: .kubernetes(issuer: "https://oidc.cluster.example", serviceAccounts: ["shop/orders"]),
            audiences: ["https://orders.example"]
        )
        return policy
    }

    static func policies() throws -> [AccessTokenPolicy] {
        [
            try microsoft(), try microsoftV1(), try microsoftB2C(), try cognito(), try auth0(), try okta(),
            try keycloak(),
            try supabase(), try firebase(), try firebaseAppCheck(), try gitHubActions(), try gitLab(),
            try kubernetes(),
        ]
    }

    @Test func `the policy of each page accepts a token in the form of its preset`() throws {
        for policy in try Self.policies() {
            let form = policy.issuer
            let issuer = TestIssuer(accessTokensOf: form, audience: policy.audiences[0])
            let text = issuer.accessToken(form, scopes: policy.requiredScopes) { token in
                for (claim, values) in policy.requiredValues where form.requiredValues[claim] == nil {
                    token.claims[claim] = .string(values[0])
                }
            }
            let verifier = AccessTokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
            #expect(throws: Never.self, "\(policy)") { try verifier.verify(text, with: issuer.keys) }
        }
    }

    @Test func `there is a policy for every preset`() throws {
        // Without the one that follows RFC 9068, and the general form.
        let presets = try SampleIssuers.all().dropFirst().dropLast(SampleIssuers.general().count)
        #expect(try Self.policies().map(\.issuer.provider.name) == presets.map(\.issuer.provider.name))
    }
}
