// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// An identity provider and the client registration at it, declared once.
///
/// ```swift
/// let providers: [SignInProvider] = try [
///     .google(clientID: "client-1", clientSecret: googleSecret),
///     .openID("corp", issuer: "https://login.corp.example", clientID: "web", clientSecret: corpSecret),
/// ]
/// ```
///
/// ``SignInProviders`` derives the verifiers of ID tokens, discovery and browser logins from it.
public struct SignInProvider: Sendable {
    /// The trust in e-mail addresses that a provider calls verified.
    public enum EmailTrust: Sendable, Hashable {
        /// Never trusted.
        case never
        /// Trusted if the claim `email_verified` is true.
        case verifiedClaimOfAnyDomain
        /// Trusted if the claim is true, and the domain of the address is one of these, compared without regard to
        /// case.
        ///
        /// An internationalized domain may be written in its own script or in ASCII form (`xn--…`).
        case verifiedClaim(domains: Set<String>)
    }

    /// The name under which its identities are stored.
    ///
    /// It must never change, and never name another provider.
    public package(set) var id: ProviderID

    /// The issuer and the properties of its tokens.
    ///
    /// For a provider on this machine over `http`, in development, set `Provider.allowsLoopbackHTTP`:
    ///
    /// ```swift
    /// let demo = SignInProvider.openID("demo", issuer: "http://localhost:9400", clientID: "web").with {
    ///     $0.provider.allowsLoopbackHTTP = true
    /// }
    /// ```
    public var provider: Provider

    /// The name that pages show.
    public var displayName: String

    /// The client ID for browser logins.
    public let clientID: String

    /// The client IDs whose ID tokens are accepted from apps (the claim `aud`).
    ///
    /// Defaults to ``clientID``.
    public var appClientIDs: [String]

    /// The client authentication at the token endpoint.
    public var authentication: ClientAuthentication

    /// The accepted signature algorithms of ID tokens that are signed with the provider's keys.
    public var algorithms: Set<SignatureAlgorithm> = [.rs256]

    /// The secret that ID tokens of browser logins are signed with, that of ``clientID``; nil if they are signed with the
    /// provider's keys.
    ///
    /// By OpenID Connect Core §10.1 it is the client secret, and a public client has none.
    public var browserSecret: SharedSecret?

    /// The secret that ID tokens are signed with which apps send; nil if they are signed with the provider's keys.
    ///
    /// It is the secret of one client, so ``appClientIDs`` must then have one element.
    public var appSecret: SharedSecret?

    /// Whether some of its ID tokens are signed with the provider's keys.
    public var usesKeys: Bool { browserSecret == nil || appSecret == nil }

    /// The maximum sizes of ID tokens.
    public var limits = TokenLimits.standard

    /// The form of the nonce that apps pass to the provider.
    public var appNonce = AppNonce.plain

    /// Whether ID tokens of browser logins must have the nonce.
    public var browserNonce = BrowserNonce.required

    /// Whether browser logins use PKCE.
    public var pkce = PKCE.required

    /// Whether browser logins are protected from codes of other logins.
    public var codeInjection = CodeInjection.protected

    /// The use of the UserInfo endpoint in browser logins.
    public var userInfo = UserInfo.off

    /// The maximum age of ID tokens that apps send; nil to accept them until they expire.
    ///
    /// Without a nonce it is five minutes, or less.
    public var appMaximumAge: Duration?

    /// The maximum age of ID tokens of browser logins; nil to accept them until they expire.
    public var browserMaximumAge: Duration?

    /// Whether e-mail addresses that the provider calls verified are accepted as proven by the user.
    public var emailTrust = EmailTrust.never

    /// The authorization request of browser logins.
    ///
    /// At Facebook, it also determines the configuration that apps get with an attempt.
    public var request: LoginRequest

    /// Whether pages offer browser logins at this provider.
    public var offersBrowserLogin = true

    /// The reasons why the service needs permissions: sentences for the user, which pages show beside each permission.
    public var permissionReasons: [Permission: String] = [:]

    /// The metadata of a provider without discovery; nil to use discovery.
    public var metadata: ProviderMetadata?

    /// The flow of a provider that differs from OpenID Connect; nil for the authorization code flow with PKCE.
    package var ownFlow: (any AuthorizationFlow)?

