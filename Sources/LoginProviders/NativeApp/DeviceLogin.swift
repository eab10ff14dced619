// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

/// A login of a device without a browser or a keyboard: the user enters a code on a phone or a computer (RFC 8628).
///
/// ```swift
/// let login = try DeviceLogin(metadata: metadata, clientID: "tv", verifier: verifier, transport: transport)
/// let code = try await login.begin()
/// print("Open \(code.verificationURL) and enter \(code.userCode)")
/// switch try await login.finish(code) {
/// case .success(let success): print(success.token.subject)
/// case .cancelled: print("cancelled")
/// }
/// ```
///
/// Nothing uses this flow unless an application names this type. It is weaker than a ``NativeAppLogin``, so use it only
/// where no browser can run on the device:
///
/// - **Phishing** (RFC 8628 §5.4). An attacker begins a login on a device of his own, and sends the code or the link to
///   the victim, who logs in at the real provider, and so signs the attacker's device in. Neither the device nor this
///   library can detect that. Tell users to enter a code only if they have begun the login themselves on a device in
///   front of them, show the code beside ``DeviceCode/completeVerificationURL`` too, so that they can compare it
///   (§3.3.1), request few scopes, and let users see and close their sessions.
/// - **Guessing** (§5.1). A code that is easy to type is easy to guess. The provider limits attempts and the lifetime;
///   prefer providers with short ones.
/// - **The device** (§5.6). A public client cannot prove what it is: a client ID grants no trust.
///
/// The ID token has no nonce, because a device authorization request has none. It is accepted only because it comes over
/// TLS in the response of the token endpoint to a request with the device code, which no one else has (OpenID Connect Core
/// §3.1.3.7, step 6): ``finish(_:)`` verifies it in the same exchange, refuses one with a nonce, which was issued for
/// another login, and returns no text of it that could be presented again. No method of this type takes a token from
/// elsewhere.
public struct DeviceLogin: Sendable {
    private let client: OpenIDClient
    private let verifier: TokenVerifier
    private let scopes: Set<String>
    private let transport: any HTTPTransport
    private let timekeeper: Timekeeper

    /// The result of a login.
    public enum Outcome: Sendable {
        /// The user has logged in.
        case success(Success)
        /// The user has declined.
        case cancelled
    }

    /// A login whose ID token was verified.
    public struct Success: Sendable {
        /// The verified ID token.
        public let token: VerifiedToken

        /// The other tokens of the provider.
        public let tokens: ProviderTokens
    }

