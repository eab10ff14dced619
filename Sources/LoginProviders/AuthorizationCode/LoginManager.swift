// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// Browser logins at one provider: redirects the browser to the provider, and verifies the answer.
///
/// ```swift
/// let logins = try LoginManager(
///     client: .openID(provider: .google, metadata: metadata, clientID: "client-1", authentication: .post(secret: secret)),
///     redirectURL: "https://example.com/login/callback",
///     attempts: InMemoryAttemptStore(), keys: keys, transport: transport)
///
/// // The browser gets the secret as a cookie `__Host-attempt`, and is redirected to `started.url`.
/// let secret = Nonce.random()
/// let started = try await logins.begin(
///     .openID(scopes: ["email"]), purpose: .signIn, binding: NonceBinding(secret: secret))
///
/// // The callback. `cookie` is the value of the cookie in that request.
/// let callback = LoginCallback(query: query, fragment: fragment)
/// switch try await logins.finish(callback, purpose: .signIn, binding: NonceBinding(secret: cookie)) {
/// case .success(let login): signIn(login.token.subject)
/// case .cancelled, .failed: showLoginPage()
/// }
/// ```
///
/// An *attempt* connects the two halves. It holds the state, the nonce and the code verifier, belongs to one browser and one purpose,
/// expires, and is used once. A callback is accepted only as the answer to its attempt; after a failure the login starts again.
///
/// A cookie with `SameSite=Lax` is sent when the provider redirects the browser with a GET; a provider that posts a form (Apple)
/// needs `SameSite=None`.
public struct LoginManager: Sendable {
    let flow: any AuthorizationFlow
    let redirectURL: String
    let attempts: any AttemptStore
    let keys: any KeySource
    let transport: any HTTPTransport
    let clock: any WallClock

    /// Creates a manager for one provider.
    ///
    /// - Parameters:
    ///   - client: The client registration.
    ///   - redirectURL: The redirect URI, exactly as it is registered at the provider. A separate path for each provider is best
    ///     (RFC 9700 §4.4.2.2).
    ///   - attempts: The store of attempts. Managers may share it.
    ///   - keys: The source of the provider's keys.
    ///   - transport: The transport for requests to the provider.
    ///   - clock: The clock for expiry checks.
    ///   - allowsLoopbackHTTP: Whether `redirectURL` may be `http` on this machine, for tests and development.
    /// - Throws: ``LoginManagerError``
    public init(
        client: LoginClient,
        redirectURL: String,
        attempts: any AttemptStore,
        keys: any KeySource,
        transport: any HTTPTransport,
        clock: any WallClock = .system,
        allowsLoopbackHTTP: Bool = false
    ) throws(LoginManagerError) {
        do throws(TransportFailure) {
            _ = try EndpointURL(redirectURL, allowsLoopbackHTTP: allowsLoopbackHTTP)
        } catch {
            throw LoginManagerError(.redirectURL, error.detail)
        }
        try client.flow.check()
        do throws(PolicyError) {
            _ = try client.flow.policy(maximumAuthenticationAge: nil)
        } catch {
            throw LoginManagerError(.client, error.description)
        }
        flow = client.flow
        self.redirectURL = redirectURL
        self.attempts = attempts
        self.keys = keys
        self.transport = transport
        self.clock = clock
    }

    /// The provider of the client.
    package var provider: Provider { flow.provider }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - request: The scopes and parameters of the authorization request.
    ///   - purpose: The purpose of the login. A login that began as a sign-in never finishes as a link, for example.
    ///   - binding: The browser that begins: made of a secret that the browser keeps in a cookie.
    ///   - returnTo: The path of your site for the browser after the login, for example `/orders?page=2`; nil for none. Only a path is
    ///     accepted, so that it leads to no other site.
    ///   - userID: The subject that must log in, where a user has to be authenticated again; nil for anybody.
    ///   - nonce: The nonce of the ID token, where the caller keeps it, as `Auth.begin` of LoginAccounts does: 1 to 256 bytes without
    ///     white space. Nil for a new one.
    ///   - lifetime: The lifetime of the attempt, within `Limits.nonceLifetime`.
    /// - Returns: The URL for the browser.
    /// - Throws: ``LoginManagerError`` for a mistake of the caller; rethrows errors of the store.
    public func begin(
        _ request: LoginRequest,
        purpose: NoncePurpose,
        binding: NonceBinding,
        returnTo: String? = nil,
        expecting userID: String? = nil,
        nonce: String? = nil,
        lifetime: Duration = Limits.nonceLifetime.upperBound
    ) async throws -> StartedLogin {
        if let returnTo, !ReturnPath.isLocal(returnTo) {
            throw LoginManagerError(.returnTo, "a path of this site begins with one /, and \(quoted(returnTo)) is none")
        }
        if let nonce, let fault = NonceFault(in: nonce) { throw LoginManagerError(.request, fault.description) }
        let state = LoginState()
        let authorization = try authorization(for: request, state: state, nonce: nonce)
        let content = AttemptContent(
            client: flow.clientName,
            redirectURL: redirectURL,
            nonce: authorization.nonce,
            codeVerifier: authorization.codeVerifier,
            scopes: authorization.scopes,
            variant: authorization.variant,
            maximumAuthenticationAge: authorization.maximumAuthenticationAge.map { Double($0.components.seconds) },
            returnTo: returnTo,
            expectedUser: userID
        )
        try await attempts.insert(
            LoginAttempt(
                id: state.id,
                sealed: try state.seal(content, purpose: purpose, binding: binding),
                purpose: purpose,
                binding: binding,
                lifetime: lifetime
            )
        )
        return StartedLogin(url: authorization.url)
    }

    private func authorization(
        for request: LoginRequest,
        state: LoginState,
        nonce: String?
    ) throws(LoginManagerError) -> Authorization {
        let parts = AuthorizationParts(
            redirectURL: redirectURL,
            state: state.text,
            nonce: nonce,
            replacements: request.replacements
        )
        let authorization = try flow.authorization(for: request, parts)
        guard authorization.url.utf8.count <= Self.urlBytes else {
            throw LoginManagerError(.request, "the URL has more than \(Self.urlBytes) bytes: ask for less at once")
        }
        return authorization
    }

    /// The maximum length of an authorization request: web servers commonly stop at 8 KiB a request line.
    private static var urlBytes: Int { 8 * 1024 - 64 }
}

/// A login that has begun.
public struct StartedLogin: Sendable {
    /// Where to send the browser, by a redirect with status 303 or a link.
    ///
    /// The state stands in it: do not log it.
    public let url: String
}

extension LoginManager: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whose logins it manages, without a secret.
    public var description: String { "logins, client: \(flow.clientName)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show a secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension StartedLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That it is one, without the URL.
    public var description: String { "login that has begun" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show the state.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
