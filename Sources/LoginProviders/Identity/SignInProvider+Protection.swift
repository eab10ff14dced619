// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

extension SignInProvider {
    /// The form of the nonce that an app passes to the provider.
    ///
    /// A browser login always passes the nonce itself.
    public enum AppNonce: String, Sendable, Hashable, CaseIterable {
        /// The nonce.
        case plain
        /// The SHA-256 of the nonce, in lower-case hexadecimal.
        case sha256
        /// No nonce: the ID tokens have none, and one that has is refused.
        ///
        /// A token is accepted once, and at most five minutes after it was issued. Its hash is kept until it expires,
        /// and for the leeway. Nothing ties it to the attempt: whoever obtains a token before the app sends it can sign
        /// in with it.
        case absent
    }

    /// Whether ID tokens of browser logins must have the nonce.
    ///
    /// The authorization request has a nonce in any case, and a nonce in the token is compared with it.
    public enum BrowserNonce: String, Sendable, Hashable, CaseIterable {
        /// They must (OpenID Connect Core §3.1.3.7, step 11).
        case required
        /// They may have none, as at LinkedIn.
        ///
        /// PKCE then protects the login alone, so the metadata must list `S256`, or ``CodeInjection/unprotected`` be named.
        /// It is refused for a public client, and for a response in the fragment.
        case absent
    }

    /// Whether browser logins use PKCE with the method `S256` (RFC 7636).
    public enum PKCE: String, Sendable, Hashable, CaseIterable {
        /// They do, whatever the discovery document says.
        case required
        /// They do not, for a provider that refuses the parameters.
        ///
        /// The nonce then protects the login alone. It is refused for a public client.
        case off
    }

    /// Whether browser logins are protected from codes of other logins (RFC 9700 §4.5).
    public enum CodeInjection: String, Sendable, Hashable, CaseIterable {
        /// They are, by PKCE or by the nonce.
        case protected
        /// They are not: ``BrowserNonce/absent`` requires this admission together with ``PKCE/off``, and at a provider
        /// whose metadata does not list `S256`.
        ///
        /// Whoever steals a code from a victim's response can put it into a login of their own, and is signed in as the
        /// victim.
        case unprotected
    }

    /// The use of the UserInfo endpoint in browser logins (OpenID Connect Core §5.3).
    public enum UserInfo: String, Sendable, Hashable, CaseIterable {
        /// It is never asked.
        case off
        /// It is asked for the name and the e-mail address that an ID token lacks.
        ///
        /// The access token is that of the same code. A response about another subject is refused, and without a
        /// response there is no login. An e-mail address is taken together with its `email_verified`, and only if the ID
        /// token has neither; ``SignInProvider/emailTrust`` applies.
        case used
    }

    /// A setting that ``checkSettings()`` refuses, by its name in the configuration of the service.
    public enum Setting: String, Sendable, Hashable, CaseIterable {
        /// ``SignInProvider/appNonce``
        case appNonce = "app-nonce"
        /// ``SignInProvider/browserNonce``
        case nonce
        /// ``SignInProvider/pkce``
        case pkce
        /// ``SignInProvider/codeInjection``
        case codeInjection = "code-injection"
        /// ``SignInProvider/userInfo``
        case userInfo = "user-info"
    }

    /// Checks the settings that weaken browser logins, and those that have no effect at this provider.
    ///
    /// ``SignInProviders`` checks them too.
    ///
    /// - Throws: ``LoginManagerError`` with the code `client` and the setting.
    public func checkSettings() throws(LoginManagerError) {
        if ownFlow != nil {
            guard appNonce != .absent else {
                throw LoginManagerError(
                    .client,
                    setting: .appNonce,
                    "absent is refused where tokens always have the nonce"
                )
            }
            if let setting = changedSettings.first {
                throw LoginManagerError(.client, setting: setting, "it has no effect at a provider with its own login")
            }
        } else {
            try protection.check(isPublic: authentication.isPublic, responseMode: request.responseMode)
        }
    }

