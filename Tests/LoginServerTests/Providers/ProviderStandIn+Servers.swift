// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginProviders
import LoginTesting
import LoginTokens

/// Identity servers that an organization runs, or has run for it.
extension ProviderStandIn {
    private static func verified(_ subject: String) -> User {
        User(subject: subject, email: "ada@corp.example", isEmailVerified: true, name: "Ada Example")
    }

    private static func unverified(_ subject: String) -> User {
        User(subject: subject, email: "ada@corp.example", name: "Ada Example")
    }

    /// The issuer has a slash at its end.
    static let auth0 = Self(
        page: "auth0",
        clientID: "Zk3vXq81",
        discoveryURL: "https://example.eu.auth0.com/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://example.eu.auth0.com/",
            "authorization_endpoint": "https://example.eu.auth0.com/authorize",
            "token_endpoint": "https://example.eu.auth0.com/oauth/token",
            "userinfo_endpoint": "https://example.eu.auth0.com/userinfo",
            "jwks_uri": "https://example.eu.auth0.com/.well-known/jwks.json",
            "response_types_supported": ["code", "token", "id_token", "code token", "code id_token"],
            "code_challenge_methods_supported": ["S256", "plain"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "private_key_jwt"],
            "id_token_signing_alg_values_supported": ["HS256", "RS256", "PS256"],
        ],
        authentication: [.post],
        response: { login in
            [
                "access_token": .string(login.accessToken), "scope": "openid profile email", "expires_in": 86_400,
                "token_type": "Bearer",
            ]
        },
        claims: { login in
            [
                "nickname": "ada", "name": "Ada Example", "updated_at": "2026-11-27T08:00:00.000Z",
                "email": "ada@corp.example", "email_verified": true, "iss": "https://example.eu.auth0.com/",
                "aud": .string(login.clientID), "sub": "auth0|5f7c8ec7c33c6c004bbafe82", "sid": "x",
            ]
        },
        user: verified("auth0|5f7c8ec7c33c6c004bbafe82"),
        mistakes: [
            .replacing("auth0.com/\n", with: "auth0.com\n"), .registered { $0.signature = .clientSecret },
            .invalidSecret,
        ],
        declaration: { ProviderDeclarations.auth0($0) }
    )

    /// Name and address are at the UserInfo endpoint alone.
    static let okta = Self(
        page: "okta",
        clientID: "0oa1example2",
        discoveryURL: "https://example.okta.com/oauth2/default/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://example.okta.com/oauth2/default",
            "authorization_endpoint": "https://example.okta.com/oauth2/default/v1/authorize",
            "token_endpoint": "https://example.okta.com/oauth2/default/v1/token",
            "userinfo_endpoint": "https://example.okta.com/oauth2/default/v1/userinfo",
            "jwks_uri": "https://example.okta.com/oauth2/default/v1/keys",
            "response_types_supported": ["code", "id_token", "code id_token", "code token", "id_token token"],
            "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none",
            ],
        ],
        response: { login in
            [
                "token_type": "Bearer", "expires_in": 3600, "access_token": .string(login.accessToken),
                "scope": "openid email profile",
            ]
        },
        claims: { login in
            [
                "sub": "00uid4BxXw6I6TV4m0g3", "ver": 1, "iss": "https://example.okta.com/oauth2/default",
                "aud": .string(login.clientID), "jti": "ID.x", "amr": ["pwd"], "idp": "00o1example",
                "auth_time": 1_700_000_000, "at_hash": .string(login.accessTokenHash),
            ]
        },
        userInfo: [
            "sub": "00uid4BxXw6I6TV4m0g3", "name": "Ada Example", "locale": "en-US", "email": "ada@corp.example",
            "preferred_username": "ada@corp.example", "zoneinfo": "Europe/Berlin", "updated_at": 1_700_000_000,
            "email_verified": true,
        ],
        user: verified("00uid4BxXw6I6TV4m0g3"),
        mistakes: [
            .registered { $0.metadata["issuer"] = "https://id.corp.example/oauth2/default" }, .without("user-info"),
            .registered { $0.deniesAccess = true },
        ],
        declaration: { ProviderDeclarations.okta($0) }
    )

    static let keycloak = Self(
        page: "keycloak",
        clientID: "web",
        discoveryURL: "https://login.example.org/realms/main/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://login.example.org/realms/main",
            "authorization_endpoint": "https://login.example.org/realms/main/protocol/openid-connect/auth",
            "token_endpoint": "https://login.example.org/realms/main/protocol/openid-connect/token",
            "userinfo_endpoint": "https://login.example.org/realms/main/protocol/openid-connect/userinfo",
            "jwks_uri": "https://login.example.org/realms/main/protocol/openid-connect/certs",
            "response_types_supported": ["code", "none", "id_token", "token", "id_token token", "code id_token"],
            "id_token_signing_alg_values_supported": ["PS384", "RS384", "EdDSA", "ES384", "HS256", "ES256", "RS256"],
            "token_endpoint_auth_methods_supported": [
                "private_key_jwt", "client_secret_basic", "client_secret_post", "tls_client_auth", "client_secret_jwt",
            ],
            "code_challenge_methods_supported": ["plain", "S256"],
            "authorization_response_iss_parameter_supported": true,
        ],
        clientError: TokenError(
            body: ["error": "unauthorized_client", "error_description": "Invalid client or Invalid client credentials"]
        ),
        response: { login in
            [
                "access_token": .string(login.accessToken), "expires_in": 300, "refresh_expires_in": 1800,
                "refresh_token": "r", "token_type": "Bearer", "not-before-policy": 0, "session_state": "x",
                "scope": "openid profile email",
            ]
        },
        claims: { login in
            [
                "auth_time": 1_700_000_000, "jti": "x", "iss": "https://login.example.org/realms/main",
                "aud": .string(login.clientID), "sub": "f3a1c2d4-1111-4222-8333-444455556666", "typ": "ID",
                "azp": .string(login.clientID), "sid": "x", "at_hash": .string(login.accessTokenHash), "acr": "1",
                "email_verified": true, "name": "Ada Example", "preferred_username": "ada", "email": "ada@corp.example",
            ]
        },
        user: verified("f3a1c2d4-1111-4222-8333-444455556666"),
        mistakes: [
            .replacing("example.org/realms", with: "example.org/auth/realms"),
            .registered { $0.metadata["issuer"] = "http://keycloak:8080/realms/main" }, .invalidSecret,
        ],
        declaration: { ProviderDeclarations.keycloak($0) }
    )

    /// `aud` has the clients of the project, and the project.
    static let zitadel = Self(
        page: "zitadel",
        clientID: "312450001",
        discoveryURL: "https://example-abc123.us1.zitadel.cloud/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://example-abc123.us1.zitadel.cloud",
            "authorization_endpoint": "https://example-abc123.us1.zitadel.cloud/oauth/v2/authorize",
            "token_endpoint": "https://example-abc123.us1.zitadel.cloud/oauth/v2/token",
            "userinfo_endpoint": "https://example-abc123.us1.zitadel.cloud/oidc/v1/userinfo",
            "jwks_uri": "https://example-abc123.us1.zitadel.cloud/oauth/v2/keys",
            "response_types_supported": ["code", "id_token", "id_token token"],
            "id_token_signing_alg_values_supported": ["EdDSA", "RS256", "RS384", "RS512", "ES256", "ES384", "ES512"],
            "token_endpoint_auth_methods_supported": [
                "none", "client_secret_basic", "client_secret_post", "private_key_jwt",
            ],
            "code_challenge_methods_supported": ["S256"],
        ],
        authentication: [.basic],
        response: { login in
            [
                "access_token": .string(login.accessToken), "token_type": "Bearer", "expires_in": 43_199,
                "scope": "openid email profile",
            ]
        },
        claims: { login in
            [
                "iss": "https://example-abc123.us1.zitadel.cloud", "sub": "163840776835432705",
                "aud": [.string(login.clientID), "312450002", "312449990"], "azp": .string(login.clientID),
                "amr": ["pwd"], "auth_time": 1_700_000_000, "at_hash": .string(login.accessTokenHash),
                "client_id": .string(login.clientID), "sid": "V1_x",
            ]
        },
        userInfo: [
            "sub": "163840776835432705", "name": "Ada Example", "email": "ada@corp.example", "email_verified": true,
            "locale": .null, "updated_at": 1_700_000_000,
        ],
        user: unverified("163840776835432705"),
        mistakes: [.replacing(#", "312449990"]"#, with: "]"), .without("user-info")],
        declaration: { ProviderDeclarations.zitadel($0) }
    )

    /// Each application has its own issuer, with a slash at its end.
    static let authentik = Self(
        page: "authentik",
        clientID: "kX2f9Q",
        discoveryURL: "https://sso.example.org/application/o/login/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://sso.example.org/application/o/login/",
            "authorization_endpoint": "https://sso.example.org/application/o/authorize/",
            "token_endpoint": "https://sso.example.org/application/o/token/",
            "userinfo_endpoint": "https://sso.example.org/application/o/userinfo/",
            "jwks_uri": "https://sso.example.org/application/o/login/jwks/",
            "response_types_supported": ["code", "id_token", "id_token token", "code token", "code id_token"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "code_challenge_methods_supported": ["plain", "S256"],
        ],
        response: { login in
            [
                "access_token": .string(login.accessToken), "token_type": "Bearer", "scope": "email openid profile",
                "expires_in": 300,
            ]
        },
        claims: { login in
            [
                "iss": "https://sso.example.org/application/o/login/", "sub": "0c2f7a51d0e8c9b4",
                "aud": .string(login.clientID),
                "auth_time": 1_700_000_000, "acr": "goauthentik.io/providers/oauth2/default", "amr": ["pwd"],
                "sid": "x",
                "email": "ada@corp.example", "email_verified": false, "name": "Ada Example", "groups": [],
            ]
        },
        user: unverified("0c2f7a51d0e8c9b4"),
        mistakes: [
            .replacing("/o/login/\n", with: "/o/login\n"),
            .registered {
                $0.signature = .clientSecret
                $0.metadata["id_token_signing_alg_values_supported"] = ["HS256"]
            },
        ],
        declaration: { ProviderDeclarations.authentik($0) }
    )

    /// ID tokens prove only who logged in.
    static let authelia = Self(
        page: "authelia",
        clientID: "login",
        discoveryURL: "https://auth.example.org/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://auth.example.org",
            "authorization_endpoint": "https://auth.example.org/api/oidc/authorization",
            "token_endpoint": "https://auth.example.org/api/oidc/token",
            "userinfo_endpoint": "https://auth.example.org/api/oidc/userinfo",
            "jwks_uri": "https://auth.example.org/jwks.json",
            "response_types_supported": ["code", "id_token", "token", "code id_token", "code token"],
            "id_token_signing_alg_values_supported": ["RS256", "none"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none",
            ],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": true,
        ],
        authentication: [.basic],
        response: { login in
            [
                "access_token": .string(login.accessToken), "expires_in": 3599, "scope": "openid profile email",
                "token_type": "bearer",
            ]
        },
        claims: { login in
            [
                "amr": ["pwd"], "at_hash": .string(login.accessTokenHash), "aud": [.string(login.clientID)],
                "auth_time": 1_700_000_000, "azp": .string(login.clientID), "client_id": .string(login.clientID),
                "iss": "https://auth.example.org", "jti": "x", "sub": "5c1c0d5a-0d5e-4a3f-9f6e-0f5f4f3d2c1b",
            ]
        },
        userInfo: [
            "sub": "5c1c0d5a-0d5e-4a3f-9f6e-0f5f4f3d2c1b", "name": "Ada Example", "email": "ada@corp.example",
            "email_verified": true, "alt_emails": ["ada@example.com"], "preferred_username": "ada",
            "rat": 1_700_000_000, "updated_at": 1_700_000_000,
        ],
        user: verified("5c1c0d5a-0d5e-4a3f-9f6e-0f5f4f3d2c1b"),
        mistakes: [.without("user-info"), .registered { $0.authentication = [.post] }],
        declaration: { ProviderDeclarations.authelia($0) }
    )
}
#endif
