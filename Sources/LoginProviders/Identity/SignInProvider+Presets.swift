// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

extension SignInProvider {
    /// Returns an OpenID Connect provider with discovery.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored. It must never change, and never name another provider.
    ///   - issuer: The issuer, byte for byte as in its tokens.
    ///   - clientID: The client ID.
    ///   - clientSecret: The client secret, sent in the way that the provider's metadata states
    ///     (``ClientAuthentication/discovered(secret:)``); nil for a public client, protected by PKCE alone.
    /// - Returns: The provider.
    public static func openID(
        _ id: ProviderID,
        issuer: String,
        clientID: String,
        clientSecret: String? = nil
    ) -> Self {
        Self(
            id,
            provider: Provider(name: id.rawValue, issuers: [issuer]),
            displayName: id.rawValue,
            clientID: clientID,
            authentication: clientSecret.map { .discovered(secret: $0) } ?? .none,
            request: .profile
        )
    }

    /// Returns Google as a provider.
    ///
    /// Its verified e-mail addresses are trusted in Google's own domains, `gmail.com` and `googlemail.com`.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored.
    ///   - clientID: The client ID of the website.
    ///   - clientSecret: The client secret; nil if only apps log in.
    /// - Returns: The provider.
    public static func google(id: ProviderID = .google, clientID: String, clientSecret: String? = nil) -> Self {
        var google = Self(
            id,
            provider: .google,
            displayName: "Google",
            clientID: clientID,
            authentication: clientSecret.map { .basic(secret: $0) } ?? .none,
            request: .profile
        )
        google.offersBrowserLogin = clientSecret != nil
        google.emailTrust = .verifiedClaim(domains: ["gmail.com", "googlemail.com"])
        return google
    }

    /// Returns Apple as a provider.
    ///
    /// Apple posts its responses as a form.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored.
    ///   - clientID: The services ID of the website, or the bundle ID of the app.
    ///   - authentication: The client authentication: `post` with a client secret, which is a JWT that you sign; `none`
    ///     if only apps log in.
    /// - Returns: The provider.
    public static func apple(
        id: ProviderID = .apple,
        clientID: String,
        authentication: ClientAuthentication = .none
    ) -> Self {
        var apple = Self(
            id,
            provider: .apple,
            displayName: "Apple",
            clientID: clientID,
            authentication: authentication,
            request: .appleProfile
        )
        apple.offersBrowserLogin = !authentication.isPublic
        apple.emailTrust = .verifiedClaimOfAnyDomain
        return apple
    }

    /// Returns LINE as a provider.
    ///
    /// Its ID tokens of web logins are signed with the channel secret, and those that apps send with its keys.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored.
    ///   - channelID: The channel ID, which is the client ID of websites and apps.
    ///   - channelSecret: The channel secret; nil if only apps log in.
    /// - Returns: The provider.
    /// - Throws: `PolicyError` if the channel secret has less than 32 bytes.
    public static func line(
        id: ProviderID = .line,
        channelID: String,
        channelSecret: String? = nil
    ) throws(PolicyError) -> Self {
        var line = Self(
            id,
            provider: .line,
            displayName: "LINE",
            clientID: channelID,
            authentication: channelSecret.map { .post(secret: $0) } ?? .none,
            request: .profile
        )
        line.algorithms = [.es256]
        line.offersBrowserLogin = channelSecret != nil
        if let channelSecret { line.browserSecret = try SharedSecret(channelSecret, algorithm: .hs256) }
        return line
    }

    /// Returns Microsoft Entra ID as a provider, for the accounts of one tenant.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored.
    ///   - tenantID: The tenant ID, a GUID in lower case.
    ///   - clientID: The client ID.
    ///   - clientSecret: The client secret; nil for a public client.
    /// - Returns: The provider.
    /// - Throws: `PolicyError` if the tenant ID is not a GUID in lower case.
    public static func microsoft(
        _ id: ProviderID,
        tenantID: String,
        clientID: String,
        clientSecret: String? = nil
    ) throws(PolicyError) -> Self {
        microsoft(id, try .microsoft(tenantID: tenantID), clientID: clientID, clientSecret: clientSecret)
    }

    /// Returns Microsoft Entra ID as a provider, for the accounts of several tenants.
    ///
    /// A token of any other tenant is refused. Identities of one provider are stored with their tenants
    /// (``VerifiedIdentity/subject``), so tenants can be added and removed.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored.
    ///   - tenantIDs: The tenant IDs, GUIDs in lower case; at least one.
    ///   - clientID: The client ID, of an app registration for several tenants.
    ///   - clientSecret: The client secret; nil for a public client.
    /// - Returns: The provider.
    /// - Throws: `PolicyError` if there is none, or one is not a GUID in lower case.
    public static func microsoft(
        _ id: ProviderID,
        tenantIDs: [String],
        clientID: String,
        clientSecret: String? = nil
    ) throws(PolicyError) -> Self {
        microsoft(id, try .microsoft(tenantIDs: tenantIDs), clientID: clientID, clientSecret: clientSecret)
    }

    /// Returns Microsoft Entra ID as a provider, for the accounts of any tenant, and personal accounts.
    ///
    /// Anybody can create a tenant and choose the e-mail addresses in it, so ``emailTrust`` must stay
    /// ``EmailTrust/never``.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored.
    ///   - clientID: The client ID, of an app registration for any tenant.
    ///   - clientSecret: The client secret; nil for a public client.
    /// - Returns: The provider.
    public static func microsoftAnyTenant(_ id: ProviderID, clientID: String, clientSecret: String? = nil) -> Self {
        microsoft(id, .microsoftAnyTenant, clientID: clientID, clientSecret: clientSecret)
    }

    private static func microsoft(
        _ id: ProviderID,
        _ provider: Provider,
        clientID: String,
        clientSecret: String?
    ) -> Self {
        Self(
            id,
            provider: provider.with(name: id.rawValue),
            displayName: "Microsoft",
            clientID: clientID,
            authentication: clientSecret.map { .post(secret: $0) } ?? .none,
            request: .profile
        )
    }
}
