// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginProviders
import LoginTesting
import LoginTokens

/// Google, Apple, LINE, and the sites where people have accounts for another purpose.
extension ProviderStandIn {
    /// The user's address is one of a Workspace domain.
    static let google = Self(
        page: "google",
        clientID: "1234-abcd.apps.googleusercontent.com",
        discoveryURL: "https://accounts.google.com/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://accounts.google.com",
            "authorization_endpoint": "https://accounts.google.com/o/oauth2/v2/auth",
            "token_endpoint": "https://oauth2.googleapis.com/token",
            "userinfo_endpoint": "https://openidconnect.googleapis.com/v1/userinfo",
            "jwks_uri": "https://www.googleapis.com/oauth2/v3/certs",
            "response_types_supported": ["code", "token", "id_token", "code token", "code id_token"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "code_challenge_methods_supported": ["plain", "S256"],
        ],
        redirectError: "redirect_uri_mismatch",
        response: { login in
            [
                "access_token": .string(login.accessToken), "expires_in": 3599, "token_type": "Bearer",
                "scope": "openid https://www.googleapis.com/auth/userinfo.email",
            ]
        },
        claims: { login in
            [
                "iss": "https://accounts.google.com", "azp": .string(login.clientID), "aud": .string(login.clientID),
                "sub": "110169484474386276334", "hd": "corp.example", "email": "ada@corp.example",
                "email_verified": true, "at_hash": .string(login.accessTokenHash), "name": "Ada Example",
                "picture": "https://lh3.googleusercontent.com/a/x", "given_name": "Ada", "family_name": "Example",
            ]
        },
        user: User(
            subject: "110169484474386276334",
            email: "ada@corp.example",
            isEmailVerified: true,
            name: "Ada Example"
        ),
        mistakes: [
            .without("email-domains"), .registered { $0.redirectURI = "https://login.example.com/login/google" },
            .invalidSecret,
        ],
        declaration: { ProviderDeclarations.google($0) }
    )

    /// Flags are text, the name is beside the code, and only the secret in the form counts.
    static let apple = Self(
        page: "apple",
        clientID: "com.example.login",
        discoveryURL: "https://appleid.apple.com/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://appleid.apple.com",
            "authorization_endpoint": "https://appleid.apple.com/auth/authorize",
            "token_endpoint": "https://appleid.apple.com/auth/token",
            "revocation_endpoint": "https://appleid.apple.com/auth/revoke",
            "jwks_uri": "https://appleid.apple.com/auth/keys",
            "response_types_supported": ["code"], "response_modes_supported": ["query", "fragment", "form_post"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "email", "name"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ],
        authentication: [.post],
        clientError: TokenError(status: 400, body: ["error": "invalid_client"]),
        pkce: .ignored,
        form: [
            (
                name: "user",
                value: #"{"name":{"firstName":"Ada","lastName":"Example"},"email":"x1@privaterelay.appleid.com"}"#
            )
        ],
        response: { login in
            [
                "access_token": .string(login.accessToken), "token_type": "Bearer", "expires_in": 3600,
                "refresh_token": "r.1",
            ]
        },
        claims: { login in
            [
                "iss": "https://appleid.apple.com", "aud": .string(login.clientID), "sub": "001234.0a1b2c3d.0123",
                "at_hash": .string(login.accessTokenHash), "email": "x1@privaterelay.appleid.com",
                "email_verified": "true", "is_private_email": "true", "nonce_supported": true,
            ]
        },
        user: User(subject: "001234.0a1b2c3d.0123", email: "x1@privaterelay.appleid.com", isEmailVerified: true),
        mistakes: [.invalidSecret, .replacing("client-id: com.example.login", with: "client-id: com.example.app")],
        declaration: { secret in ProviderDeclarations.apple { secret } }
    )

