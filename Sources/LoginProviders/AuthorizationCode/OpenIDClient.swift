// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// A client registration at an OpenID provider, and its authorization code flow with PKCE (OpenID Connect Core §3.1,
/// RFC 7636).
struct OpenIDClient: Sendable {
    let provider: Provider
    let metadata: ProviderMetadata
    let clientID: String
    let authentication: ClientAuthentication
    var tokenType = SignInProvider.TokenType.required
    var protection = LoginProtection()
    var userInfo = SignInProvider.UserInfo.off
}

extension OpenIDClient: AuthorizationFlow {
    var clientName: String { "openid \(metadata.issuer) \(clientID)" }

    var mustNameIssuer: Bool { metadata.sendsIssuerInResponse }

    func isIssuer(_ issuer: String) -> Bool {
        // The metadata of several tenants has one issuer, and a response that of the user's tenant.
        isEqual(metadata.issuer, issuer) || (provider.tenantClaim != nil && provider.hasIssuer(issuer))
    }

    var origins: [String] { metadata.authorizationEndpoint.map { [$0.origin] } ?? [] }

    func check() throws(LoginManagerError) {
        try checkRegistration()
        guard metadata.authorizationEndpoint != nil, metadata.tokenEndpoint != nil else {
            throw LoginManagerError(
                .provider,
                "the metadata has no usable authorization endpoint or token endpoint"
            )
        }
        guard metadata.responseTypes?.contains("code") ?? true else {
            throw LoginManagerError(.provider, "the provider does not support the response type code")
        }
        try protection.check(isPublic: authentication.isPublic, responseMode: nil)
        try protection.check(by: metadata.codeChallengeMethods)
        guard userInfo == .off || metadata.userInfoEndpoint != nil else {
            throw LoginManagerError(
                .provider,
                setting: .userInfo,
                "the metadata has no UserInfo endpoint with https (userinfo_endpoint)"
            )
        }
    }

    /// Checks what all flows have in common: the issuer of the metadata, and the client authentication.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client` or `provider`.
    func checkRegistration() throws(LoginManagerError) {
        try authentication.check()
        guard provider.issuers.contains(where: { isEqual($0, metadata.issuer) }) else {
            let detail =
                "the metadata has the issuer \(quoted(metadata.issuer)), but tokens are expected from \(quoted(provider.issuers))"
            throw LoginManagerError(.provider, detail)
        }
        try authentication.check(by: metadata)
    }

    func authorization(for request: LoginRequest, _ parts: AuthorizationParts) throws(LoginManagerError)
        -> Authorization
    {
        guard let content = request.content as? OpenIDRequest else { throw LoginManagerError.otherProvider }
        guard let endpoint = metadata.authorizationEndpoint else {
            throw LoginManagerError(.provider, "the metadata has no authorization endpoint")
        }
        try protection.check(isPublic: authentication.isPublic, responseMode: request.responseMode)
        var parameters = [
            ("client_id", clientID), ("redirect_uri", parts.redirectURL), ("state", parts.state),
            ("response_type", "code"), ("scope", content.scopes.sorted().joined(separator: " ")),
            ("nonce", parts.nonce),
        ]
        if protection.pkce == .required { parameters += parts.codeVerifier.challengeParameters }
        if !content.prompts.isEmpty {
            parameters.append(("prompt", content.prompts.map(\.rawValue).sorted().joined(separator: " ")))
        }
        if let age = content.maximumAuthenticationAge { parameters.append(("max_age", "\(age.components.seconds)")) }
        if let hint = content.loginHint { parameters.append(("login_hint", hint)) }
        if let mode = request.responseMode { parameters.append(("response_mode", mode.rawValue)) }
        // Sorted, so that equal requests have equal URLs.
        parameters += content.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        // No parameter may occur twice (RFC 6749 §3.1).
        let known = FormFields(reading: endpoint.target.drop { $0 != "?" }.dropFirst().utf8)
        let names = parameters.map(\.0) + parts.replacements.keys
        if let name = names.first(where: { known?.has($0) == true }) {
            throw LoginManagerError(
                content.parameters[name] == nil ? .provider : .request,
                "the URL of the authorization endpoint already has the parameter \(name)"
            )
        }
        return Authorization(
            endpoint: endpoint.description,
            parameters: parameters,
            replacements: parts.replacements,
            scopes: content.scopes,
            maximumAuthenticationAge: content.maximumAuthenticationAge
        )
    }

    func finish(_ response: AuthorizationResponse) async throws(LoginFailure) -> LoginSuccess {
        let code = try response.parameters.only("code")
        let tokens = try await exchange(
            code: code,
            redirectURL: response.attempt.redirectURL,
            codeVerifier: response.codeVerifier,
            scopes: response.attempt.scopes,
            transport: response.transport,
            clock: response.clock
        )
        let token = try await response.verified(
            tokens.idToken,
            nonce: protection.nonce,
            accessToken: tokens.tokens.accessToken,
            code: code
        )
        let claims = try await completedClaims(
            of: token,
            accessToken: tokens.tokens.accessToken,
            transport: response.transport
        )
        return response.success(token, claims: claims, idToken: tokens.idToken, tokens: tokens.tokens)
    }
}
