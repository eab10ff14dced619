// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// The response of a token endpoint, not yet verified.
struct TokenResponse {
    let idToken: String
    let tokens: ProviderTokens
}

extension OpenIDClient {
    /// Exchanges a code for tokens (RFC 6749 §4.1.3, OpenID Connect Core §3.1.3).
    ///
    /// The request is never retried: a code is valid for one use, and a provider that sees it twice may revoke the
    /// tokens that it issued for it.
    ///
    /// - Parameters:
    ///   - code: The authorization code.
    ///   - redirectURL: The redirect URI of the authorization request.
    ///   - codeVerifier: The code verifier of the authorization request, which is sent unless PKCE is off.
    ///   - scopes: The requested scopes.
    ///   - transport: The transport for the request.
    ///   - clock: The clock for the times in an assertion of the client.
    /// - Returns: The tokens.
    /// - Throws: ``LoginFailure``
    func exchange(
        code: String,
        redirectURL: String,
        codeVerifier: CodeVerifier,
        scopes: Set<String>,
        transport: any HTTPTransport,
        clock: any WallClock
    ) async throws(LoginFailure) -> TokenResponse {
        var fields = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURL)]
        if protection.pkce == .required { fields.append(("code_verifier", codeVerifier.value)) }
        let response = try await post(
            fields,
            to: metadata.tokenEndpoint,
            named: "token endpoint",
            transport: transport,
            clock: clock
        )
        return try TokenResponse(response, requestedScopes: scopes, tokenType: tokenType)
    }

    /// Sends a request with the client's authentication, once.
    ///
    /// - Parameters:
    ///   - fields: The fields of the form, without those of the authentication.
    ///   - endpoint: The endpoint; nil if the provider has none.
    ///   - name: The name of the endpoint, for the operator.
    ///   - transport: The transport.
    ///   - clock: The clock for the times in an assertion of the client.
    /// - Returns: The response, whatever its status is.
    /// - Throws: ``LoginFailure`` with the code `unavailable`.
    func post(
        _ fields: [(String, String)],
        to endpoint: EndpointURL?,
        named name: String,
        transport: any HTTPTransport,
        clock: any WallClock
    ) async throws(LoginFailure) -> TransportResponse {
        guard let endpoint else { throw LoginFailure(.unavailable, "the provider has no \(name)") }
        let proof: (headers: [(String, String)], fields: [(String, String)])
        do {
            proof = try await authentication.prove(clientID: clientID, to: metadata, at: endpoint, clock: clock)
        } catch {
            // The error may contain the secret.
            throw LoginFailure(.unavailable, "the client secret could not be generated")
        }
        let headers = [(name: "Accept", value: "application/json")] + proof.headers.map { (name: $0.0, value: $0.1) }
        do throws(TransportFailure) {
            return try await transport.send(
                .form(
                    FormFields((fields + proof.fields).map { (name: $0.0, value: $0.1) }).encoded,
                    to: endpoint,
                    headers: headers,
                    responseLimit: Limits.tokenResponseBytes,
                    deadline: Limits.tokenResponseDeadline
                )
            )
        } catch {
            throw LoginFailure(.unavailable, "the \(name): \(error)")
        }
    }
}