    /// Creates logins of a client.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of the provider, with a device authorization endpoint.
    ///   - clientID: The client ID, the only audience of the verifier.
    ///   - authentication: The client authentication; `.none` for a public client, as most devices are (RFC 8628 §5.6).
    ///   - verifier: The verifier of ID tokens, whose policy is for the provider.
    ///   - scopes: The scopes to request, beside `openid`.
    ///   - transport: The transport for requests to the provider.
    ///   - clock: The clock for the interval between requests and the lifetime of the code.
    /// - Throws: ``LoginManagerError``: `provider` if the provider does not support the flow, `client` if the secret is
    ///   empty, or the verifier is for another client.
    public init(
        metadata: ProviderMetadata,
        clientID: String,
        authentication: ClientAuthentication = .none,
        verifier: TokenVerifier,
        scopes: Set<String> = ["email", "profile"],
        transport: any HTTPTransport,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(LoginManagerError) {
        client = OpenIDClient(
            provider: verifier.policy.provider,
            metadata: metadata,
            clientID: clientID,
            authentication: authentication
        )
        try client.checkRegistration()
        guard metadata.deviceAuthorizationEndpoint != nil, metadata.tokenEndpoint != nil else {
            throw LoginManagerError(
                .provider,
                "the metadata has no usable device authorization endpoint or token endpoint"
            )
        }
        guard verifier.policy.audiences.count == 1, isEqual(verifier.policy.audiences[0], clientID) else {
            throw LoginManagerError(.client, "the verifier must accept tokens for \(quoted(clientID)) only")
        }
        self.verifier = verifier
        self.scopes = scopes.union(["openid"])
        self.transport = transport
        timekeeper = Timekeeper(clock)
    }

    /// Begins a login: requests a code for the user (RFC 8628 §3.1).
    ///
    /// - Returns: The code, for ``finish(_:)`` of the same value or of a copy.
    /// - Throws: ``LoginFailure``: `unavailable`, `exchange-refused`, `exchange-response`.
    public func begin() async throws(LoginFailure) -> DeviceCode {
        let name = "device authorization endpoint"
        let began = timekeeper.now()
        let response = try await client.post(
            [("scope", scopes.sorted().joined(separator: " "))],
            to: client.metadata.deviceAuthorizationEndpoint,
            named: name,
            transport: transport,
            clock: .system
        )
        let json = try TokenResponse.json(in: response, of: name)
        guard response.status == 200 else {
            throw TokenResponse.refusal(response.status, error: json["error"]?.string, of: name)
        }
        return try DeviceCode(json, of: client.provider, began: began)
    }

    /// Waits until the user has logged in, and verifies the ID token (RFC 8628 §3.4, §3.5).
    ///
    /// It asks the token endpoint at the interval of the provider, more slowly whenever the provider demands it or does
    /// not respond. It waits before the first request, too.
    ///
    /// - Parameter code: The code that ``begin()`` has returned.
    /// - Returns: The outcome.
    /// - Throws: ``LoginFailure``: `expired` if the user did not log in in time, `token` if the ID token is refused,
    ///   `exchange-refused`, `exchange-response`; `unavailable` if the keys are unavailable. `CancellationError` as soon
    ///   as the task is cancelled; the code is then unused, and expires at the provider.
    public func finish(_ code: DeviceCode) async throws -> Outcome {
        var polling = DevicePolling(interval: code.interval, deadline: code.deadline)
        while let time = polling.nextRequest(after: timekeeper.now()) {
            try await timekeeper.sleep(time)
            switch try await ask(with: code) {
            case .pending: break
            case .slowDown: polling.slowDown()
            case .unavailable: polling.backOff()
            case .declined: return .cancelled
            case .tokens(let response): return .success(try await verified(response))
            }
            try Task.checkCancellation()
        }
        throw LoginFailure(.expired, "the user did not log in before the code expired")
    }

    private enum Answer {
        case pending, slowDown, unavailable, declined
        case tokens(TokenResponse)
    }

    private func ask(with code: DeviceCode) async throws(LoginFailure) -> Answer {
        let response: TransportResponse
        let json: JSONValue
        do throws(LoginFailure) {
            response = try await client.post(
                [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code.secret)],
                to: client.metadata.tokenEndpoint,
                named: "token endpoint",
                transport: transport,
                clock: .system
            )
            json = try TokenResponse.json(in: response, of: "token endpoint")
        } catch {
            guard error.code == .unavailable else { throw error }
            return .unavailable
        }
        guard response.status != 200 else {
            return .tokens(try TokenResponse(response, requestedScopes: scopes, tokenType: client.tokenType))
        }
        let error = json["error"]?.string
        switch error {
        case "authorization_pending": return .pending
        case "slow_down": return .slowDown
        case "access_denied": return .declined
        case "expired_token": throw LoginFailure(.expired, "the provider reports that the code has expired")
        default: throw TokenResponse.refusal(response.status, error: error, of: "token endpoint")
        }
    }

    /// Verifies the ID token of this exchange.
    private func verified(_ response: TokenResponse) async throws(LoginFailure) -> Success {
        do throws(VerificationError) {
            let token = try await verifier.verify(
                response.idToken,
                nonce: .mustBeAbsent,
                accessToken: .ifPresent(response.tokens.accessToken)
            )
            return Success(token: token, tokens: response.tokens)
        } catch {
            switch error {
            case .refused(let refusal): throw LoginFailure(refusal)
            case .undecided(let unavailable): throw LoginFailure(.unavailable, unavailable.description)
            }
        }
    }
}

extension DeviceLogin: Redacted {
    /// The client registration, without secrets.
    public var description: String { "device login with \(client.clientName)" }
}

extension DeviceLogin.Success: Redacted {
    /// A fixed text, without anything about the user.
    public var description: String { "device login" }
}
