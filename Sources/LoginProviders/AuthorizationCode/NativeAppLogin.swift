// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
package import LoginTokens

/// A login of a native app on the user's machine, whose ID token a service verifies (RFC 8252).
///
/// ``LoginManager`` verifies the token itself, with a nonce of its own. Here the service has issued the nonce, and
/// verifies the token.
package struct NativeAppLogin: Sendable {
    /// The authorization request, for the browser.
    package let url: String

    private let client: OpenIDClient
    private let redirectURL: String
    private let scopes: Set<String>
    private let state = Nonce.random()
    private let codeVerifier = CodeVerifier()

    /// The result of an authorization response.
    package enum Outcome: Sendable, Hashable {
        /// The response belongs to another login: wait for the next.
        case otherLogin
        /// The user cancelled the login.
        case cancelled
        /// The ID token, not verified.
        case idToken(String)
    }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - metadata: The metadata of the provider.
    ///   - clientID: The client ID.
    ///   - clientSecret: The client secret; nil for a public client. Some providers issue one to native apps, where it
    ///     proves nothing (RFC 8252 §8.5).
    ///   - redirectURL: The redirect URI: `http` on a loopback address (RFC 8252 §7.3).
    ///   - nonce: The nonce that the ID token must have.
    /// - Throws: ``LoginManagerError`` with the code `provider` if the provider does not support the flow.
    package init(
        provider: Provider,
        metadata: ProviderMetadata,
        clientID: String,
        clientSecret: String? = nil,
        redirectURL: String,
        nonce: String
    ) throws(LoginManagerError) {
        client = OpenIDClient(
            provider: provider,
            metadata: metadata,
            clientID: clientID,
            authentication: clientSecret.map { .discovered(secret: $0) } ?? .none
        )
        try client.check()
        let authorization = try client.authorization(
            for: .profile,
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

    /// Obtains the ID token of an authorization response.
    ///
    /// Any page in the browser can request the redirect URI. Without the state it completes no login: it can only end
    /// this one, with an error response that has no state.
    ///
    /// - Parameters:
    ///   - callback: The response.
    ///   - transport: The transport for the request to the token endpoint.
    /// - Returns: The outcome.
    /// - Throws: ``LoginFailure``, with the code `provider-error` also for an error response without a state.
    package func outcome(
        of callback: LoginCallback,
        transport: any HTTPTransport
    ) async throws(LoginFailure) -> Outcome {
        guard let parameters = try? callback.read() else { return .otherLogin }
        // No other login has this redirect URI, so an error without a state ends this one.
        try parameters.checkStateOfError()
        guard isEqual(parameters["state"] ?? "", state) else { return .otherLogin }
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
        return .idToken(tokens.idToken)
    }
}

extension NativeAppLogin: Redacted {
    /// The client registration, without the URL and the secrets.
    package var description: String { "login with \(client.clientName)" }
}

extension NativeAppLogin.Outcome: Redacted {
    /// The kind of the outcome, without the token.
    package var description: String {
        switch self {
        case .otherLogin: "response of another login"
        case .cancelled: "cancelled"
        case .idToken: "ID token"
        }
    }
}
