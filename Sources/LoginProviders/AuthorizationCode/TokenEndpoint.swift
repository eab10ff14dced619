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
        guard let endpoint = metadata.tokenEndpoint else {
            throw LoginFailure(.unavailable, "the provider has no token endpoint")
        }
        let proof: (headers: [(String, String)], fields: [(String, String)])
        do {
            proof = try await authentication.prove(clientID: clientID, to: metadata, clock: clock)
        } catch {
            // The error may contain the secret.
            throw LoginFailure(.unavailable, "the client secret could not be generated")
        }
        var fields = [
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code),
            (name: "redirect_uri", value: redirectURL),
        ]
        if protection.pkce == .required { fields.append((name: "code_verifier", value: codeVerifier.value)) }
        fields += proof.fields.map { (name: $0.0, value: $0.1) }
        var headers = [(name: "Accept", value: "application/json")]
        headers += proof.headers.map { (name: $0.0, value: $0.1) }
        let response: TransportResponse
        do throws(TransportFailure) {
            response = try await transport.send(
                .form(
                    FormFields(fields).encoded,
                    to: endpoint,
                    headers: headers,
                    responseLimit: Limits.tokenResponseBytes,
                    deadline: Limits.tokenResponseDeadline
                )
            )
        } catch {
            throw LoginFailure(.unavailable, "the token endpoint: \(error)")
        }
        return try TokenResponse(response, requestedScopes: scopes, tokenType: tokenType)
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
        guard status < 500, status != 429, status != 408 else {
            throw LoginFailure(.unavailable, "the token endpoint answered \(status)")
        }
        do throws(ResponseFault) {
            try response.check(statuses: 200...499, limit: Limits.tokenResponseBytes)
        } catch {
            throw Self.unreadable(error.detail, status: status)
        }
        let json: JSONValue
        do throws(JSONError) {
            let limits = JSONLimits(
                bytes: Limits.tokenResponseBytes,
                depth: Limits.jsonDepth,
                members: Limits.jsonMembers
            )
            json = try JSONDocument.read(response.body.withoutByteOrderMark, limits: limits).root
        } catch {
            throw Self.unreadable("not strict JSON: \(error)", status: status)
        }
        guard status == 200 else {
            let error = json["error"]?.string
            let name = error.map(ErrorName.shown) ?? "no error named"
            throw LoginFailure(
                .exchangeRefused,
                "the token endpoint answered \(status): \(name)",
                isMisconfigured: Self.rejectsClient(status, error: error)
            )
        }
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

    /// Returns the failure of a response whose body cannot be read, which is a refusal if the status is 4xx.
    private static func unreadable(_ detail: String, status: Int) -> LoginFailure {
        LoginFailure(
            (400...499).contains(status) ? .exchangeRefused : .exchangeResponse,
            "the token endpoint: \(detail)",
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
