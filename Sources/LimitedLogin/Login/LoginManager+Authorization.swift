// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Where a browser is sent, and what must be remembered of it.
struct Authorization {
    let url: String
    let nonce: String
    let codeVerifier: CodeVerifier?
    let scopes: Set<String>
    let tracking: LoginTracking?
    let maximumAuthenticationAge: Duration?
}

extension LoginManager {
    /// The authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
    ///
    /// - Throws: ``LoginManagerError`` with the code `request`.
    func authorization(for request: LoginRequest, state: LoginState, nonce: String? = nil) throws(LoginManagerError)
        -> Authorization
    {
        let replacements = request.replacements
        let authorization =
            switch (client.kind, request.kind) {
            case (.facebook(let app), .facebook(let configuration)):
                facebook(app, try Self.renewed(configuration, nonce: nonce), replacements, state: state)
            case (.openID(let client), .openID(let request)):
                try openID(client, request, replacements, state: state, nonce: nonce ?? Nonce.random())
            default:
                throw LoginManagerError(.request, "the request is for another kind of provider than the client")
            }
        guard authorization.url.utf8.count <= Self.urlBytes else {
            throw LoginManagerError(.request, "the URL has more than \(Self.urlBytes) bytes: ask for less at once")
        }
        return authorization
    }

    /// Web servers commonly stop at 8 KiB a request line.
    private static var urlBytes: Int { 8 * 1024 - 64 }

    /// The same with a nonce and a code verifier that no other login has.
    private static func renewed(
        _ configuration: LoginConfiguration,
        nonce: String?
    ) throws(LoginManagerError) -> LoginConfiguration {
        do throws(LoginConfigurationError) {
            return try LoginConfiguration(
                validating: configuration.requestedPermissions,
                tracking: configuration.tracking,
                nonce: nonce,
                messengerPageID: configuration.messengerPageID,
                authType: configuration.authType,
                appSwitch: configuration.appSwitch
            )
        } catch {
            throw LoginManagerError(.request, error.description)
        }
    }

    /// Facebook's dialog.
    ///
    /// Limited Login answers with the ID token at once. The classic login answers with a code, so that no token passes through the
    /// browser. What only a phone has to say (its version, its SDK, how it switches apps) is left out.
    private func facebook(
        _ app: FacebookApp,
        _ configuration: LoginConfiguration,
        _ replacements: [String: String],
        state: LoginState
    ) -> Authorization {
        let isLimited = configuration.tracking == .limited
        let scopes = Set(configuration.requestedPermissions.map(\.rawValue)).union([Permission.openID.rawValue])
        var parameters = [
            ("client_id", app.id), ("redirect_uri", redirectURL), ("state", state.text),
            ("response_type", isLimited ? "id_token" : "code"),
            // Facebook separates scopes by commas; sorted, so that one request always looks the same.
            ("scope", scopes.sorted().joined(separator: ",")),
            ("nonce", configuration.nonce), ("return_scopes", "true"),
        ]
        if isLimited {
            parameters.append(("tp", "ios_14_do_not_track"))
        } else {
            parameters += Self.challenge(configuration.codeVerifier)
        }
        if let authType = configuration.authType { parameters.append(("auth_type", authType.rawValue)) }
        if let page = configuration.messengerPageID { parameters.append(("messenger_page_id", page)) }
        let base = (isLimited ? app.endpoints.limitedDialog : app.endpoints.dialog).description
        let dialog = "\(base)\(base.hasSuffix("/") ? "" : "/")\(app.graphVersion)/dialog/oauth"
        return Authorization(
            url: Self.url(dialog, Self.replacing(replacements, in: parameters)),
            nonce: configuration.nonce,
            codeVerifier: isLimited ? nil : configuration.codeVerifier,
            scopes: scopes,
            tracking: configuration.tracking,
            maximumAuthenticationAge: nil
        )
    }

    private func openID(
        _ client: OpenIDClient,
        _ request: OpenIDRequest,
        _ replacements: [String: String],
        state: LoginState,
        nonce: String
    ) throws(LoginManagerError) -> Authorization {
        guard let endpoint = client.metadata.authorizationEndpoint else {
            throw LoginManagerError(.provider, "it names no authorization endpoint")
        }
        // No parameter may stand there twice (RFC 6749 §3.1).
        let known = FormFields(reading: endpoint.target.drop { $0 != "?" }.dropFirst().utf8)
        let names = Array(request.parameters.keys) + replacements.keys
        if let name = names.first(where: { known?.has($0) == true }) {
            throw LoginManagerError(.request, "the provider's own address has the parameter \(name) already")
        }
        let verifier = CodeVerifier()
        var parameters = [
            ("client_id", client.clientID), ("redirect_uri", redirectURL), ("state", state.text),
            ("response_type", "code"), ("scope", request.scopes.sorted().joined(separator: " ")), ("nonce", nonce),
        ]
        parameters += Self.challenge(verifier)
        if !request.prompts.isEmpty {
            parameters.append(("prompt", request.prompts.map(\.rawValue).sorted().joined(separator: " ")))
        }
        if let age = request.maximumAuthenticationAge { parameters.append(("max_age", "\(age.components.seconds)")) }
        if let hint = request.loginHint { parameters.append(("login_hint", hint)) }
        if let mode = request.responseMode { parameters.append(("response_mode", mode.rawValue)) }
        // Sorted, so that one request always looks the same.
        parameters += request.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return Authorization(
            url: Self.url(endpoint.description, Self.replacing(replacements, in: parameters)),
            nonce: nonce,
            codeVerifier: verifier,
            scopes: request.scopes,
            tracking: nil,
            maximumAuthenticationAge: request.maximumAuthenticationAge
        )
    }

    /// The parameters without those that are replaced, and the replacements behind them: no parameter stands there twice.
    private static func replacing(
        _ replacements: [String: String],
        in parameters: [(String, String)]
    ) -> [(String, String)] {
        let kept = parameters.filter { replacements[$0.0] == nil }
        // Sorted, so that one request always looks the same.
        return kept + replacements.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// RFC 7636 §4.3; always S256, since `plain` shows the verifier to whoever sees the request.
    private static func challenge(_ verifier: CodeVerifier) -> [(String, String)] {
        [("code_challenge", verifier.challenge), ("code_challenge_method", "S256")]
    }

    /// An endpoint may have a query of its own, which stays (RFC 6749 §3.1).
    private static func url(_ endpoint: String, _ parameters: [(String, String)]) -> String {
        let query = FormFields(parameters.map { (name: $0.0, value: $0.1) }).encoded
        guard endpoint.contains("?") else { return "\(endpoint)?\(query)" }
        return endpoint.hasSuffix("?") || endpoint.hasSuffix("&") ? endpoint + query : "\(endpoint)&\(query)"
    }
}
