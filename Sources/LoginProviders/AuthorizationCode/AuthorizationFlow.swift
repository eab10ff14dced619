// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
package import LoginTokens

/// The part of a browser login that depends on the provider: the authorization request, and what is done with the answer.
///
/// ``OpenIDClient`` is the authorization code flow of OpenID Connect Core §3.1. A provider that differs has a flow of its own.
/// ``LoginManager`` keeps the attempt, and checks everything that is the same at all providers before a flow sees an answer.
package protocol AuthorizationFlow: Sendable {
    /// The client registration, as attempts name it: the answer of one provider is never sent to another (RFC 9700 §4.4).
    var clientName: String { get }

    /// Whether an answer without an issuer is refused (RFC 9207 §2.4).
    var mustNameIssuer: Bool { get }

    /// Whether an answer that names this issuer is the provider's.
    func isIssuer(_ issuer: String) -> Bool

    /// The origins of the provider's dialogs, for example `https://accounts.example.com`: pages allow forms to lead there.
    var origins: [String] { get }

    /// Checks that the provider and the client can do what the flow needs.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client` or `provider`.
    func check() throws(LoginManagerError)

    /// Returns the authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
    ///
    /// - Parameters:
    ///   - request: The request of the caller.
    ///   - parts: What each request of the flow has.
    /// - Returns: The request.
    /// - Throws: ``LoginManagerError`` with the code `request` or `provider`.
    func authorization(for request: LoginRequest, _ parts: AuthorizationParts) throws(LoginManagerError)
        -> Authorization

    /// Obtains and verifies the tokens of a successful answer.
    ///
    /// - Parameter answer: The answer, whose attempt and issuer were checked.
    /// - Returns: The result of the login.
    /// - Throws: ``LoginFailure``
    func finish(_ answer: AuthorizationAnswer) async throws(LoginFailure) -> LoginSuccess
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
    /// The parameters that are added to the request, or replace those that it has.
    package let replacements: [String: String]
}

/// An authorization request, and what its attempt must keep.
package struct Authorization: Sendable {
    /// The URL for the browser.
    package let url: String
    /// The requested scopes or permissions.
    package let scopes: Set<String>
    /// The variant of the flow that the request belongs to; nil where the flow has one.
    package let variant: String?
    /// The maximum age of the user's authentication, as it was asked for; nil for any.
    package let maximumAuthenticationAge: Duration?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - endpoint: The authorization endpoint. It may have a query, which stays (RFC 6749 §3.1).
    ///   - parameters: The parameters of the request.
    ///   - replacements: The parameters that are added, or replace those: no parameter stands in the request twice.
    ///   - scopes: The requested scopes or permissions.
    ///   - variant: The variant of the flow; nil where the flow has one.
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
        // Sorted, so that equal requests are equal texts.
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

/// A successful answer of a provider, with the attempt that it belongs to.
package struct AuthorizationAnswer: Sendable {
    /// What the attempt keeps.
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

    /// Verifies the ID token of the login, and that it is about the user who had to log in.
    ///
    /// - Parameters:
    ///   - idToken: The ID token.
    ///   - accessToken: The access token that came with it, for `at_hash`.
    ///   - code: The authorization code that it came for, for `c_hash`.
    /// - Returns: The verified token.
    /// - Throws: ``LoginFailure``: `token`, `unavailable`, `user-mismatch`.
    package func verified(
        _ idToken: String,
        accessToken: String? = nil,
        code: String? = nil
    ) async throws(LoginFailure) -> VerifiedToken {
        let token: VerifiedToken
        do throws(VerificationError) {
            token = try await verifier.verify(
                idToken,
                nonce: .exactly(secret.browserNonce),
                accessToken: accessToken.map { .ifPresent($0) },
                code: code.map { .ifPresent($0) }
            )
        } catch {
            switch error {
            case .refused(let refusal): throw LoginFailure(refusal)
            case .undecided(let unavailable): throw LoginFailure(.unavailable, unavailable.description)
            }
        }
        guard attempt.expectedUser.map({ isEqual($0, token.subject) }) ?? true else {
            throw LoginFailure(.userMismatch, "the token is about somebody else than had to log in")
        }
        guard parameters["user_id"].map({ isEqual($0, token.subject) }) ?? true else {
            throw LoginFailure(.userMismatch, "the browser names somebody else than the token (user_id)")
        }
        return token
    }

    /// Returns the result of the login.
    ///
    /// - Parameters:
    ///   - token: The verified ID token.
    ///   - idToken: The ID token as it was received.
    ///   - permissions: The permissions as the answer shows them.
    ///   - tokens: The provider's other tokens.
    ///   - details: What the flow of the provider knows beyond that.
    /// - Returns: The result.
    package func success(
        _ token: VerifiedToken,
        idToken: String,
        permissions: (PermissionStatuses, PermissionSource)? = nil,
        tokens: ProviderTokens? = nil,
        details: (any Sendable)? = nil
    ) -> LoginSuccess {
        let identity = VerifiedIdentity(
            providerID: provider,
            token: token,
            permissions: permissions?.0,
            permissionSource: permissions?.1,
            providerTokens: tokens,
            details: details,
            attempt: secret
        )
        return LoginSuccess(identity: identity, idToken: idToken, returnTo: attempt.returnTo)
    }
}
