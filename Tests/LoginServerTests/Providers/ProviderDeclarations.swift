// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginProviders
import LoginTokens

/// The declarations of the pages in `docs/guides/providers`, which `scripts/check-snippets` compares with them.
enum ProviderDeclarations {
    static func google(_ secret: String) -> SignInProvider {
        let google = SignInProvider.google(clientID: "1234-abcd.apps.googleusercontent.com", clientSecret: secret)
            .with { $0.emailTrust = .verifiedClaim(domains: ["gmail.com", "googlemail.com", "corp.example"]) }
        return google
    }

    static func apple(_ sign: @escaping @Sendable () async throws -> String) -> SignInProvider {
        let apple = SignInProvider.apple(clientID: "com.example.login", authentication: .post { try await sign() })
        return apple
    }

    static func microsoft(_ secret: String) throws -> SignInProvider {
        let tenant = "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"
        let client = "8a1f9f70-2c55-4c9e-9a52-2f6f0d1c3b44"
        let entra = try SignInProvider.microsoft("microsoft", tenantID: tenant, clientID: client, clientSecret: secret)
        return entra
    }

    static func microsoftTenants(_ secret: String) throws -> SignInProvider {
        let client = "8a1f9f70-2c55-4c9e-9a52-2f6f0d1c3b44"
        let ids = ["6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88", "9188040d-6c67-4c5b-b112-36a304b66dad"]
        let entra = try SignInProvider.microsoft("microsoft", tenantIDs: ids, clientID: client, clientSecret: secret)
        return entra
    }

    static func microsoftAny(_ secret: String) -> SignInProvider {
        let client = "8a1f9f70-2c55-4c9e-9a52-2f6f0d1c3b44"
        return .microsoftAnyTenant("microsoft", clientID: client, clientSecret: secret)
    }

    static func externalID(_ secret: String) -> SignInProvider {
        let tenant = "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"
        let client = "8a1f9f70-2c55-4c9e-9a52-2f6f0d1c3b44"
        let issuer = "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"
        let document = "https://example.ciamlogin.com/\(tenant)/v2.0/.well-known/openid-configuration"
        let customers = SignInProvider.openID("customers", issuer: issuer, clientID: client, clientSecret: secret)
            .with { $0.provider.documents.discoveryURL = document }
        return customers
    }

    static func auth0(_ secret: String) -> SignInProvider {
        let issuer = "https://example.eu.auth0.com/"
        let auth0 = SignInProvider.openID("auth0", issuer: issuer, clientID: "Zk3vXq81").with {
            $0.authentication = .post(secret: secret)
            $0.emailTrust = .verifiedClaimOfAnyDomain
        }
        return auth0
    }

    static func okta(_ secret: String) -> SignInProvider {
        let issuer = "https://example.okta.com/oauth2/default"
        let okta = SignInProvider.openID("okta", issuer: issuer, clientID: "0oa1example2", clientSecret: secret).with {
            $0.userInfo = .used
            $0.emailTrust = .verifiedClaim(domains: ["corp.example"])
        }
        return okta
    }

    static func keycloak(_ secret: String) -> SignInProvider {
        let issuer = "https://login.example.org/realms/main"
        let keycloak = SignInProvider.openID("keycloak", issuer: issuer, clientID: "web", clientSecret: secret)
            .with { $0.emailTrust = .verifiedClaim(domains: ["corp.example"]) }
        return keycloak
    }

    static func zitadel(_ secret: String) -> SignInProvider {
        let issuer = "https://example-abc123.us1.zitadel.cloud"
        let client = "312450001"
        let zitadel = SignInProvider.openID("zitadel", issuer: issuer, clientID: client, clientSecret: secret).with {
            $0.trustedAudiences = ["312450002", "312449990"]
            $0.userInfo = .used
        }
        return zitadel
    }

    static func authentik(_ secret: String) -> SignInProvider {
        let issuer = "https://sso.example.org/application/o/login/"
        let authentik = SignInProvider.openID("authentik", issuer: issuer, clientID: "kX2f9Q", clientSecret: secret)
        return authentik
    }

    static func authelia(_ secret: String) -> SignInProvider {
        let issuer = "https://auth.example.org"
        let authelia = SignInProvider.openID("authelia", issuer: issuer, clientID: "login", clientSecret: secret).with {
            $0.userInfo = .used
            $0.emailTrust = .verifiedClaim(domains: ["corp.example"])
        }
        return authelia
    }

    static func cognito(_ secret: String) -> SignInProvider {
        let issuer = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE"
        let client = "1example23456789"
        let cognito = SignInProvider.openID("cognito", issuer: issuer, clientID: client, clientSecret: secret)
            .with { $0.emailTrust = .verifiedClaimOfAnyDomain }
        return cognito
    }

    static func linkedIn(_ secret: String) -> SignInProvider {
        let issuer = "https://www.linkedin.com/oauth"
        let linkedIn = SignInProvider.openID("linkedin", issuer: issuer, clientID: "78example").with {
            $0.authentication = .post(secret: secret)
            ($0.browserNonce, $0.pkce, $0.codeInjection) = (.absent, .off, .unprotected)
        }
        return linkedIn
    }

    static func twitch(_ secret: String) throws -> SignInProvider {
        let claims = #"{"id_token":{"email":null,"email_verified":null,"preferred_username":null}}"#
        let request = try LoginRequest.openID(scopes: ["user:read:email"], parameters: ["claims": claims])
        let issuer = "https://id.twitch.tv/oauth2"
        let client = "uo6dggojyb8d6soh92zknwmi5ej1q2"
        let twitch = SignInProvider.openID("twitch", issuer: issuer, clientID: client, clientSecret: secret)
            .with { $0.request = request }
        return twitch
    }

    static func line(_ secret: String) throws -> SignInProvider {
        let line = try SignInProvider.line(channelID: "1656000001", channelSecret: secret)
        return line
    }

    static func gitLab(_ secret: String) -> SignInProvider {
        let issuer = "https://gitlab.com"
        let gitLab = SignInProvider.openID("gitlab", issuer: issuer, clientID: "4f1eaffe", clientSecret: secret)
        return gitLab
    }

    static func slack(_ secret: String) -> SignInProvider {
        let (issuer, client) = ("https://slack.com", "25259531569.11152291")
        let slack = SignInProvider.openID("slack", issuer: issuer, clientID: client, clientSecret: secret)
        return slack
    }

    static func logto(_ secret: String) -> SignInProvider {
        let issuer = "https://example.logto.app/oidc"
        let logto = SignInProvider.openID("logto", issuer: issuer, clientID: "7fbn2kq4", clientSecret: secret)
            .with { $0.emailTrust = .verifiedClaimOfAnyDomain }
        return logto
    }

    static func hydra(_ secret: String) -> SignInProvider {
        let hydra = SignInProvider.openID("hydra", issuer: "https://login.example.org", clientID: "3f6a2b1c")
            .with { $0.authentication = .basic(secret: secret) }
        return hydra
    }

    static func hydraWithKey(_ pem: String) throws -> SignInProvider {
        let key = try ClientAuthentication.privateKeyJWT(pem: pem, keyID: "login-1")
        let hydra = SignInProvider.openID("hydra", issuer: "https://login.example.org", clientID: "3f6a2b1c")
            .with { $0.authentication = key }
        return hydra
    }
}
#endif
