// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts

extension UserInfo {
    /// The display name of a login.
    var shownName: String { email ?? phoneNumber ?? displayName ?? uid }
}

extension Account {
    /// Returns the name of the first login, by which the user of another account recognizes this one.
    ///
    /// - Parameter text: The texts of the pages.
    /// - Returns: The name.
    func loginName(_ text: SharedText) -> String { providerData.first?.shownName ?? text.frame.someone }

    /// Returns the name of the account for its own user.
    ///
    /// - Parameter text: The texts of the pages.
    /// - Returns: The name.
    func shownName(_ text: SharedText) -> String { displayName ?? email ?? loginName(text) }
}

extension MultiFactorInfo {
    /// Returns the display name of a second factor.
    ///
    /// - Parameter text: The texts of the pages.
    /// - Returns: The name.
    func shownName(_ text: SharedText) -> Phrase {
        if let name = displayName, !name.isEmpty { return Phrase(value: name) }
        return switch factorID {
        case .totp: Phrase(stringLiteral: text.account.app)
        case .phone: text.account.phone(phoneNumberSuffix ?? "")
        }
    }
}
#endif
