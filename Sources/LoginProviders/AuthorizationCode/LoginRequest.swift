// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The scopes and parameters of an authorization request.
///
/// One value serves any number of logins: nonce, state and code verifier are generated for each.
public struct LoginRequest: Sendable {
    /// The request, as the flow of its provider reads it.
    package let content: any LoginRequestContent

    /// Whether the provider has the browser post a form: its cookie must be `SameSite=None`.
    package var postsForm: Bool

    /// The parameters that are added to the authorization request, or replace those that it has.
    private(set) var replacements: [String: String] = [:]

    /// Creates a request.
    package init(content: some LoginRequestContent) {
        self.content = content
        postsForm = (content as? OpenIDRequest)?.responseMode == .formPost
    }

    /// What an OpenID provider may be told to do with the person (OpenID Connect Core §3.1.2.1).
    public enum Prompt: String, Sendable, Hashable, CaseIterable {
        /// To show the person nothing, and to answer with an error where that does not do.
        ///
        /// The errors (`login_required`, `interaction_required`, `consent_required` and the like) end the login as
        /// ``LoginFailure/Code/providerError``: begin another one without this. It goes with no other prompt.
        case none
        /// To have the person log in, though they are logged in there.
        case login
        /// To ask the person for consent, though they gave it before.
        case consent
        /// To have the person choose an account.
        case selectAccount = "select_account"
    }

    /// How the browser brings the answer back (OAuth 2.0 Multiple Response Type Encoding Practices §2.1).
    public enum ResponseMode: String, Sendable, Hashable, CaseIterable {
        /// In the address, by a GET.
        case query
        /// In a form that the browser posts, as Apple wants it where a name or an address is asked for.
        ///
        /// Read it by ``LoginCallback/init(form:)``. The post comes from the provider's site, so that the cookie of the login has to be
        /// `SameSite=None`.
        case formPost = "form_post"
    }

    /// A login at an OpenID provider.
    ///
    /// - Parameters:
    ///   - scopes: What is asked for: at most 64, of at most 256 bytes each. `openid` is asked for unasked.
    ///   - prompts: What the provider is told to do with the person.
    ///   - maximumAuthenticationAge: How long ago the person may have been authenticated there, in whole seconds, zero or more; nil not
    ///     to ask. The token must then say when that was.
    ///   - loginHint: Who probably logs in, as an address; at most 256 bytes. The provider need not heed it.
    ///   - responseMode: How the browser brings the answer back; nil for the provider's own way, which for a code is the address.
    ///   - parameters: What else the provider is told, for example `hd` and `access_type` at Google, or `acr_values` and `ui_locales`:
    ///     at most 32, their names of 1 to 64 letters, digits, hyphens, dots and underscores, their values of 1 to 2,048 bytes. None
    ///     that this library sends itself or has an argument for, nor one that the provider's address has already.
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
                "a scope is 1 to \(textBytes) printable characters without spaces, quotation marks and backslashes"
            throw LoginManagerError(.request, "\(detail), and there are \(Limits.requestedPermissions) at most")
        }
        // Of a longer duration the seconds cannot be asked for.
        let ages = Duration.zero...Duration.seconds(Int64(Int32.max))
        if let age = maximumAuthenticationAge, !ages.contains(age) || age.components.attoseconds != 0 {
            throw LoginManagerError(.request, "the age of an authentication is in whole seconds, zero to 2^31 - 1")
        }
        guard loginHint.map({ (1...textBytes).contains($0.utf8.count) }) ?? true else {
            throw LoginManagerError(.request, "a hint has 1 to \(textBytes) bytes")
        }
        // OpenID Connect Core §3.1.2.1: to show nothing, and to show something, makes no sense to a provider.
        guard prompts.count <= 1 || !prompts.contains(.none) else {
            throw LoginManagerError(.request, "the prompt none goes with no other")
        }
        try check(parameters)
        return Self(
            content: OpenIDRequest(
                scopes: scopes.union(["openid"]),
                prompts: prompts,
                maximumAuthenticationAge: maximumAuthenticationAge,
                loginHint: loginHint,
                responseMode: responseMode,
                parameters: parameters
            )
        )
    }

    /// Returns this request for a user who has to be authenticated again.
    ///
    /// The parameters are those that the provider documents: `Provider.reauthentication`. That the provider has followed
    /// them is for the caller to check, by `auth_time` where the token has it; `Session.reauthenticate` of LoginAccounts does.
    ///
    /// - Parameters:
    ///   - provider: The provider that the request is sent to.
    ///   - age: The maximum age of the last authentication, sent as `max_age` in whole seconds.
    /// - Returns: The request.
    /// - Throws: ``LoginManagerError`` with the code `request` where `Provider.reauthentication` names a parameter that
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

    /// Returns this request for a user whose last authentication at the provider may not be older.
    ///
    /// Unlike ``reauthenticating(at:within:)`` it lets the provider answer without asking the user where that is recent enough.
    ///
    /// - Parameters:
    ///   - provider: The provider that the request is sent to. Nothing is added for one that does not know `max_age`.
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

    /// The length of a scope, or of a hint.
    private static let textBytes = 256

    /// What the request says by itself, or what would have the provider read another request than it.
    private static let ownParameters: Set = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "login_hint", "request", "request_uri",
    ]

    /// How many further parameters there may be, and how long their names.
    private static let (parameterCount, nameBytes) = (32, 64)

    private static func check(_ parameters: [String: String]) throws(LoginManagerError) {
        guard parameters.count <= parameterCount else {
            throw LoginManagerError(.request, "there are more than \(parameterCount) further parameters")
        }
        for (name, value) in parameters {
            guard isParameterName(name) else {
                throw LoginManagerError(.request, "no parameter has the name \(quoted(name))")
            }
            guard !ownParameters.contains(name) else {
                throw LoginManagerError(.request, "\(name) is sent by the library, or not at all")
            }
            guard (1...Limits.urlBytes).contains(value.utf8.count) else {
                throw LoginManagerError(.request, "the value of \(name) has not 1 to \(Limits.urlBytes) bytes")
            }
        }
    }

    /// RFC 6749 §8.2.
    private static func isParameterName(_ text: String) -> Bool {
        (1...nameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || "-._".utf8.contains($0)
            }
    }

    /// RFC 6749 §3.3.
    private static func isScope(_ text: String) -> Bool {
        (1...textBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}

/// The request for one kind of provider.
package protocol LoginRequestContent: Sendable, CustomStringConvertible {}

extension LoginRequest {
    /// A request for the user's name and e-mail address.
    static let profile = Self(content: OpenIDRequest(scopes: ["openid", "email", "profile"]))

    /// The same for Apple, which has scopes of its own and posts a form where they are asked for.
    static let appleProfile = Self(
        content: OpenIDRequest(scopes: ["openid", "email", "name"], responseMode: .formPost)
    )

}

/// A request for an OpenID provider.
struct OpenIDRequest: LoginRequestContent {
    let scopes: Set<String>
    var prompts: Set<LoginRequest.Prompt> = []
    var maximumAuthenticationAge: Duration?
    var loginHint: String?
    var responseMode: LoginRequest.ResponseMode?
    var parameters: [String: String] = [:]

    var description: String { "login at an OpenID provider" }
}

extension LoginRequest: Redacted {
    /// The kind of provider, without anything about the user.
    public var description: String { content.description }
}