    /// The inspection of the provider's access tokens; nil if they are not accepted as credentials.
    package var accessTokenInspector: (any AccessTokenInspector)?

    /// The management of permissions; nil at a provider without permissions.
    package var permissionManager: (any PermissionManager)?

    /// The permission that each claim of an ID token proves; empty at a provider whose claims prove none.
    ///
    /// The claims of one permission belong together: a login returns all that have a value, or none.
    package var permissionsByClaim: [String: Permission] = [:]

    /// The function that returns the user's profile in an identity, for JSON responses; nil at a provider without
    /// profiles of its own.
    package var profile: @Sendable (VerifiedIdentity) -> (any Encodable & Sendable)? = { _ in nil }

    /// The function that returns the configuration of an app's login, given the request and the nonce for the provider;
    /// nil at a provider whose apps need only the nonce.
    package var appConfiguration: @Sendable (LoginRequest, _ nonce: String) -> (any Encodable & Sendable)? = { _, _ in
        nil
    }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored. It must never change, and never name another provider.
    ///   - provider: The issuer and the properties of its tokens.
    ///   - displayName: The name that pages show.
    ///   - clientID: The client ID for browser logins.
    ///   - authentication: The client authentication at the token endpoint.
    ///   - request: The authorization request of browser logins.
    public init(
        _ id: ProviderID,
        provider: Provider,
        displayName: String,
        clientID: String,
        authentication: ClientAuthentication,
        request: LoginRequest
    ) {
        self.id = id
        self.provider = provider
        self.displayName = displayName
        self.clientID = clientID
        appClientIDs = [clientID]
        self.authentication = authentication
        self.request = request
    }
}

extension SignInProvider {
    /// Returns an OpenID Connect provider with discovery.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored. It must never change, and never name another provider.
    ///   - issuer: The issuer, byte for byte as in its tokens.
    ///   - clientID: The client ID.
    ///   - clientSecret: The client secret, sent as `client_secret_basic`; nil for a public client, protected by PKCE
    ///     alone.
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
            authentication: clientSecret.map { .basic(secret: $0) } ?? .none,
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
        apple.offersBrowserLogin = authentication.name != ClientAuthentication.none.name
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

    /// Returns a tenant of Microsoft Entra ID as a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored, one for each tenant: `microsoft:contoso`.
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
        Self(
            id,
            provider: try .microsoft(tenantID: tenantID).with(name: id.rawValue),
            displayName: "Microsoft",
            clientID: clientID,
            authentication: clientSecret.map { .post(secret: $0) } ?? .none,
            request: .profile
        )
    }
}

extension SignInProvider {
    /// Returns a copy of the provider with other settings.
    ///
    /// ```swift
    /// let corp = SignInProvider.openID("corp", issuer: issuer, clientID: "web").with { $0.displayName = "Corp" }
    /// ```
    ///
    /// - Parameter change: Changes the settings.
    /// - Returns: The provider.
    public func with(_ change: (inout Self) -> Void) -> Self {
        var provider = self
        change(&provider)
        return provider
    }

    /// Returns the permissions that claims prove; nil at a provider whose claims prove none.
    package func impliedPermissions(in claims: Claims) -> Set<Permission>? {
        guard !permissionsByClaim.isEmpty else { return nil }
        return claims.permissions(permissionsByClaim)
    }

    /// Returns the configuration of an app's login.
    ///
    /// - Parameter nonce: The nonce of the attempt.
    /// - Returns: The configuration, with the nonce in the form of ``appNonce``; nil at a provider whose apps need only
    ///   the nonce.
    package func configuration(for nonce: String) -> (any Encodable & Sendable)? {
        switch appNonce {
        case .plain: appConfiguration(request, nonce)
        case .sha256: appConfiguration(request, hexadecimal(Digest.sha256.hash(nonce.utf8)))
        case .absent: nil
        }
    }

