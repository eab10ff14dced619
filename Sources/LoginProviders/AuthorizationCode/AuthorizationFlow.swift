// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
package import LoginTokens

/// The provider-specific part of a browser login: the authorization request, and the handling of the authorization
/// response.
///
/// ``OpenIDClient`` is the authorization code flow of OpenID Connect Core §3.1. A provider that differs has its own
/// flow. ``LoginManager`` stores the attempt, and makes the checks common to all providers before it calls a flow.
package protocol AuthorizationFlow: Sendable {
    /// The client registration, as attempts name it.
    ///
    /// It keeps the code of one provider from another (RFC 9700 §4.4).
    var clientName: String { get }

    /// Whether a response without an issuer is refused (RFC 9207 §2.4).
    var mustNameIssuer: Bool { get }

    /// Returns whether this issuer identifies the provider.
    func isIssuer(_ issuer: String) -> Bool

    /// The origins of the provider's dialogs, for example `https://accounts.example.com`, for the pages' `form-action`.
    var origins: [String] { get }

    /// Checks that provider and client support the flow.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client` or `provider`.
    func check() throws(LoginManagerError)

    /// Returns the authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
    ///
    /// - Parameters:
    ///   - request: The request of the caller.
    ///   - parts: The parameters common to all authorization requests.
    /// - Returns: The request.
    /// - Throws: ``LoginManagerError`` with the code `request` or `provider`.
    func authorization(for request: LoginRequest, _ parts: AuthorizationParts) throws(LoginManagerError)
        -> Authorization

    /// Obtains and verifies the tokens of a successful response.
    ///
    /// - Parameter response: The response. Its attempt and issuer have been checked.
    /// - Returns: The result of the login.
    /// - Throws: ``LoginFailure``
    func finish(_ response: AuthorizationResponse) async throws(LoginFailure) -> LoginSuccess
}

extension AuthorizationFlow {
    /// Checks nothing.
    package func check() throws(LoginManagerError) {}
}

/// The parameters common to all authorization requests.
package struct AuthorizationParts: Sendable {
    /// The redirect URI.
    package let redirectURL: String
    /// The value of the parameter `state`.
    package let state: String
    /// The nonce that the ID token must have.
    package let nonce: String
    /// The code verifier, for a flow with a code.
    package let codeVerifier: CodeVerifier
    /// The parameters that are added to the request, or replace its own.
    package let replacements: [String: String]
}

/// An authorization request, and the values that its attempt must store.
package struct Authorization: Sendable {
    /// The URL for the browser.
    package let url: String
    /// The requested scopes or permissions.
    package let scopes: Set<String>
    /// The variant of the flow; nil for a flow with one variant.
    package let variant: String?
    /// The requested maximum age of the user's authentication; nil for any.
    package let maximumAuthenticationAge: Duration?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - endpoint: The authorization endpoint. Its query, if any, is retained (RFC 6749 §3.1).
    ///   - parameters: The parameters of the request.
    ///   - replacements: The parameters that are added, or replace those of the same name. No parameter is sent twice.
    ///   - scopes: The requested scopes or permissions.
    ///   - variant: The variant of the flow; nil for a flow with one variant.
    ///   - maximumAuthenticationAge: The maximum age of the user's authentication; nil for any.
    package init(
        endpoint: String,
        parameters: [(String, String)],
        replacements: [String: String],
        scopes: Set<String>,
        variant: String? = nil,
        maximumAuthenticationAge: Duration? = nil
    ) {
        let kept = parameters.filter { replacements[$0.0] == nil }
        // Sorted, so that equal requests have equal URLs.
        let all = kept + replacements.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let query = FormFields(all.map { (name: $0.0, value: $0.1) }).encoded
        url =
            if !endpoint.contains("?") {
                "\(endpoint)?\(query)"
            } else {
                endpoint.hasSuffix("?") || endpoint.hasSuffix("&") ? endpoint + query : "\(endpoint)&\(query)"
            }
        self.scopes = scopes
        self.variant = variant
        self.maximumAuthenticationAge = maximumAuthenticationAge
    }
}

/// A successful authorization response, with its attempt.
package struct AuthorizationResponse: Sendable {
    /// The decrypted content of the attempt.
    package let attempt: AttemptContent
    /// The code verifier of the attempt, for a flow with a code.
    package let codeVerifier: CodeVerifier
    /// The parameters of the callback.
    package let parameters: CallbackParameters
    /// The transport for requests to the provider.
    package let transport: any HTTPTransport
    /// The clock for expiry checks.
    package let clock: any WallClock

    let provider: ProviderID
    let secret: AttemptSecret
    let verifier: TokenVerifier

    /// Verifies the ID token of the login, and that its subject is the expected one.
    ///
    /// - Parameters:
    ///   - idToken: The ID token.
    ///   - nonce: Whether the token must have the nonce of the attempt. A nonce that it has is compared in any case.
    ///   - accessToken: The access token issued with it, for `at_hash`.
    ///   - code: The authorization code, for `c_hash`.
    /// - Returns: The verified token.
    /// - Throws: ``LoginFailure``: `token`, `unavailable`, `user-mismatch`.
    package func verified(
        _ idToken: String,
        nonce: SignInProvider.BrowserNonce = .required,
        accessToken: String? = nil,
        code: String? = nil
    ) async throws(LoginFailure) -> VerifiedToken {
        let token: VerifiedToken
        do throws(VerificationError) {
            token = try await verifier.verify(
                idToken,
                nonce: nonce == .required ? .exactly(secret.browserNonce) : .ifPresent(secret.browserNonce),
                accessToken: accessToken.map { .ifPresent($0) },
                code: code.map { .ifPresent($0) }
            )
        } catch {
            switch error {
            case .refused(let refusal): throw LoginFailure(refusal)
            case .undecided(let unavailable): throw LoginFailure(.unavailable, unavailable.description)
            }
        }
        guard attempt.expectedUser.map({ isEqual($0, token.storedSubject) }) ?? true else {
            throw LoginFailure(.userMismatch, "the subject of the ID token is not the expected user")
        }
        guard parameters["user_id"].map({ isEqual($0, token.subject) }) ?? true else {
            throw LoginFailure(.userMismatch, "user_id in the callback is not the subject of the ID token")
        }
        return token
    }

    /// Returns the result of the login.
    ///
    /// - Parameters:
    ///   - token: The verified ID token.
    ///   - claims: Its claims, completed by the UserInfo endpoint; nil for its own.
    ///   - idToken: The ID token as it was received.
    ///   - permissions: The permissions as the response shows them.
    ///   - tokens: The provider's other tokens.
    ///   - details: Provider-specific details.
    /// - Returns: The result.
    package func success(
        _ token: VerifiedToken,
        claims: Claims? = nil,
        idToken: String,
        permissions: (PermissionStatuses, PermissionSource)? = nil,
        tokens: ProviderTokens? = nil,
        details: (any Sendable)? = nil
    ) -> LoginSuccess {
        let identity = VerifiedIdentity(
            providerID: provider,
            token: token,
            claims: claims,
            permissions: permissions?.0,
            permissionSource: permissions?.1,
            requestedPermissions: Set(attempt.scopes.map(Permission.init(rawValue:))),
            providerTokens: tokens,
            details: details,
            attempt: secret
        )
        return LoginSuccess(identity: identity, idToken: idToken, returnTo: attempt.returnTo)
    }
}
