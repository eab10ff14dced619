// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginCrypto
internal import LoginText
internal import LoginTokens

/// Makes and checks what a form carries to show that a page of this service made it, for this browser.
///
/// It is an authentication code over the session, or over the visitor's cookie where nobody is signed in; so a page of one person is
/// no good in the browser of another, and there is nothing to keep. The random part differs each time, so that compressed pages
/// say nothing about it.
struct CSRFTokens: Sendable {
    private let secrets: AccountSecrets
    private static let purpose = "CSRF token of a form"
    private static let randomBytes = 16
    private static let codeBytes = 32

    /// - Parameter secrets: The keys that every server has.
    init(_ secrets: AccountSecrets) {
        self.secrets = secrets
    }

    /// A token for a form.
    ///
    /// - Parameter binding: Whose browser it is: the session's ID, or what the visitor's cookie holds.
    /// - Returns: What the form carries.
    func make(for binding: String) -> String {
        let random = LoginCrypto.randomBytes(count: Self.randomBytes)
        let codes = secrets.authenticationCodes(of: random + Array(binding.utf8), purpose: Self.purpose)
        // The newest key is the first; there is one at least.
        return Base64URL.encode(random + codes[0])
    }

    /// Whether a form carried a token for this browser.
    func isGood(_ text: String, for binding: String) -> Bool {
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
