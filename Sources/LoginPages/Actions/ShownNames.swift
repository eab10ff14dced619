// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts

extension UserInfo {
    /// The display name of a login.
    var shownName: String { email ?? phoneNumber ?? displayName ?? uid }
}

extension MultiFactorInfo {
    /// Returns the display name of a second factor.
    ///
    /// - Parameter text: The texts of the pages.
    /// - Returns: The name.
    func shownName(_ text: PageText) -> Phrase {
        if let name = displayName, !name.isEmpty { return Phrase(value: name) }
        return switch factorID {
        case .totp: Phrase(stringLiteral: text.account.app)
        case .phone: text.account.phone(phoneNumberSuffix ?? "")
        }
    }
}
#endif
