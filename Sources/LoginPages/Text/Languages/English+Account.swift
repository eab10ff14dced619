// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
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
        guest: "You are a guest on this device only. Link a login to keep the account.",
        logins: "Your logins",
        loginAs: { "\($0): \($1)" },
        linkedAt: "Linked",
        lastUsed: "Last used",
        shares: "Shared with this service",
        permission: { PageText.englishPermission($0) },
        passwordLogin: "E-mail and password",
        phoneLogin: "Telephone number",
        notConfigured: "This login is not available at the moment.",
        revoked: "You revoked this login at the provider. Link it again to use it.",
        withoutPassword: "No password is set yet.",
        unlink: { "Unlink \($0)" },
        lastLogin: "This is your only working login. To unlink it, link another one first.",
        more: "Add a login",
        link: { "Link \($0)" },
        factors: "Second step",
        noFactors: "None yet. A second step protects your account even if somebody else has your login.",
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
#endif