extension TokenResponse {
    /// Reads a token response (RFC 6749 §5).
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - requestedScopes: The requested scopes, which are the granted ones if the response names none.
    ///   - tokenType: Whether the response must name the type of the access token.
    /// - Throws: ``LoginFailure``
    init(
        _ response: TransportResponse,
        requestedScopes: Set<String>,
        tokenType: SignInProvider.TokenType
    ) throws(LoginFailure) {
        let status = response.status
        let json = try Self.json(in: response, of: "token endpoint")
        guard status == 200 else { throw Self.refusal(status, error: json["error"]?.string, of: "token endpoint") }
        guard let accessToken = json["access_token"]?.string, !accessToken.isEmpty else {
            throw LoginFailure(.exchangeResponse, "the token response has no access token")
        }
        try tokenType.check(json["token_type"])
        guard let idToken = json["id_token"]?.string, !idToken.isEmpty else {
            throw LoginFailure(.exchangeResponse, "the token response has no ID token")
        }
        let seconds = json["expires_in"]?.integer.flatMap { (0...0x7FFF_FFFF).contains($0) ? $0 : nil }
        // A scope is ASCII (RFC 6749 §3.3). Other texts are dropped, since their hashing can be slow.
        let scopes = json["scope"]?.string.map { text in
            Set(
                text.utf8.split(separator: 0x20).filter { $0.allSatisfy { $0 < 0x80 } }.map {
                    String(decoding: $0, as: UTF8.self)
                }
            )
        }
        self.idToken = idToken
        tokens = ProviderTokens(
            accessToken: accessToken,
            refreshToken: json["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 },
            lifetime: seconds.map { .seconds($0) },
            // An omitted scope means that all requested ones were granted (RFC 6749 §5.1).
            scopes: scopes ?? requestedScopes
        )
    }

    /// Returns the JSON of a response with any status.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - name: The name of the endpoint, for the operator.
    /// - Returns: The JSON.
    /// - Throws: ``LoginFailure``: `unavailable` if the endpoint cannot respond now; `exchange-refused` or
    ///   `exchange-response` if the body is not JSON.
    static func json(in response: TransportResponse, of name: String) throws(LoginFailure) -> JSONValue {
        let status = response.status
        guard status < 500, status != 429, status != 408 else {
            throw LoginFailure(.unavailable, "the \(name) answered \(status)")
        }
        do throws(ResponseFault) {
            try response.check(statuses: 200...499, limit: Limits.tokenResponseBytes)
        } catch {
            throw unreadable(error.detail, status: status, of: name)
        }
        do throws(JSONError) {
            let limits = JSONLimits(
                bytes: Limits.tokenResponseBytes,
                depth: Limits.jsonDepth,
                members: Limits.jsonMembers
            )
            return try JSONDocument.read(response.body.withoutByteOrderMark, limits: limits).root
        } catch {
            throw unreadable("not strict JSON: \(error)", status: status, of: name)
        }
    }

    /// Returns the failure of an error response.
    static func refusal(_ status: Int, error: String?, of name: String) -> LoginFailure {
        LoginFailure(
            .exchangeRefused,
            "the \(name) answered \(status): \(error.map(ErrorName.shown) ?? "no error named")",
            isMisconfigured: rejectsClient(status, error: error)
        )
    }

    /// Returns the failure of a response whose body cannot be read, which is a refusal if the status is 4xx.
    private static func unreadable(_ detail: String, status: Int, of name: String) -> LoginFailure {
        LoginFailure(
            (400...499).contains(status) ? .exchangeRefused : .exchangeResponse,
            "the \(name): \(detail)",
            isMisconfigured: rejectsClient(status)
        )
    }

    /// Returns whether a response rejects the client.
    ///
    /// The other errors of RFC 6749 §5.2 concern the code or the request.
    private static func rejectsClient(_ status: Int, error: String? = nil) -> Bool {
        let ofClient = ["invalid_client", "unauthorized_client", "unsupported_grant_type"]
        return status == 401 || ofClient.contains { isEqual($0, error ?? "") }
    }
}

extension SignInProvider.TokenType {
    /// Checks that a token response names the type of a bearer token.
    ///
    /// Another type would have to be used differently (RFC 6749 §7.1, OpenID Connect Core §3.1.3.3).
    fileprivate func check(_ type: JSONValue?) throws(LoginFailure) {
        guard let type, type.kind != .null else {
            guard self == .required else { return }
            throw LoginFailure(.exchangeResponse, "the token response has no token_type (RFC 6749, section 5.1)")
        }
        guard type.string?.lowercased() == "bearer" else {
            throw LoginFailure(.exchangeResponse, "the token response has no bearer token")
        }
    }
}
