// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginCrypto
internal import LoginText
internal import LoginTokens

/// Generates and verifies CSRF tokens, which prove that a page of this service created the form for this browser.
///
/// A token is an HMAC over the session, or over the visitor's cookie if nobody is signed in. It is invalid in another
/// browser, and nothing is stored. Its random part differs on each page, which prevents compression attacks (BREACH).
struct CSRFTokens: Sendable {
    private let secrets: AccountSecrets
    private static let purpose = "CSRF token of a form"
    private static let randomBytes = 16
    private static let codeBytes = 32

    /// Creates the tokens of a service.
    ///
    /// - Parameter secrets: The keys, which all servers share.
    init(_ secrets: AccountSecrets) {
        self.secrets = secrets
    }

    /// Returns a token for a form.
    ///
    /// - Parameter binding: The browser: the session's ID, or the value of the visitor's cookie.
    /// - Returns: The value of the form's hidden field.
    func make(for binding: String) -> String {
        let random = LoginCrypto.randomBytes(count: Self.randomBytes)
        let codes = secrets.authenticationCodes(of: random + Array(binding.utf8), purpose: Self.purpose)
        // The newest key is first; there is at least one.
        return Base64URL.encode(random + codes[0])
    }

    /// Returns whether a token is valid for this browser.
    func isValid(_ text: String, for binding: String) -> Bool {
        guard text.utf8.count < 100, let bytes = Base64URL.decode(text.utf8),
            bytes.count == Self.randomBytes + Self.codeBytes
        else { return false }
        let random = Array(bytes.prefix(Self.randomBytes))
        let code = Array(bytes.suffix(Self.codeBytes))
        return secrets.authenticationCodes(of: random + Array(binding.utf8), purpose: Self.purpose)
            .contains { constantTimeEquals($0, code) }
    }
}
#endif
