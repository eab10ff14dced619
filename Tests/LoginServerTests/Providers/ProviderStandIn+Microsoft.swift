// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginProviders
import LoginTesting
import LoginTokens

/// Microsoft's platform: one tenant, several, any, and the two products for customers.
extension ProviderStandIn {
    private static let tenant = "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"
    private static let otherTenant = "0b1d4f7a-90c3-4b1e-8f21-5d5f0a6c7e43"
    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let client = "8a1f9f70-2c55-4c9e-9a52-2f6f0d1c3b44"
    private static let subject = "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ"

    /// The discovery document at Microsoft's host.
    private static func metadata(_ tenants: String, issuer: String) -> TestJSON {
        let host = "https://login.microsoftonline.com/\(tenants)"
        return [
            "token_endpoint": "\(host)/oauth2/v2.0/token",
            "token_endpoint_auth_methods_supported": [
                "client_secret_post", "private_key_jwt", "client_secret_basic", "self_signed_tls_client_auth",
            ],
            "jwks_uri": "\(host)/discovery/v2.0/keys", "response_modes_supported": ["query", "fragment", "form_post"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
            "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"], "issuer": .string(issuer),
            "request_uri_parameter_supported": false, "userinfo_endpoint": "https://graph.microsoft.com/oidc/userinfo",
            "authorization_endpoint": "\(host)/oauth2/v2.0/authorize", "http_logout_supported": true,
            "frontchannel_logout_supported": true, "tenant_region_scope": .null,
            "cloud_graph_host_name": "graph.windows.net",
        ]
    }

    private static func response(_ login: Login) -> TestJSON {
        [
            "token_type": "Bearer", "scope": "email openid profile", "expires_in": 4172, "ext_expires_in": 4172,
            "access_token": .string(login.accessToken),
        ]
    }

    private static func claims(_ tenant: String) -> @Sendable (Login) -> TestJSON {
        { login in
            [
                "aud": .string(login.clientID), "iss": "https://login.microsoftonline.com/\(tenant)/v2.0",
                "nbf": 1_700_000_000, "email": "ada@corp.example", "name": "Ada Example",
                "oid": "690222be-ff1a-4d56-abd1-7e4f7d38e474", "preferred_username": "ada@corp.example",
                "rh": "1.AQ.", "sub": .string(subject), "tid": .string(tenant), "uti": "x", "ver": "2.0",
            ]
        }
    }

    /// A key of Microsoft has no `alg`, and the issuer whose tokens it signs.
    private static func key(_ issuer: String) -> TestJSON {
        ["alg": .null, "x5t": "x", "issuer": .string(issuer)]
    }

    private static func user(of tenant: String) -> User {
        User(subject: "\(tenant)/\(subject)", email: "ada@corp.example", name: "Ada Example")
    }

    /// Moves the user to another tenant.
    private static let otherUser = Mistake.registered { provider in
        provider.changeClaims {
            $0["iss"] = "https://login.microsoftonline.com/\(otherTenant)/v2.0"
            $0["tid"] = .string(otherTenant)
        }
        provider.keyMembers["issuer"] = "https://login.microsoftonline.com/{tenantid}/v2.0"
    }

    static let microsoft = Self(
        page: "microsoft",
        clientID: client,
        discoveryURL: "https://login.microsoftonline.com/\(tenant)/v2.0/.well-known/openid-configuration",
        metadata: metadata(tenant, issuer: "https://login.microsoftonline.com/\(tenant)/v2.0"),
        keyMembers: key("https://login.microsoftonline.com/\(tenant)/v2.0"),
        response: { response($0) },
        claims: claims(tenant),
        user: user(of: tenant),
        mistakes: [
            .replacing("tenants: [\(tenant)]", with: "tenants: [corp.onmicrosoft.com]"), .invalidSecret, otherUser,
        ],
        declaration: { try ProviderDeclarations.microsoft($0) }
    )

    static let microsoftTenants = Self(
        page: "microsoft-tenants",
        clientID: client,
        discoveryURL: "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
        metadata: metadata("common", issuer: "https://login.microsoftonline.com/{tenantid}/v2.0"),
        keyMembers: key("https://login.microsoftonline.com/{tenantid}/v2.0"),
        response: { response($0) },
        claims: claims(personal),
        user: user(of: personal),
        mistakes: [otherUser],
        declaration: { try ProviderDeclarations.microsoftTenants($0) }
    )