    /// Returns the policy for ID tokens that apps send.
    ///
    /// - Parameters:
    ///   - leeway: The clock skew that is tolerated, 0 to 300 seconds.
    ///   - audiences: The accepted client IDs; nil for ``appClientIDs``.
    ///   - maximumAge: The maximum age; nil for ``appMaximumAge``.
    ///   - nonce: The check of the nonce. If it belongs to an attempt, the limit of ``AppNonce/absent`` applies.
    /// - Returns: The policy.
    /// - Throws: `PolicyError` if a setting is out of range.
    func appPolicy(
        leeway: Duration,
        audiences: [String]? = nil,
        maximumAge: Duration? = nil,
        nonce: VerificationPolicy.Nonce = .required
    ) throws(PolicyError) -> TokenPolicy {
        try TokenPolicy(
            provider: provider,
            audiences: audiences ?? appClientIDs,
            algorithms: algorithms,
            leeway: leeway,
            maximumAge: nonce == .required
                ? appNonce.limiting(maximumAge ?? appMaximumAge) : maximumAge ?? appMaximumAge,
            limits: limits
        )
    }

    /// Returns the policy for ID tokens of browser logins, which accepts exactly ``clientID``.
    ///
    /// - Parameters:
    ///   - leeway: The clock skew that is tolerated, 0 to 300 seconds.
    ///   - maximumAuthenticationAge: The maximum age of the user's authentication; nil for any.
    /// - Returns: The policy.
    /// - Throws: `PolicyError` if a setting is out of range.
    func browserPolicy(
        leeway: Duration,
        maximumAuthenticationAge: Duration? = nil
    ) throws(PolicyError) -> TokenPolicy {
        try TokenPolicy(
            provider: provider,
            audiences: [clientID],
            algorithms: algorithms,
            leeway: leeway,
            maximumAge: browserMaximumAge,
            maximumAuthenticationAge: maximumAuthenticationAge,
            limits: limits
        )
    }

    /// Checks the declaration, as far as possible without metadata from discovery.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client` or `provider`.
    func check() throws(LoginManagerError) {
        do throws(PolicyError) {
            let keys = KeySnapshot([])
            _ = try TokenVerifier(policy: appPolicy(leeway: .zero), secret: appSecret, otherwise: keys)
            _ = try TokenVerifier(policy: browserPolicy(leeway: .zero), secret: browserSecret, otherwise: keys)
        } catch {
            throw LoginManagerError(.client, error.description).at(id)
        }
        do throws(LoginManagerError) {
            try authentication.check()
            try checkSettings()
            guard browserSecret == nil || authentication.name != ClientAuthentication.none.name else {
                throw LoginManagerError(.client, "a public client has no secret that tokens can be signed with")
            }
            if ownFlow != nil || metadata != nil {
                try flow(nil).check()
            } else if offersBrowserLogin {
                try checkDiscoveryAddress()
            }
        } catch {
            throw error.at(id)
        }
    }

    private func checkDiscoveryAddress() throws(LoginManagerError) {
        do throws(TransportFailure) {
            _ = try ProviderMetadata.url(of: provider)
        } catch {
            throw LoginManagerError(.provider, "issuer or discovery document: \(error.detail)")
        }
    }

    /// Returns the flow of browser logins.
    ///
    /// - Parameter metadata: The provider's metadata; nil for a provider with its own flow.
    /// - Returns: The flow.
    /// - Throws: ``LoginManagerError`` with the code `provider` if there is no metadata.
    func flow(_ metadata: ProviderMetadata?) throws(LoginManagerError) -> any AuthorizationFlow {
        if let ownFlow { return ownFlow }
        guard let metadata = self.metadata ?? metadata else {
            throw LoginManagerError(.provider, "the provider's metadata is missing")
        }
        return OpenIDClient(
            provider: provider,
            metadata: metadata,
            clientID: clientID,
            authentication: authentication,
            protection: protection,
            userInfo: userInfo
        )
    }

    /// The origins of the provider's dialogs that are known without discovery.
    var knownOrigins: [String] {
        if let ownFlow { return ownFlow.origins }
        let issuer = provider.issuers.first ?? ""
        guard let url = try? provider.endpoint(issuer) else { return [] }
        return [url.origin]
    }
}

extension SignInProvider: Redacted {
    /// The name and the client ID, without a secret.
    public var description: String { "provider \(id), client \(clientID)" }
}

extension Claims {
    /// Returns the permissions whose claims are present, whatever their values.
    ///
    /// - Parameter permissionsByClaim: The permission that each claim proves.
    /// - Returns: The permissions.
    package func permissions(_ permissionsByClaim: [String: Permission]) -> Set<Permission> {
        Set(names.compactMap { permissionsByClaim[$0] })
    }
}
