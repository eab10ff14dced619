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

    /// Whether responses of the token endpoint must have `token_type`, which RFC 6749 §5.1 requires.
    public enum TokenType: String, Sendable, Hashable, CaseIterable {
        /// It must be there.
        case required
        /// It may be missing, for providers that omit it; the access token then counts as a bearer token.
        ///
        /// Any other type is refused.
        case optional
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

    /// The accepted signature algorithms of ID tokens that are signed with the provider's keys; nil for those that its
    /// metadata lists.
    ///
    /// Without a list it is RS256 (`ProviderMetadata.algorithms`). Until the metadata is known, RS256 is accepted, and a
    /// token with another algorithm waits for it.
    public var algorithms: Set<SignatureAlgorithm>?

    /// The audiences that ID tokens may have beside the client ID; none by default.
    ///
    /// Some providers name all clients of a project in `aud`, and the client that requested the token in `azp`.
    public var trustedAudiences: TrustedAudiences = []

    /// Whether responses of the token endpoint must have `token_type`.
    public var tokenType = TokenType.required

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
            trustedAudiences: trustedAudiences,
            algorithms: appSecret == nil ? algorithms(by: nil) : Set(ProviderMetadata.defaultAlgorithms),
            leeway: leeway,
            maximumAge: nonce == .required
                ? appNonce.limiting(maximumAge ?? appMaximumAge) : maximumAge ?? appMaximumAge,
            limits: limits
        )
    }

    /// Returns the policy for ID tokens of browser logins, which are for ``clientID`` and no other client.
    ///
    /// - Parameters:
    ///   - found: The provider's metadata from discovery; nil if there is none.
    ///   - leeway: The clock skew that is tolerated, 0 to 300 seconds.
    ///   - maximumAuthenticationAge: The maximum age of the user's authentication; nil for any.
    /// - Returns: The policy.
    /// - Throws: `PolicyError` if a setting is out of range.
    func browserPolicy(
        _ found: ProviderMetadata? = nil,
        leeway: Duration,
        maximumAuthenticationAge: Duration? = nil
    ) throws(PolicyError) -> TokenPolicy {
        try TokenPolicy(
            provider: provider,
            audiences: [clientID],
            trustedAudiences: trustedAudiences,
            algorithms: browserSecret == nil ? algorithms(by: found) : Set(ProviderMetadata.defaultAlgorithms),
            leeway: leeway,
            maximumAge: browserMaximumAge,
            maximumAuthenticationAge: maximumAuthenticationAge,
            limits: limits
        )
    }

    /// Returns the accepted algorithms of the provider's keys.
    ///
    /// - Parameter found: The provider's metadata from discovery; nil while it is unknown.
    /// - Returns: The declared algorithms; or else those of the metadata, or RS256 without any.
    func algorithms(by found: ProviderMetadata?) -> Set<SignatureAlgorithm> {
        algorithms ?? (metadata ?? found)?.algorithms ?? Set(ProviderMetadata.defaultAlgorithms)
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
            guard browserSecret == nil || !authentication.isPublic else {
                throw LoginManagerError(.client, "a public client has no secret that tokens can be signed with")
            }
            guard !provider.acceptsAnyTenant || emailTrust == .never else {
                throw LoginManagerError(
                    .client,
                    "the e-mail addresses of a provider with any tenant prove nothing, because anybody can create a tenant"
                )
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
            tokenType: tokenType,
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
