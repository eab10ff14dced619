// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Identity providers that issue access tokens in JWT form, each with its differences from RFC 9068.
///
/// The access tokens of Google, Facebook and GitHub's OAuth apps are opaque, and none of the three has an introspection
/// endpoint (RFC 7662): APIs of their own describe a token.
extension AccessTokenIssuer {
    /// Returns a user pool of Amazon Cognito.
    ///
    /// Its tokens have no `typ`; `token_use` is `access`. They name no audience, but the client in `client_id`: the
    /// audiences of the policy are the IDs of your app clients. A token that was requested for a resource, with the
    /// parameter `resource`, has `aud` too, which then counts: the audience is that resource. Groups are in
    /// `cognito:groups`.
    ///
    /// Sources: "Understanding the access token", "Verifying JSON web tokens", and "Resource binding" in "Scopes, M2M, and
    /// resource servers" (docs.aws.amazon.com/cognito); "IssuerConfigurationType" in the API reference of user pools.
    ///
    /// - Parameters:
    ///   - region: The region of the user pool, for example `eu-central-1`.
    ///   - userPoolID: The ID of the user pool, for example `eu-central-1_EXAMPLE`.
    ///   - host: The host in the issuer; nil for that of the region, in China too. A user pool whose issuer configuration
    ///     is `UPDATED` has `issuer-cognito-idp.REGION.amazonaws.com`.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the region or the ID has other characters than such names, or the host is not a host
    ///   name in lower case.
    public static func cognito(
        region: String,
        userPoolID: String,
        host: String? = nil
    ) throws(PolicyError) -> AccessTokenIssuer {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let usual = "cognito-idp.\(try label(region, "region")).\(domain)"
        let base = "https://\(try AccessTokenIssuer.host(host ?? usual))/\(try label(userPoolID, "user pool"))"
        var issuer = AccessTokenIssuer(cloud("cognito", base, keys: base + "/.well-known/jwks.json"))
        issuer.types = ["jwt"]
        issuer.requiresType = false
        issuer.marks = ["token_use": ["access"]]
        issuer.copiesNonce = true
        issuer.audienceClaims = ["aud", "client_id"]
        issuer.rolesClaim = nil
        issuer.groupsClaim = "cognito:groups"
        return issuer
    }

    /// Returns a tenant of Auth0, for APIs with the token profile of Auth0 or that of RFC 9068.
    ///
    /// The audience is the identifier of the API. With the token profile of Auth0, the default, `typ` is `JWT`, the client
    /// is `azp`, and there is no `jti`: an ID token with an `azp` differs only in nonce and audience. Prefer the profile RFC
    /// 9068. Permissions by role-based access control are in `permissions`, which `requiredValues` can require. An API that
    /// is set to sign with PS256 needs it in the policy's `algorithms`, and one with HS256 a verifier with a
    /// ``SharedSecret``.
    ///
    /// Sources: "Access Token Profiles" and "Register APIs" (auth0.com/docs).
    ///
    /// - Parameter domain: The domain of the tenant, or your custom domain, for example `example.eu.auth0.com`.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the domain is not a host name in lower case.
    public static func auth0(domain: String) throws(PolicyError) -> AccessTokenIssuer {
        let base = "https://\(try host(domain))/"
        var issuer = AccessTokenIssuer(cloud("auth0", base, keys: base + ".well-known/jwks.json"))
        issuer.types = ["at+jwt", "jwt"]
        issuer.requiredClaims = []
        issuer.clientClaims = ["client_id", "azp"]
        return issuer
    }

    /// Returns a custom authorization server of Okta, such as `default`.
    ///
    /// The audience is the one set for the authorization server. Its tokens have no `typ`; `JWT` and `at+jwt` are accepted
    /// too. The client is `cid`, and the scopes are the array `scp`. ID tokens have neither. Tokens of the organization's
    /// own authorization server (`https://example.okta.com`) are for Okta's APIs only, and are refused: by their `typ`,
    /// `application/okta-internal-at+jwt`, and by their issuer.
    ///
    /// Sources: "Access token" in "OpenID Connect & OAuth 2.0 API" (developer.okta.com/docs/api/openapi/okta-oauth), "The
    /// typ field is missing from the access token header" and "Validation Failed on Access Token Issued by the Org
    /// Authorization Server" (support.okta.com).
    ///
    /// - Parameters:
    ///   - domain: The domain of the organization, for example `example.okta.com`.
    ///   - authorizationServer: The ID of the authorization server.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the domain is not a host name in lower case, or the ID has other characters than such
    ///   IDs.
    public static func okta(
        domain: String,
        authorizationServer: String = "default"
    ) throws(PolicyError) -> AccessTokenIssuer {
        let server = try label(authorizationServer, "authorization server")
        let base = "https://\(try host(domain))/oauth2/\(server)"
        var issuer = AccessTokenIssuer(cloud("okta", base, keys: base + "/v1/keys"))
        issuer.types = ["at+jwt", "jwt"]
        issuer.requiresType = false
        issuer.requiredClaims = ["jti", "scp"]
        issuer.clientClaims = ["cid"]
        issuer.scopes = .array("scp")
        return issuer
    }

