// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginProviders
import LoginTesting
import LoginTokens

/// Amazon Cognito, Logto and Ory Hydra.
extension ProviderStandIn {
    /// `email_verified` is text, and the endpoints are at another domain than the issuer.
    static let cognito = Self(
        page: "cognito",
        clientID: "1example23456789",
        discoveryURL:
            "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE/.well-known/openid-configuration",
        metadata: [
            "authorization_endpoint": "https://example.auth.eu-central-1.amazoncognito.com/oauth2/authorize",
            "id_token_signing_alg_values_supported": ["RS256"],
            "issuer": "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE",
            "jwks_uri":
                "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE/.well-known/jwks.json",
            "response_types_supported": ["code", "token"],
            "scopes_supported": ["openid", "email", "phone", "profile"], "subject_types_supported": ["public"],
            "token_endpoint": "https://example.auth.eu-central-1.amazoncognito.com/oauth2/token",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "userinfo_endpoint": "https://example.auth.eu-central-1.amazoncognito.com/oauth2/userInfo",
        ],
        clientError: TokenError(status: 400, body: ["error": "invalid_client"]),
        scopes: ["openid", "email", "profile"],
        response: { login in
            [
                "access_token": .string(login.accessToken), "refresh_token": "r", "expires_in": 3600,
                "token_type": "Bearer",
            ]
        },
        claims: { login in
            [
                "at_hash": .string(login.accessTokenHash), "sub": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
                "cognito:groups": ["staff"], "email_verified": "true",
                "iss": "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE",
                "cognito:username": "ada", "origin_jti": "x", "aud": .string(login.clientID), "event_id": "x",
                "token_use": "id", "auth_time": 1_700_000_000, "jti": "x", "name": "Ada Example",
                "email": "ada@corp.example",
            ]
        },
        user: User(
            subject: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
            email: "ada@corp.example",
            isEmailVerified: true,
            name: "Ada Example"
        ),
        mistakes: [
            .replacing(
                "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE",
                with: "https://example.auth.eu-central-1.amazoncognito.com"
            ),
            .registered { $0.scopes = ["openid", "email"] },
        ],
        declaration: { ProviderDeclarations.cognito($0) }
    )

    /// ID tokens are signed on P-384, and every response has the issuer.
    static let logto = Self(
        page: "logto",
        clientID: "7fbn2kq4",
        discoveryURL: "https://example.logto.app/oidc/.well-known/openid-configuration",
        metadata: [
            "authorization_endpoint": "https://example.logto.app/oidc/auth", "claims_parameter_supported": false,
            "code_challenge_methods_supported": ["S256"], "issuer": "https://example.logto.app/oidc",
            "jwks_uri": "https://example.logto.app/oidc/jwks",
            "authorization_response_iss_parameter_supported": true,
            "response_types_supported": ["code id_token", "code", "id_token", "none"],
            "id_token_signing_alg_values_supported": ["ES384"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_jwt", "client_secret_post", "private_key_jwt", "none",
            ],
            "token_endpoint": "https://example.logto.app/oidc/token",
            "userinfo_endpoint": "https://example.logto.app/oidc/me",
        ],
        signature: .key(.es384),
        authentication: [.basic],
        response: { login in
            [
                "access_token": .string(login.accessToken), "expires_in": 3600, "scope": "openid profile email",
                "token_type": "Bearer",
            ]
        },
        claims: { login in
            [
                "sub": "0a1b2c3d4e5f", "name": "Ada Example", "picture": .null, "updated_at": 1_700_000_000_000,
                "username": .null, "created_at": 1_700_000_000_000, "email": "ada@corp.example",
                "email_verified": true, "at_hash": .string(login.accessTokenHash), "aud": .string(login.clientID),
                "iss": "https://example.logto.app/oidc",
            ]
        },
        user: User(subject: "0a1b2c3d4e5f", email: "ada@corp.example", isEmailVerified: true, name: "Ada Example"),
        mistakes: [
            .replacing("logto.app/oidc", with: "logto.app"),
            .replacing("    client-id:", with: "    algorithms: [RS256]\n    client-id:"),
        ],
        declaration: { ProviderDeclarations.logto($0) }
    )

    /// Only the registered client authentication is accepted, and it is not the first that the document lists.
    static let hydra = Self(
        page: "hydra",
        clientID: "3f6a2b1c",
        discoveryURL: "https://login.example.org/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://login.example.org", "authorization_endpoint": "https://login.example.org/oauth2/auth",
            "token_endpoint": "https://login.example.org/oauth2/token",
            "userinfo_endpoint": "https://login.example.org/userinfo",
            "jwks_uri": "https://login.example.org/.well-known/jwks.json", "subject_types_supported": ["public"],
            "response_types_supported": ["code", "code id_token", "id_token", "token id_token", "token"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_post", "client_secret_basic", "private_key_jwt", "none",
            ],
            "code_challenge_methods_supported": ["plain", "S256"],
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
                "at_hash": .string(login.accessTokenHash), "aud": [.string(login.clientID)],
                "auth_time": 1_700_000_000, "iss": "https://login.example.org", "jti": "x", "rat": 1_700_000_000,
                "sid": "x", "sub": "ada", "name": "Ada Example", "email": "ada@corp.example",
            ]
        },
        user: User(subject: "ada", email: "ada@corp.example", name: "Ada Example"),
        mistakes: [
            .without("client-authentication"),
            .registered { provider in
                provider.changeClaims { ($0["name"], $0["email"]) = (nil, nil) }
            },
        ],
        declaration: { ProviderDeclarations.hydra($0) }
    )

    static let hydraWithKey = Self(
        page: "hydra-key",
        clientID: "3f6a2b1c",
        discoveryURL: hydra.discoveryURL,
        metadata: hydra.metadata,
        authentication: [.assertion],
        response: hydra.response,
        claims: hydra.claims,
        user: hydra.user,
        mistakes: [
            .registered { $0.assertionAlgorithm = .rs256 },
            .replacing(
                "    client-key-id:",
                with: "    client-secret-file: /etc/login/hydra.secret\n    client-key-id:"
            ),
        ],
        declaration: { try ProviderDeclarations.hydraWithKey($0) }
    )
}
#endif
