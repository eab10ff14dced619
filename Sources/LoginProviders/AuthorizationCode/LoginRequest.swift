// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The scopes and parameters of an authorization request.
///
/// One value serves any number of logins: nonce, state and code verifier are generated for each.
public struct LoginRequest: Sendable {
    /// The provider-specific content of the request.
    package let content: any LoginRequestContent

    /// The way in which the provider returns its response; nil for its default, which is the query.
    package var responseMode: ResponseMode?

    /// The parameters that are added to the authorization request, or replace its own.
    private(set) var replacements: [String: String] = [:]

    /// Creates a request.
    package init(content: some LoginRequestContent, responseMode: ResponseMode? = nil) {
        self.content = content
        self.responseMode = responseMode
    }

    /// The interaction with the user that an OpenID provider is asked for (`prompt`, OpenID Connect Core §3.1.2.1).
    public enum Prompt: String, Sendable, Hashable, CaseIterable {
        /// No interaction.
        ///
        /// The provider responds with an error if one is necessary.
        ///
        /// The errors (`login_required`, `interaction_required`, `consent_required` and others) fail the login as
        /// ``LoginFailure/Code/providerError``. Begin another login without this prompt. It cannot be combined with
        /// others.
        case none
        /// A login, even if the user is logged in at the provider.
        case login
        /// A request for consent, even if the user gave it before.
        case consent
        /// A choice of the account.
        case selectAccount = "select_account"
    }

    /// The response mode of an authorization request (OAuth 2.0 Multiple Response Type Encoding Practices §2.1).
    public enum ResponseMode: String, Sendable, Hashable, CaseIterable {
        /// Parameters in the query of the redirect URI.
        case query
        /// Parameters in the fragment of the redirect URI, as in a Limited Login at Facebook.
        ///
        /// Browsers do not send it to servers. A page at the redirect URI must post it.
        case fragment
        /// A form that the browser posts.
        ///
        /// Apple requires it for requests for a name or an e-mail address.
        ///
        /// Read it with ``LoginCallback/init(form:)``. The request is cross-site, so the cookie of the attempt must be
        /// `SameSite=None`.
        case formPost = "form_post"
    }

    /// Returns a request for an OpenID provider.
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes: at most 64, of at most 256 bytes each. `openid` is added.
    ///   - prompts: The interaction with the user (`prompt`).
    ///   - maximumAuthenticationAge: The maximum age of the user's authentication at the provider, in whole seconds,
    ///     0 to 2³¹ − 1 (`max_age`), which requires `auth_time` in the ID token; nil for any.
    ///   - loginHint: The user who is expected to log in, for example as an e-mail address, 1 to 256 bytes
    ///     (`login_hint`). The provider may ignore it.
    ///   - responseMode: The response mode; nil for the provider's default, which is the query for a code.
    ///   - parameters: Further parameters, for example `hd` and `access_type` at Google, or `acr_values` and
    ///     `ui_locales`: at most 32, with names of 1 to 64 letters, digits, hyphens, dots and underscores, and values
    ///     of 1 to 2,048 bytes. Parameters that the library sends, that have an argument here, or that the
    ///     authorization endpoint has already are refused.
    /// - Returns: The request.
    /// - Throws: ``LoginManagerError`` with the code `request`.
    public static func openID(
        scopes: Set<String> = [],
        prompts: Set<Prompt> = [],
        maximumAuthenticationAge: Duration? = nil,
        loginHint: String? = nil,
        responseMode: ResponseMode? = nil,
        parameters: [String: String] = [:]
    ) throws(LoginManagerError) -> Self {
        guard scopes.count <= Limits.requestedPermissions, scopes.allSatisfy(isScope) else {
            let detail =
                "a scope must have 1 to \(textBytes) printable characters, without spaces, quotation marks and backslashes"
            throw LoginManagerError(.request, "\(detail); at most \(Limits.requestedPermissions) scopes are allowed")
        }
        // A longer duration does not fit the parameter.
        let ages = Duration.zero...Duration.seconds(Int64(Int32.max))
        if let age = maximumAuthenticationAge, !ages.contains(age) || age.components.attoseconds != 0 {
            throw LoginManagerError(.request, "the maximum authentication age must be 0 to 2^31 - 1 whole seconds")
        }
        guard loginHint.map({ (1...textBytes).contains($0.utf8.count) }) ?? true else {
            throw LoginManagerError(.request, "a login hint must have 1 to \(textBytes) bytes")
        }
        // `none` beside another prompt is an error (OpenID Connect Core §3.1.2.1).
        guard prompts.count <= 1 || !prompts.contains(.none) else {
            throw LoginManagerError(.request, "the prompt none cannot be combined with another")
        }
        try check(parameters)
        return Self(
            content: OpenIDRequest(
                scopes: scopes.union(["openid"]),
                prompts: prompts,
                maximumAuthenticationAge: maximumAuthenticationAge,
                loginHint: loginHint,
                parameters: parameters
            ),
            responseMode: responseMode
        )
    }

