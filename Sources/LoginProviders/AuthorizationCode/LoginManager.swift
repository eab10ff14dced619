// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Browser logins at one provider: the authorization request, and the verification of the response.
///
/// ```swift
/// let providers = try SignInProviders([.google(clientID: "client-1", clientSecret: secret)], keys: keys, transport: transport)
/// let logins = try await providers.loginManager(
///     for: .google, redirectURL: "https://example.com/login/callback", attempts: InMemoryAttemptStore())
///
/// // The browser gets the secret as a cookie `__Host-attempt`, and is redirected to `started.url`.
/// let started = try await logins.begin(purpose: .signIn)
///
/// // The callback. `cookie` is the value of the cookie in that request.
/// let callback = LoginCallback(query: query, fragment: fragment)
/// switch try await logins.finish(callback, purpose: .signIn, secret: cookie) {
/// case .success(let login): signIn(login.identity.subject)
/// case .cancelled, .failed: showLoginPage()
/// }
/// ```
///
/// An *attempt* connects the two halves. It belongs to one browser and one purpose, and it expires. It can be claimed
/// once, by the first callback with its state and its secret. State, nonce and code verifier are derived from the
/// secret. After a failure the login starts again.
///
/// A cookie with `SameSite=Lax` is sent when the provider redirects the browser with a GET. A provider that posts a
/// form (Apple) needs `SameSite=None`.
public struct LoginManager: Sendable {
    /// The provider.
    public let provider: SignInProvider

    let flow: any AuthorizationFlow
    let redirectURL: String
    let attempts: any AttemptStore
    let verification: Verification
    let transport: any HTTPTransport
    let onEvent: @Sendable (LoginEvent) -> Void
    /// The provider's metadata from discovery, for the algorithms of ID tokens; nil if there is none.
    let metadata: ProviderMetadata?

    /// The configuration of the token verifier.
    package struct Verification: Sendable {
        let keys: any KeySource
        let clock: any WallClock
        let leeway: Duration
        let onVerdict: (@Sendable (VerificationError?) -> Void)?

        /// Creates the parts of a verifier.
        package init(
            keys: any KeySource,
            clock: any WallClock = .system,
            leeway: Duration = .seconds(30),
            onVerdict: (@Sendable (VerificationError?) -> Void)? = nil
        ) {
            self.keys = keys
            self.clock = clock
            self.leeway = leeway
            self.onVerdict = onVerdict
        }
    }