    /// The protection of browser logins.
    var protection: LoginProtection {
        LoginProtection(nonce: browserNonce, pkce: pkce, codeInjection: codeInjection)
    }

    /// The settings that are not the default.
    private var changedSettings: [Setting] {
        var settings: [Setting] = []
        if browserNonce != .required { settings.append(.nonce) }
        if pkce != .required { settings.append(.pkce) }
        if codeInjection != .protected { settings.append(.codeInjection) }
        if userInfo != .off { settings.append(.userInfo) }
        return settings
    }
}

/// The protection of browser logins from the codes and ID tokens of other logins.
///
/// PKCE binds the code to the browser that began the login, and the nonce the ID token (RFC 9700 §2.1.1, §4.5.3).
struct LoginProtection: Sendable, Hashable {
    var nonce = SignInProvider.BrowserNonce.required
    var pkce = SignInProvider.PKCE.required
    var codeInjection = SignInProvider.CodeInjection.protected

    /// Checks that a login remains protected, or that the lack of protection is named.
    ///
    /// - Parameters:
    ///   - isPublic: Whether the client does not authenticate at the token endpoint.
    ///   - responseMode: The response mode of the authorization request; nil for the query.
    /// - Throws: ``LoginManagerError`` with the code `client` and the setting.
    func check(isPublic: Bool, responseMode: LoginRequest.ResponseMode?) throws(LoginManagerError) {
        if nonce == .absent {
            guard !isPublic else {
                throw LoginManagerError(.client, setting: .nonce, "absent is refused without client authentication")
            }
            // Scripts of the page and extensions of the browser read the fragment.
            guard responseMode != .fragment else {
                throw LoginManagerError(.client, setting: .nonce, "absent is refused for responses in the fragment")
            }
        }
        guard pkce == .required || !isPublic else {
            throw LoginManagerError(
                .client,
                setting: .pkce,
                "off is refused without client authentication: whoever obtains a code could exchange it"
            )
        }
        switch (nonce == .absent && pkce == .off, codeInjection) {
        case (true, .protected):
            throw LoginManagerError(
                .client,
                setting: .codeInjection,
                "nonce: absent and pkce: off together leave logins without protection from codes of other logins, which must be named: unprotected"
            )
        case (false, .unprotected) where nonce == .required:
            throw LoginManagerError(
                .client,
                setting: .codeInjection,
                "unprotected has an effect only with nonce: absent"
            )
        case (_, .unprotected), (false, .protected): return
        }
    }

    /// Checks that PKCE binds codes to their logins where nothing else does.
    ///
    /// A provider that does not list the method `S256` may ignore it (RFC 7636 §4.4.1 has no error for this).
    ///
    /// - Parameter methods: The code challenge methods in the metadata; nil if it lists none.
    /// - Throws: ``LoginManagerError`` with the code `provider`.
    func check(by methods: [String]?) throws(LoginManagerError) {
        let isListed = methods.map { $0.contains { isEqual($0, "S256") } }
        // RFC 9700 §2.1.1: without PKCE, an intercepted code can be used. Metadata never switches it off.
        guard pkce == .off || isListed ?? true else {
            throw LoginManagerError(.provider, "the provider does not support the code challenge method S256")
        }
        guard nonce == .required || codeInjection == .unprotected || isListed == true else {
            throw LoginManagerError(
                .provider,
                setting: .codeInjection,
                "nonce: absent leaves PKCE as the only protection, and the provider does not list the code challenge method S256, so it may ignore it; this must be named: unprotected"
            )
        }
    }
}

extension SignInProvider.AppNonce {
    /// The maximum age of a token without a nonce: five minutes, for an app that sends it at once.
    private static let longestAge = Duration.seconds(300)

    /// Returns the maximum age of ID tokens that complete an attempt of an app.
    ///
    /// - Parameter age: The maximum age with a nonce; nil for none.
    /// - Returns: The maximum age; nil for none.
    func limiting(_ age: Duration?) -> Duration? {
        self == .absent ? min(age ?? Self.longestAge, Self.longestAge) : age
    }
}
