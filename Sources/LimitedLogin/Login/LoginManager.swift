// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// Logs people in by their browsers: sends them to the provider, and judges what they bring back.
///
/// ```swift
/// let logins = try LoginManager(
///     client: .facebook(app), redirectURL: "https://example.com/login/callback",
///     attempts: InMemoryAttemptStore(), keys: keys, transport: transport)
///
/// // The browser gets the secret as a cookie `__Host-attempt`, and is sent to `started.url`.
/// let secret = Nonce.random()
/// let started = try await logins.begin(
///     .facebook(permissions: [.email], tracking: .limited), purpose: .signIn, binding: NonceBinding(secret: secret))
///
/// // It comes back. `cookie` is what the request carries.
/// let callback = LoginCallback(query: query, fragment: fragment)
/// switch try await logins.finish(callback, purpose: .signIn, binding: NonceBinding(secret: cookie)) {
/// case .success(let login): signIn(login.token.subject)
/// case .cancelled, .failed: showLoginPage()
/// }
/// ```
///
/// Between the two halves lies an *attempt*, which ends once: it holds the state, the nonce and the code verifier, belongs to one
/// browser and one purpose, and expires. What comes back counts only as the answer to it. A login that failed is begun anew.
///
/// A cookie that is `SameSite=Lax` is sent when the provider sends the browser back with a GET; a provider that has it post a form
/// (Apple) needs `SameSite=None`.
public struct LoginManager: Sendable {
    let client: LoginClient
    let redirectURL: String
    let attempts: any AttemptStore
    let keys: any KeySource
    let transport: any HTTPTransport
    let clock: any WallClock

    /// Logs people in at one provider.
    ///
    /// - Parameters:
    ///   - client: At whose door, and as whom.
    ///   - redirectURL: Where the browser comes back, as the provider knows it, letter by letter. A path of its own for each provider
    ///     is best (RFC 9700 §4.4.2.2).
    ///   - attempts: What keeps attempts. Managers may share it.
    ///   - keys: Where the provider's keys come from.
    ///   - transport: What asks the provider.
    ///   - clock: Who says what time it is.
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
        if case .openID(let client) = client.kind { try client.check() }
        do throws(PolicyError) { _ = try client.policy() } catch { throw LoginManagerError(.client, error.description) }
        self.client = client
        self.redirectURL = redirectURL
        self.attempts = attempts
        self.keys = keys
        self.transport = transport
        self.clock = clock
    }

    /// The provider where people log in.
    package var provider: Provider { client.provider }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - purpose: What the login is for. Linking, for one, is never finished by a login that began as a sign-in.
    ///   - binding: Whose browser it is: made of a secret that the browser keeps in a cookie.
    ///   - returnTo: The path of your site where the person goes when it is over, for example `/orders?page=2`; nil for none. Only a
    ///     path is taken, so that nobody can be sent to another site with it.
    ///   - userID: Who must log in, by the subject of an earlier login, where a person is to prove once more that it is they; nil for
    ///     anybody.
    ///   - nonce: What the provider signs, where somebody else has made it and takes it back, as `Auth.begin` of LoginAccounts does: 1 to
    ///     256 bytes without white space. Nil for one of this login's own.
    ///   - lifetime: How long it may take, within `Limits.nonceLifetime`.
    /// - Returns: Where to send the browser.
    /// - Throws: ``LoginManagerError`` for a mistake; and what the store throws when it keeps no attempt.
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
        if let nonce { try Self.check(nonce) }
        let state = LoginState()
        let authorization = try authorization(for: request, state: state, nonce: nonce)
        let content = AttemptContent(
            client: client.name,
            redirectURL: redirectURL,
            nonce: authorization.nonce,
            codeVerifier: authorization.codeVerifier,
            scopes: authorization.scopes,
            tracking: authorization.tracking,
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

    private static func check(_ nonce: String) throws(LoginManagerError) {
        do throws(LoginConfigurationError) {
            try LoginConfiguration.check(nonce)
        } catch {
            throw LoginManagerError(.request, error.description)
        }
    }
}

/// A login that has begun.
public struct StartedLogin: Sendable {
    /// Where to send the browser, by a redirect with status 303 or a link.
    ///
    /// The state stands in it: do not log it.
    public let url: String
}

extension OpenIDClient {
    /// What the flow needs of the provider.
    func check() throws(LoginManagerError) {
        guard !authentication.lacksSecret else { throw LoginManagerError(.client, "the client secret is empty") }
        guard provider.issuers.contains(where: { isEqual($0, metadata.issuer) }) else {
            let detail =
                "tokens are expected of \(quoted(provider.issuers)), and the metadata is of \(quoted(metadata.issuer))"
            throw LoginManagerError(.provider, detail)
        }
        guard metadata.authorizationEndpoint != nil, metadata.tokenEndpoint != nil else {
            throw LoginManagerError(
                .provider,
                "it names no authorization endpoint or no token endpoint that may be asked"
            )
        }
        guard metadata.responseTypes?.contains("code") ?? true else {
            throw LoginManagerError(.provider, "it does not know the response type code")
        }
        // RFC 9700 §2.1.1: without PKCE a code that was caught is worth something.
        guard metadata.codeChallengeMethods?.contains("S256") ?? true else {
            throw LoginManagerError(.provider, "it does not know the code challenge method S256")
        }
        guard metadata.tokenEndpointAuthenticationMethods?.contains(authentication.name) ?? true else {
            throw LoginManagerError(.provider, "it does not know the client authentication \(authentication.name)")
        }
    }
}

/// Where a person may be sent when a login is over.
package enum ReturnPath {
    /// Whether this is a path of the own site, whoever reads it.
    ///
    /// Browsers take `//` and `/\` at the beginning for another host, and drop tabs and line breaks first; servers in
    /// between may take dot segments out of `/.//` before that. So none of them is a path here.
    ///
    /// - Parameter text: What somebody has sent.
    /// - Returns: Whether it is.
    package static func isLocal(_ text: String) -> Bool {
        guard text.utf8.count <= Limits.urlBytes, text.hasPrefix("/"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return false }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        // Whoever decodes it before it stands in `Location` makes a slash of one of these.
        let second = path.dropFirst().prefix(3).lowercased()
        guard second != "%2f", second != "%5c" else { return false }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        return segments.dropLast().allSatisfy { !["", ".", ".."].contains($0) } && ![".", ".."].contains(segments.last)
    }
}

extension LoginManager: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whose logins it manages, without a secret.
    public var description: String { "logins, \(client)" }
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