    /// Creates a manager for one provider.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - metadata: The provider's metadata; nil for a provider with its own flow.
    ///   - redirectURL: The redirect URI, exactly as it is registered at the provider.
    ///   - attempts: The store of attempts.
    ///   - verification: The configuration of the token verifiers.
    ///   - transport: The transport for requests to the provider.
    ///   - allowsLoopbackRedirect: Whether `redirectURL` may be an `http` URL of a loopback address; nil for the
    ///     provider's setting.
    ///   - onEvent: Called when a login begins, and with each result. It must not block.
    /// - Throws: ``LoginManagerError``
    package init(
        provider: SignInProvider,
        metadata: ProviderMetadata?,
        redirectURL: String,
        attempts: any AttemptStore,
        verification: Verification,
        transport: any HTTPTransport,
        allowsLoopbackRedirect: Bool? = nil,
        onEvent: @escaping @Sendable (LoginEvent) -> Void = { _ in }
    ) throws(LoginManagerError) {
        do throws(TransportFailure) {
            let allowsHTTP = allowsLoopbackRedirect ?? provider.provider.allowsLoopbackHTTP
            _ = try EndpointURL(redirectURL, allowsLoopbackHTTP: allowsHTTP)
        } catch {
            throw LoginManagerError(.redirectURL, error.detail)
        }
        let flow = try provider.flow(metadata)
        try flow.check()
        guard provider.browserSecret != nil || !provider.algorithms(by: metadata).isEmpty else {
            let listed = (provider.metadata ?? metadata)?.idTokenSigningAlgorithms ?? []
            throw LoginManagerError(
                .provider,
                "the provider signs ID tokens with \(quoted(listed)), none of which is supported with its keys; a client secret needs browserSecret (browser-algorithm)"
            )
        }
        do throws(PolicyError) {
            let policy = try provider.browserPolicy(metadata, leeway: verification.leeway)
            _ = try TokenVerifier(policy: policy, secret: provider.browserSecret, otherwise: KeySnapshot([]))
        } catch {
            throw LoginManagerError(.client, error.description)
        }
        self.provider = provider
        self.flow = flow
        self.redirectURL = redirectURL
        self.attempts = attempts
        self.verification = verification
        self.transport = transport
        self.onEvent = onEvent
        self.metadata = metadata
    }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - request: The scopes and parameters of the authorization request; nil for ``SignInProvider/request``.
    ///   - purpose: The purpose of the login. A login that began as a sign-in never finishes as a link, for example.
    ///   - returnTo: The path of your site for the browser after the login, for example `/orders?page=2`; nil for none.
    ///     Anything but a path is refused, which prevents open redirects.
    ///   - userID: The subject that must log in, for a reauthentication; nil for any.
    ///   - lifetime: The lifetime of the attempt, within `Limits.nonceLifetime`.
    /// - Returns: The URL and the secret for the browser.
    /// - Throws: ``LoginManagerError`` for an error of the caller; rethrows errors of the store.
    public func begin(
        _ request: LoginRequest? = nil,
        purpose: NoncePurpose,
        returnTo: String? = nil,
        expecting userID: String? = nil,
        lifetime: Duration = Limits.nonceLifetime.upperBound
    ) async throws -> StartedLogin {
        if let returnTo, !ReturnPath.isLocal(returnTo) {
            throw LoginManagerError(
                .returnTo,
                "returnTo must be a path of this site that begins with a single /, not \(quoted(returnTo))"
            )
        }
        let secret = AttemptSecret()
        let authorization = try authorization(for: request ?? provider.request, secret)
        let content = AttemptContent(
            client: client,
            redirectURL: redirectURL,
            scopes: authorization.scopes,
            variant: authorization.variant,
            maximumAuthenticationAge: authorization.maximumAuthenticationAge.map { Double($0.components.seconds) },
            returnTo: returnTo,
            expectedUser: userID
        )
        let id = SignInAttempt.ID(state: secret.state)
        try await attempts.insert(
            SignInAttempt(
                id: id,
                provider: provider.id,
                purpose: purpose,
                binding: NonceBinding(secret: secret.text),
                sealed: try secret.seal(content, context: Self.context(id, purpose)),
                lifetime: lifetime
            )
        )
        onEvent(LoginEvent(.begun, of: provider.id))
        return StartedLogin(url: authorization.url, secret: secret.text, attempt: id)
    }

    /// Returns the associated data of an attempt's content.
    ///
    /// It keeps a writer of the store from moving the content to another attempt or purpose.
    static func context(_ id: SignInAttempt.ID, _ purpose: NoncePurpose) -> [UInt8] {
        id.bytes + Array(purpose.storageKey.utf8)
    }

    /// The provider and the client registration, as attempts name them.
    var client: String { "\(provider.id) \(flow.clientName)" }

    private func authorization(for request: LoginRequest, _ secret: AttemptSecret) throws(LoginManagerError)
        -> Authorization
    {
        let parts = AuthorizationParts(
            redirectURL: redirectURL,
            state: secret.state,
            nonce: secret.browserNonce,
            codeVerifier: secret.codeVerifier,
            replacements: request.replacements
        )
        let authorization = try flow.authorization(for: request, parts)
        guard authorization.url.utf8.count <= Self.urlBytes else {
            throw LoginManagerError(
                .request,
                "the URL has more than \(Self.urlBytes) bytes: request fewer scopes or parameters"
            )
        }
        return authorization
    }

    /// The maximum length of an authorization request.
    ///
    /// Web servers commonly limit the request line to 8 KiB.
    private static var urlBytes: Int { 8 * 1024 - 64 }
}

/// A login that has begun.
public struct StartedLogin: Sendable {
    /// The URL for the browser.
    ///
    /// Send the browser there with a redirect of status 303, or with a link.
    ///
    /// It contains the state: do not log it.
    public let url: String

    /// The secret of the attempt for the browser: 47 characters, for a cookie named `__Host-…` with `Secure` and
    /// `HttpOnly`.
    public let secret: String

    /// The ID of the attempt, which follows from the state of its callback.
    package let attempt: SignInAttempt.ID
}

extension LoginManager: Redacted {
    /// The client registration, without a secret.
    public var description: String { "logins, client: \(flow.clientName)" }
}

extension StartedLogin: Redacted {
    /// A fixed text, without the URL and the secret.
    public var description: String { "login in progress" }
}
