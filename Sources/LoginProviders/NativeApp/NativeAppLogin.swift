// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

/// A login in the browser of the user's machine, of an app that runs on it (RFC 8252).
///
/// ```swift
/// let outcome = try await LoopbackListener.run { listener in
///     let login = try NativeAppLogin(
///         provider: provider, metadata: metadata, clientID: "tool", redirectURL: listener.redirectURL, nonce: nonce)
///     print("Open \(login.url)")
///     return try await listener.response { query in
///         try await login.outcome(of: LoginCallback(query: query), transport: transport)
///     }
/// }
/// ```
///
/// It is the authorization code flow with PKCE, a state, and the issuer of the response (RFC 9207). It is in this module
/// because it shares the client registration, the code exchange and the code verifier with ``LoginManager``; it opens no
/// sockets. `LoopbackListener` of LoginKeys is the usual redirect URI.
///
/// The ID token is not verified. A service verifies it that has issued the nonce, for example by `ClientSession` of
/// LoginClient. An app without a service verifies it with a `TokenVerifier`, and expects the nonce exactly.
/// ``LoginManager`` verifies it itself; it is for servers.
public struct NativeAppLogin: Sendable {
    /// The authorization request, to be opened in the browser of the system and never in a view of the app (RFC 8252
    /// §8.12).
    public let url: String

    private let client: OpenIDClient
    private let redirectURL: String
    private let scopes: Set<String>
    private let state = Nonce.random()
    private let codeVerifier = CodeVerifier()

    /// The result of an authorization response.
    public enum Outcome: Sendable {
        /// The user cancelled the login.
        case cancelled
        /// The ID token, not verified, and the other tokens of the provider.
        case idToken(String, tokens: ProviderTokens)
    }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - metadata: The metadata of the provider.
    ///   - clientID: The client ID, of a client that is registered as a native app.
    ///   - clientSecret: The client secret; nil for a public client. Some providers issue one to native apps, where it
    ///     proves nothing (RFC 8252 §8.5).
    ///   - redirectURL: The redirect URI: that of a `LoopbackListener`, another `http` URL of a loopback address
    ///     (RFC 8252 §7.3), an `https` URL that the system opens in the app (§7.2), or a URL with a scheme of the app,
    ///     which contains a period (§7.1).
    ///   - nonce: The nonce that the ID token must have: 1 to 256 bytes.
    ///   - request: The scopes and parameters; nil for the scopes `openid`, `email` and `profile`. Its response mode
    ///     must be the query.
    /// - Throws: ``LoginManagerError``: `provider` if the provider does not support the flow, `client` if the secret is
    ///   empty, `redirect-url`, `request`.
    public init(
        provider: Provider,
        metadata: ProviderMetadata,
        clientID: String,
        clientSecret: String? = nil,
        redirectURL: String,
        nonce: String,
        request: LoginRequest? = nil
    ) throws(LoginManagerError) {
        try Self.check(redirectURL)
        guard (1...Limits.loginNonceBytes).contains(nonce.utf8.count) else {
            throw LoginManagerError(.request, "the nonce must have 1 to \(Limits.loginNonceBytes) bytes")
        }
        let request = request ?? .profile
        guard request.responseMode ?? .query == .query else {
            throw LoginManagerError(.request, "a native app receives the response in the query of the redirect URI")
        }
        client = OpenIDClient(
            provider: provider,
            metadata: metadata,
            clientID: clientID,
            authentication: clientSecret.map { .discovered(secret: $0) } ?? .none
        )
        try client.check()
        let authorization = try client.authorization(
            for: request,
            AuthorizationParts(
                redirectURL: redirectURL,
                state: state,
                nonce: nonce,
                codeVerifier: codeVerifier,
                replacements: [:]
            )
        )
        url = authorization.url
        scopes = authorization.scopes
        self.redirectURL = redirectURL
    }

    /// Checks that only this machine receives the response.
    private static func check(_ redirectURL: String) throws(LoginManagerError) {
        let scheme = redirectURL.prefix { $0 != ":" }
        // A scheme of an app is a domain of its publisher in reverse order (RFC 8252 §8.4).
        if scheme.contains("."), scheme.count < redirectURL.count, redirectURL.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            return
        }
        do throws(TransportFailure) {
            _ = try EndpointURL(redirectURL, allowsLoopbackHTTP: true)
        } catch {
            throw LoginManagerError(.redirectURL, error.detail)
        }
    }

    /// Obtains the ID token of an authorization response.
    ///
    /// Any page in the browser can request the redirect URI. Without the state it completes no login: it can only end
    /// this one, with an error response that has no state.
    ///
    /// - Parameters:
    ///   - callback: The response.
    ///   - transport: The transport for the request to the token endpoint.
    /// - Returns: The outcome; nil if the response belongs to another login: wait for the next.
    /// - Throws: ``LoginFailure``, with the code `provider-error` also for an error response without a state.
    public func outcome(
        of callback: LoginCallback,
        transport: any HTTPTransport
    ) async throws(LoginFailure) -> Outcome? {
        guard let parameters = try? callback.read() else { return nil }
        // No other login has this redirect URI, so an error without a state ends this one.
        try parameters.checkStateOfError()
        guard isEqual(parameters["state"] ?? "", state) else { return nil }
        let isFromProvider = parameters["iss"].map(client.isIssuer) ?? !client.mustNameIssuer
        guard isFromProvider else {
            throw LoginFailure(.issuerMismatch, "the response does not name the issuer of this login")
        }
        if try parameters.isCancelled() { return .cancelled }
        let tokens = try await client.exchange(
            code: parameters.only("code"),
            redirectURL: redirectURL,
            codeVerifier: codeVerifier,
            scopes: scopes,
            transport: transport,
            clock: .system
        )
        return .idToken(tokens.idToken, tokens: tokens.tokens)
    }
}

extension NativeAppLogin: Redacted {
    /// The client registration, without the URL and the secrets.
    public var description: String { "login with \(client.clientName)" }
}

extension NativeAppLogin.Outcome: Redacted {
    /// The kind of the outcome, without the token.
    public var description: String {
        switch self {
        case .cancelled: "cancelled"
        case .idToken: "ID token"
        }
    }
}