    /// Returns a realm of Keycloak.
    ///
    /// The claim `typ` is `Bearer` or `DPoP`, and `ID` in an ID token; in the header `typ` is `JWT`, or `at+jwt` if the
    /// client is set so (since version 26.2). The client is `azp`. An API is in `aud` only if the user has a role of it, or
    /// an audience mapper adds it. The mapper `Subject (sub)` adds `sub`, by default not to lightweight access tokens,
    /// which are then refused. Roles are in `realm_access` and `resource_access`, which ``VerifiedAccessToken/claims``
    /// contains. A realm or client that signs with another algorithm than RS256 needs it in the policy's `algorithms`.
    ///
    /// Sources: "Audience support" and "Lightweight access token" in the "Server Administration Guide"
    /// (www.keycloak.org/docs/latest/server_admin), "Migrating to 25.0.0" in the "Upgrading Guide", and
    /// `org.keycloak.util.TokenUtil`.
    ///
    /// - Parameter url: The URL of the realm at any host, for example `https://login.example/realms/main`, or
    ///   `https://login.example/auth/realms/main` with a path.
    /// - Returns: The issuer.
    public static func keycloak(issuer url: String) -> AccessTokenIssuer {
        var issuer = AccessTokenIssuer(cloud("keycloak", url, keys: url + "/protocol/openid-connect/certs"))
        issuer.types = ["at+jwt", "jwt"]
        issuer.marks = ["typ": ["Bearer", "DPoP"]]
        // Older versions do.
        issuer.copiesNonce = true
        issuer.clientClaims = ["azp"]
        issuer.rolesClaim = nil
        return issuer
    }

    /// Returns a project of Supabase.
    ///
    /// The audience is `authenticated` in every project, so the issuer alone separates projects. Only tokens of signed-in
    /// users are accepted (`role` is `authenticated`), which includes anonymous sign-ins (`is_anonymous`). The tokens have
    /// no mark, but `session_id` and `aal`. Tokens by the legacy secret (HS256), the octets of whose text are
    /// used as written, need a verifier with a ``SharedSecret``.
    ///
    /// Sources: "JWT Claims Reference" and "JWT Signing Keys" (supabase.com/docs/guides/auth).
    ///
    /// - Parameter projectID: The reference ID of the project, as in `https://REFERENCE.supabase.co`.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the ID has other characters than such IDs.
    public static func supabase(projectID: String) throws(PolicyError) -> AccessTokenIssuer {
        supabase(issuer: "https://\(try host("\(try label(projectID, "project")).supabase.co"))/auth/v1")
    }

    /// Returns Supabase with another issuer than that of a project's default domain: a self-hosted one, or a project
    /// whose tokens have the issuer of its own domain.
    ///
    /// The tokens of a project with a custom domain may still have the issuer of the default one: compare `iss` of a token.
    ///
    /// - Parameter url: The issuer, for example `https://api.example/auth/v1`.
    /// - Returns: The issuer.
    public static func supabase(issuer url: String) -> AccessTokenIssuer {
        var issuer = AccessTokenIssuer(cloud("supabase", url, keys: url + "/.well-known/jwks.json"))
        issuer.requiredClaims = ["session_id", "aal"]
        issuer.requiredValues = ["role": ["authenticated"]]
        issuer.algorithms = [.es256, .rs256]
        return issuer.unmarked()
    }

    /// Returns Firebase Authentication, whose ID tokens apps send to their own API.
    ///
    /// The audience is the project ID. The tokens have no mark, but `firebase`: the issuer and the audience, which both
    /// name the project, separate them from others. The emulator's tokens are unsigned, and refused.
    ///
    /// Source: "Verify ID tokens" (firebase.google.com/docs/auth/admin/verify-id-tokens), which names the keys only as
    /// certificates; the key set is at the same host.
    ///
    /// - Parameter projectID: The project ID.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the ID has other characters than such IDs.
    public static func firebase(projectID: String) throws(PolicyError) -> AccessTokenIssuer {
        let keys = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        let base = "https://securetoken.google.com/\(try label(projectID, "project"))"
        var issuer = AccessTokenIssuer(cloud("firebase", base, keys: keys))
        issuer.requiredClaims = ["auth_time", "firebase"]
        return issuer.unmarked()
    }

    /// Returns Firebase App Check, whose tokens identify an app and not a user.
    ///
    /// The audience is `projects/` and the project number, or the project ID. The subject is the app ID. `typ` is `JWT`.
    /// The tokens have no mark: the issuer, which issues nothing else, and the audience separate them from others.
    ///
    /// Sources: "Verify App Check tokens from a custom backend"
    /// (firebase.google.com/docs/app-check/custom-resource-backend), "DecodedAppCheckToken" in the reference of the Admin
    /// SDK for Node.js, and `app_check.py` of the Admin SDK for Python.
    ///
    /// - Parameter projectNumber: The project number.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the number has other characters than digits.
    public static func firebaseAppCheck(projectNumber: String) throws(PolicyError) -> AccessTokenIssuer {
        guard !projectNumber.isEmpty, projectNumber.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw PolicyError("project number: \(quoted(projectNumber)) does not consist of digits")
        }
        let base = "https://firebaseappcheck.googleapis.com/"
        var issuer = AccessTokenIssuer(cloud("firebase-app-check", base + projectNumber, keys: base + "v1/jwks"))
        issuer.requiredClaims = []
        var unmarked = issuer.unmarked()
        unmarked.requiresType = true
        return unmarked
    }
}
