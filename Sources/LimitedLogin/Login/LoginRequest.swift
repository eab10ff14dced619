// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// What one login asks of the provider and of the person.
///
/// It serves any number of logins: nonce, state and code verifier are made anew for each, and are no part of it.
public struct LoginRequest: Sendable {
    enum Kind: Sendable {
        case facebook(LoginConfiguration)
        case openID(OpenIDRequest)
    }

    let kind: Kind

    /// A login at Facebook.
    ///
    /// - Parameters:
    ///   - permissions: What the person is asked for, as in a ``LoginConfiguration``. `openid` is asked for unasked.
    ///   - tracking: Whether Facebook may use the login for advertising. It has no default: without tracking you get an ID token,
    ///     with tracking an access token too.
    ///   - authType: What a person who has logged in before is asked again.
    ///   - messengerPageID: The page that the person is asked to write to by Messenger; at most 256 bytes.
    /// - Returns: The request.
    /// - Throws: ``LoginConfigurationError``
    public static func facebook(
        permissions: Set<Permission> = [],
        tracking: LoginTracking,
        authType: LoginAuthType? = .rerequest,
        messengerPageID: String? = nil
    ) throws(LoginConfigurationError) -> Self {
        let configuration = try LoginConfiguration(
            validating: permissions,
            tracking: tracking,
            messengerPageID: messengerPageID,
            authType: authType
        )
        return Self(kind: .facebook(configuration))
    }

    /// A further login at Facebook, for what the person declined before.
    ///
    /// Facebook's dialog passes over what was declined, unless it is told to ask again. Tell the person first why you ask.
    ///
    /// - Parameters:
    ///   - permissions: What was declined, for example ``LoginSuccess/declinedPermissions``.
    ///   - tracking: Whether Facebook may use the login for advertising.
    /// - Returns: The request.
    /// - Throws: ``LoginConfigurationError``
    public static func rerequesting(
        _ permissions: Set<Permission>,
        tracking: LoginTracking
    ) throws(LoginConfigurationError) -> Self {
        try facebook(permissions: permissions, tracking: tracking, authType: .rerequest)
    }

    /// What an OpenID provider may be told to do with the person (OpenID Connect Core §3.1.2.1).
    public enum Prompt: String, Sendable, Hashable, CaseIterable {
        /// To have the person log in, though they are logged in there.
        case login
        /// To ask the person for consent, though they gave it before.
        case consent
        /// To have the person choose an account.
        case selectAccount = "select_account"
    }

    /// A login at an OpenID provider.
    ///
    /// - Parameters:
    ///   - scopes: What is asked for: at most 64, of at most 256 bytes each. `openid` is asked for unasked.
    ///   - prompts: What the provider is told to do with the person.
    ///   - maximumAuthenticationAge: How long ago the person may have been authenticated there, in whole seconds, zero or more; nil not
    ///     to ask. The token must then say when that was.
    ///   - loginHint: Who probably logs in, as an address; at most 256 bytes. The provider need not heed it.
    /// - Returns: The request.
    /// - Throws: ``LoginManagerError`` with the code `request`.
    public static func openID(
        scopes: Set<String> = [],
        prompts: Set<Prompt> = [],
        maximumAuthenticationAge: Duration? = nil,
        loginHint: String? = nil
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
        return Self(
            kind: .openID(
                OpenIDRequest(
                    scopes: scopes.union(["openid"]),
                    prompts: prompts,
                    maximumAuthenticationAge: maximumAuthenticationAge,
                    loginHint: loginHint
                )
            )
        )
    }

    /// The length of a scope, or of a hint.
    private static let textBytes = 256

    /// RFC 6749 §3.3.
    private static func isScope(_ text: String) -> Bool {
        (1...textBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}

/// What one login asks of an OpenID provider.
struct OpenIDRequest: Sendable {
    let scopes: Set<String>
    let prompts: Set<LoginRequest.Prompt>
    let maximumAuthenticationAge: Duration?
    let loginHint: String?
}

extension LoginRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// At whose door, without anything about the person.
    public var description: String {
        switch kind {
        case .facebook(let configuration): "login at Facebook, tracking \(configuration.tracking.rawValue)"
        case .openID: "login at an OpenID provider"
        }
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show whose address was given as a hint.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