    /// ID tokens have no nonce, a verifier of PKCE is refused, scopes are separated by commas, and the locale is an
    /// object.
    static let linkedIn = Self(
        page: "linkedin",
        clientID: "78example",
        discoveryURL: "https://www.linkedin.com/oauth/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://www.linkedin.com/oauth",
            "authorization_endpoint": "https://www.linkedin.com/oauth/v2/authorization",
            "token_endpoint": "https://www.linkedin.com/oauth/v2/accessToken",
            "userinfo_endpoint": "https://api.linkedin.com/v2/userinfo",
            "jwks_uri": "https://www.linkedin.com/oauth/openid/jwks", "response_types_supported": ["code"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "profile", "email"],
        ],
        authentication: [.post],
        authenticationError: TokenError(status: 400, body: ["error": "invalid_request"]),
        pkce: .refused,
        echoesNonce: false,
        response: { login in
            [
                "access_token": .string(login.accessToken), "expires_in": 5_183_999, "scope": "email,openid,profile",
                "token_type": "Bearer",
            ]
        },
        claims: { login in
            [
                "iss": "https://www.linkedin.com/oauth", "aud": .string(login.clientID), "sub": "782bbtaQ",
                "name": "Ada Example", "given_name": "Ada", "family_name": "Example",
                "picture": "https://media.licdn.com/x", "locale": ["country": "US", "language": "en"],
                "email": "ada@example.com", "email_verified": "true",
            ]
        },
        user: User(subject: "782bbtaQ", email: "ada@example.com", name: "Ada Example"),
        mistakes: [
            .without("nonce", "code-injection"), .without("pkce"), .without("client-authentication"),
        ],
        declaration: { ProviderDeclarations.linkedIn($0) }
    )

    /// Scopes are an array, and ID tokens have only the claims that the request names.
    static let twitch = Self(
        page: "twitch",
        clientID: "uo6dggojyb8d6soh92zknwmi5ej1q2",
        discoveryURL: "https://id.twitch.tv/oauth2/.well-known/openid-configuration",
        metadata: [
            "authorization_endpoint": "https://id.twitch.tv/oauth2/authorize", "claims_parameter_supported": true,
            "id_token_signing_alg_values_supported": ["RS256"], "issuer": "https://id.twitch.tv/oauth2",
            "jwks_uri": "https://id.twitch.tv/oauth2/keys",
            "response_types_supported": ["id_token", "code", "token", "code id_token", "token id_token"],
            "scopes_supported": ["openid"], "subject_types_supported": ["public"],
            "token_endpoint": "https://id.twitch.tv/oauth2/token",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "userinfo_endpoint": "https://id.twitch.tv/oauth2/userinfo",
        ],
        authentication: [.post],
        clientError: TokenError(status: 403, body: ["status": 403, "message": "invalid client secret"]),
        pkce: .ignored,
        scopes: ["openid", "user:read:email"],
        redirectError: "redirect_mismatch",
        response: { login in
            [
                "access_token": .string(login.accessToken), "expires_in": 14_124, "refresh_token": "r",
                "scope": .array(login.scopes.sorted().map { .string($0) }), "token_type": "bearer",
            ]
        },
        claims: { login in
            var claims: TestJSON = [
                "iss": "https://id.twitch.tv/oauth2", "aud": .string(login.clientID), "azp": .string(login.clientID),
                "sub": "713936733",
            ]
            if login.scopes.contains("user:read:email"), login.claims?.contains(#""email""#) == true {
                claims["email"] = "ada@example.com"
                claims["email_verified"] = true
            }
            return claims
        },
        user: User(subject: "713936733"),
        mistakes: [
            .without("scopes"), .registered { $0.redirectURI = "http://login.example.com/login/twitch/callback" },
        ],
        declaration: { try ProviderDeclarations.twitch($0) },
        declaredUser: User(subject: "713936733", email: "ada@example.com")
    )

    /// ID tokens of web logins are signed with the channel secret; the document lists ES256 alone.
    static let line = Self(
        page: "line",
        clientID: "1656000001",
        discoveryURL: "https://access.line.me/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://access.line.me",
            "authorization_endpoint": "https://access.line.me/oauth2/v2.1/authorize",
            "token_endpoint": "https://api.line.me/oauth2/v2.1/token",
            "userinfo_endpoint": "https://api.line.me/oauth2/v2.1/userinfo",
            "scopes_supported": ["openid", "profile", "email"],
            "jwks_uri": "https://api.line.me/oauth2/v2.1/certs", "response_types_supported": ["code"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"],
        ],
        signature: .clientSecret,
        authentication: [.post],
        clientError: TokenError(
            status: 400,
            body: ["error": "invalid_client", "error_description": "invalid client_secret"]
        ),
        response: { login in
            [
                "access_token": .string(login.accessToken), "expires_in": 2_592_000, "refresh_token": "r",
                "scope": "profile openid", "token_type": "Bearer",
            ]
        },
        claims: { login in
            [
                "iss": "https://access.line.me", "sub": "U1234567890abcdef1234567890abcdef",
                "aud": .string(login.clientID), "amr": ["linesso"], "name": "Ada",
                "picture": "https://profile.line-scdn.net/x", "email": "ada@example.com",
            ]
        },
        user: User(subject: "U1234567890abcdef1234567890abcdef", email: "ada@example.com", name: "Ada"),
        mistakes: [
            .without("client-secret-file"),
            .replacing(
                "    client-id:",
                with: """
                        kind: openid
                        issuer: https://access.line.me
                        client-authentication: post
                        client-id:
                    """
            ),
            .invalidSecret,
        ],
        declaration: { try ProviderDeclarations.line($0) }
    )

    static let gitLab = Self(
        page: "gitlab",
        clientID: "4f1eaffe",
        discoveryURL: "https://gitlab.com/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://gitlab.com", "authorization_endpoint": "https://gitlab.com/oauth/authorize",
            "token_endpoint": "https://gitlab.com/oauth/token",
            "userinfo_endpoint": "https://gitlab.com/oauth/userinfo",
            "jwks_uri": "https://gitlab.com/oauth/discovery/keys",
            "response_types_supported": ["code"], "response_modes_supported": ["query", "fragment", "form_post"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["plain", "S256"],
        ],
        scopes: ["openid", "profile", "email"],
        response: { login in
            [
                "access_token": .string(login.accessToken), "token_type": "Bearer", "expires_in": 7200,
                "refresh_token": "r", "scope": "openid profile email", "created_at": 1_607_635_748,
            ]
        },
        claims: { login in
            [
                "iss": "https://gitlab.com", "sub": "1000001", "aud": .string(login.clientID),
                "sub_legacy": "0a1b2c3d4e5f", "name": "Ada Example", "nickname": "ada", "preferred_username": "ada",
                "email": "ada@example.com", "email_verified": true, "profile": "https://gitlab.com/ada",
                "groups_direct": ["corp"],
            ]
        },
        user: User(subject: "1000001", email: "ada@example.com", name: "Ada Example"),
        mistakes: [
            .registered { $0.scopes = ["openid"] },
            .replacing("issuer: https://gitlab.com", with: "issuer: https://gitlab.com/"),
        ],
        declaration: { ProviderDeclarations.gitLab($0) }
    )

    /// Errors of the token endpoint have the status 200.
    static let slack = Self(
        page: "slack",
        clientID: "25259531569.11152291",
        discoveryURL: "https://slack.com/.well-known/openid-configuration",
        metadata: [
            "issuer": "https://slack.com", "authorization_endpoint": "https://slack.com/openid/connect/authorize",
            "token_endpoint": "https://slack.com/api/openid.connect.token",
            "userinfo_endpoint": "https://slack.com/api/openid.connect.userInfo",
            "jwks_uri": "https://slack.com/openid/connect/keys",
            "scopes_supported": ["openid", "profile", "email"], "response_types_supported": ["code"],
            "response_modes_supported": ["form_post"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        ],
        clientError: TokenError(status: 200, body: ["ok": false, "error": "bad_client_secret"]),
        pkce: .ignored,
        scopes: ["openid", "profile", "email"],
        response: { ["ok": true, "access_token": .string($0.accessToken), "token_type": "Bearer"] },
        claims: { login in
            [
                "iss": "https://slack.com", "sub": "U0R7MFMJM", "aud": .string(login.clientID),
                "auth_time": 1_626_874_655, "at_hash": .string(login.accessTokenHash),
                "https://slack.com/team_id": "T0RR", "https://slack.com/user_id": "U0R7MFMJM",
                "email": "ada@corp.example", "email_verified": true, "date_email_verified": 1_622_128_723,
                "locale": "en-US", "name": "Ada", "given_name": "", "family_name": "",
                "https://slack.com/team_image_default": true,
            ]
        },
        user: User(subject: "U0R7MFMJM", email: "ada@corp.example", name: "Ada"),
        mistakes: [.invalidSecret, .registered { $0.deniesAccess = true }],
        declaration: { ProviderDeclarations.slack($0) }
    )
}
#endif
