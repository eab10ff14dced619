// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.AccountTexts {
    static let english = Self(
        title: "Your account",
        profile: "Profile",
        name: "Name",
        noName: "Not known",
        email: "E-mail address",
        verified: "confirmed",
        notVerified: "not confirmed",
        verify: "Send me a message to confirm the address",
        createdAt: "Member since",
        guest: "You are a guest. Add a sign-in method to keep this account.",
        save: "Save this account",
        logins: "Sign-in methods",
        loginAs: { "\($0): \($1)" },
        linkedAt: "Linked",
        lastUsed: "Last used",
        shares: "Shared with this service",
        permission: { PageText.englishPermission($0) },
        passwordLogin: "E-mail and password",
        phoneLogin: "Phone number",
        notConfigured: "This sign-in method is not available at the moment.",
        revoked: "You revoked this sign-in method at the provider. Link it again to use it.",
        withoutPassword: "No password is set yet.",
        unlink: { "Unlink \($0)" },
        lastLogin: "This is your only working sign-in method. To unlink it, add another one first.",
        more: "Add a sign-in method",
        link: { "Link \($0)" },
        addPhone: "Add a phone number",
        factors: "Two-step verification",
        noFactors: "Off. It asks for a code when you sign in, so that a stolen password is not enough.",
        app: "Authenticator app",
        phone: { "Phone ending in \($0)" },
        removeFactor: { "Remove \($0)" },
        codesLeft: { $0 == 1 ? "1 recovery code is left." : "\($0) recovery codes are left." },
        noCodes: "You have no recovery codes. If you lose your phone, you cannot sign in.",
        makeCodes: "Make new recovery codes",
        data: "Your data",
        download: "Download my data",
        delete: "Delete my account"
    )
}

extension PageText.Confirmations {
    static let english = Self(
        signOutTitle: "Sign out and lose this account?",
        signOut: "Guests cannot sign in again. To keep this account and its data, save it before you sign out.",
        unlink: { "You can no longer sign in to this account with \($0)." },
        removeFactor: "Its codes no longer work here. Your other methods still protect your account.",
        removeLastFactor: "This turns two-step verification off. Your recovery codes stop working.",
        makeCodes: "Your current recovery codes stop working."
    )
}
#endif