    /// Returns this request for a reauthentication of the user.
    ///
    /// The parameters are those that the provider documents: `Provider.reauthentication`. The caller must check that
    /// the provider followed them, by `auth_time` if the token has it. `Session.reauthenticate` of LoginAccounts does
    /// that.
    ///
    /// - Parameters:
    ///   - provider: The provider that the request is sent to.
    ///   - age: The maximum age of the last authentication, sent as `max_age` in whole seconds.
    /// - Returns: The request.
    /// - Throws: ``LoginManagerError`` with the code `request` if `Provider.reauthentication` names a parameter that
    ///   the library sends itself.
    public func reauthenticating(
        at provider: Provider,
        within age: Duration = .seconds(300)
    ) throws(LoginManagerError) -> Self {
        var parameters = provider.reauthentication.parameters
        let prompt = parameters.removeValue(forKey: "prompt")
        try Self.check(parameters)
        var request = authenticating(at: provider, within: age)
        request.replacements.merge(parameters) { _, new in new }
        if let prompt { request.replacements["prompt"] = prompt }
        return request
    }

    /// Returns this request with a maximum age of the user's authentication at the provider.
    ///
    /// Unlike ``reauthenticating(at:within:)``, it lets the provider respond without interaction if the authentication
    /// is recent enough.
    ///
    /// - Parameters:
    ///   - provider: The provider that the request is sent to. Nothing is added if it does not support `max_age`.
    ///   - age: The maximum age, sent as `max_age` in whole seconds.
    /// - Returns: The request.
    package func authenticating(at provider: Provider, within age: Duration) -> Self {
        guard provider.reauthentication.sendsMaximumAge, let openID = content as? OpenIDRequest else { return self }
        let longest = min(max(age, .zero), .seconds(Int64(Int32.max)))
        var request = self
        let seconds = min(longest, openID.maximumAuthenticationAge ?? longest).components.seconds
        request.replacements["max_age"] = "\(seconds)"
        return request
    }

    /// The maximum length of a scope or a login hint.
    private static let textBytes = 256

    /// The parameters that the library sends, and those that replace the request (`request`, `request_uri`).
    private static let ownParameters: Set = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "login_hint", "request", "request_uri",
    ]

    /// The maximum number of further parameters, and the maximum length of their names.
    private static let (parameterCount, nameBytes) = (32, 64)

    private static func check(_ parameters: [String: String]) throws(LoginManagerError) {
        guard parameters.count <= parameterCount else {
            throw LoginManagerError(.request, "more than \(parameterCount) additional parameters")
        }
        for (name, value) in parameters {
            guard isParameterName(name) else {
                throw LoginManagerError(.request, "\(quoted(name)) is not a valid parameter name")
            }
            guard !ownParameters.contains(name) else {
                throw LoginManagerError(.request, "\(name) is reserved for the library")
            }
            guard (1...Limits.urlBytes).contains(value.utf8.count) else {
                throw LoginManagerError(.request, "the value of \(name) must have 1 to \(Limits.urlBytes) bytes")
            }
        }
    }

    /// Returns whether a text is a parameter name (RFC 6749 §8.2).
    private static func isParameterName(_ text: String) -> Bool {
        (1...nameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "-._".utf8.contains($0)
            }
    }

    /// Returns whether a text is a scope (RFC 6749 §3.3).
    private static func isScope(_ text: String) -> Bool {
        (1...textBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}

/// The provider-specific content of a request.
package protocol LoginRequestContent: Sendable, CustomStringConvertible {}

extension LoginRequest {
    /// A request for the user's name and e-mail address.
    static let profile = Self(content: OpenIDRequest(scopes: ["openid", "email", "profile"]))

    /// A request for the user's name and e-mail address at Apple, with Apple's scopes.
    ///
    /// Apple requires the posted form for them.
    static let appleProfile = Self(
        content: OpenIDRequest(scopes: ["openid", "email", "name"]),
        responseMode: .formPost
    )
}

/// A request for an OpenID provider.
struct OpenIDRequest: LoginRequestContent {
    let scopes: Set<String>
    var prompts: Set<LoginRequest.Prompt> = []
    var maximumAuthenticationAge: Duration?
    var loginHint: String?
    var parameters: [String: String] = [:]

    var description: String { "login at an OpenID provider" }
}

extension LoginRequest: Redacted {
    /// The kind of provider, without anything about the user.
    public var description: String { content.description }
}