    static let microsoftAny = Self(
        page: "microsoft-tenants",
        configuration: 1,
        clientID: client,
        discoveryURL: microsoftTenants.discoveryURL,
        metadata: microsoftTenants.metadata,
        keyMembers: microsoftTenants.keyMembers,
        response: { response($0) },
        claims: claims(otherTenant),
        user: user(of: otherTenant),
        firstResult: 1,
        mistakes: [.replacing("    tenants:", with: "    email-domains: [corp.example]\n    tenants:")],
        declaration: { ProviderDeclarations.microsoftAny($0) }
    )

    /// The dialog and the document are at the tenant's name, the issuer is at its ID.
    static let externalID = Self(
        page: "microsoft-customers",
        clientID: client,
        discoveryURL: "https://example.ciamlogin.com/\(tenant)/v2.0/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://\(tenant).ciamlogin.com/\(tenant)/v2.0",
            "authorization_endpoint": "https://example.ciamlogin.com/\(tenant)/oauth2/v2.0/authorize",
            "token_endpoint": "https://example.ciamlogin.com/\(tenant)/oauth2/v2.0/token",
            "jwks_uri": "https://example.ciamlogin.com/\(tenant)/discovery/v2.0/keys",
            "response_types_supported": ["code", "id_token", "code id_token", "id_token token"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
        ],
        keyMembers: key("https://\(tenant).ciamlogin.com/\(tenant)/v2.0"),
        response: { response($0) },
        claims: { login in
            [
                "aud": .string(login.clientID), "iss": "https://\(tenant).ciamlogin.com/\(tenant)/v2.0",
                "email": "ada@example.com", "name": "Ada Example", "oid": "690222be-ff1a-4d56-abd1-7e4f7d38e474",
                "sub": .string(subject), "tid": .string(tenant), "ver": "2.0",
            ]
        },
        user: User(subject: subject, email: "ada@example.com", name: "Ada Example"),
        mistakes: [
            .replacing("issuer: https://\(tenant).ciamlogin.com", with: "issuer: https://example.ciamlogin.com")
        ],
        declaration: { ProviderDeclarations.externalID($0) }
    )

    /// An access token needs the client ID as scope, and addresses are a list.
    static let azureB2C = Self(
        page: "microsoft-customers",
        configuration: 1,
        clientID: client,
        discoveryURL:
            "https://example.b2clogin.com/example.onmicrosoft.com/B2C_1_login/v2.0/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://example.b2clogin.com/\(tenant)/v2.0/",
            "authorization_endpoint":
                "https://example.b2clogin.com/example.onmicrosoft.com/b2c_1_login/oauth2/v2.0/authorize",
            "token_endpoint": "https://example.b2clogin.com/example.onmicrosoft.com/b2c_1_login/oauth2/v2.0/token",
            "jwks_uri": "https://example.b2clogin.com/example.onmicrosoft.com/b2c_1_login/discovery/v2.0/keys",
            "response_types_supported": ["code", "code id_token", "code token", "id_token", "token"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        ],
        keyMembers: ["alg": .null, "nbf": 1_493_763_266],
        response: { login in
            var response: TestJSON = [
                "token_type": "Bearer", "not_before": 1_700_000_000, "id_token_expires_in": 3600, "profile_info": "e30",
                "refresh_token": "r", "refresh_token_expires_in": 1_209_600,
            ]
            if login.scopes.contains(login.clientID) {
                response["access_token"] = .string(login.accessToken)
                response["expires_in"] = 3600
                response["scope"] = "\(login.clientID) openid"
            }
            return response
        },
        claims: { login in
            [
                "ver": "1.0", "iss": "https://example.b2clogin.com/\(tenant)/v2.0/",
                "sub": "3f5f2a10-8a0e-4f1b-9d5e-5b1f3b7c9d11", "aud": .string(login.clientID), "nbf": 1_700_000_000,
                "auth_time": 1_700_000_000, "name": "Ada Example", "emails": ["ada@example.com"], "tfp": "B2C_1_login",
            ]
        },
        user: User(subject: "3f5f2a10-8a0e-4f1b-9d5e-5b1f3b7c9d11", name: "Ada Example"),
        firstResult: 1,
        mistakes: [
            .replacing("/\(tenant)/v2.0/\n", with: "/example.onmicrosoft.com/v2.0/\n"), .without("scopes"),
        ]
    )
}
#endif
