// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page for the reauthentication of a signed-in user.
struct ReauthenticatePage: Page {
    var frame: PageFrame

    /// The providers at which the account has a login.
    var providers: [ProviderChoice] = []

    /// The e-mail address of the account's password; nil if it has none.
    var email: String?

    /// The number with which the user signs in; nil if there is none.
    var phone: String?

    /// The return path.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    var title: String { text.secondFactor.title }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            p { text.reauthenticate.intro }
            for provider in providers {
                button(to: LocalPath("/reauthenticate").appending(provider.id), .secondary, returning(to: returnTo)) {
                    logo(of: provider)
                    text.login.with(provider.name)
                }
            }
            if let phone {
                button(to: "/reauthenticate/phone", .secondary, [("action", "begin")] + returning(to: returnTo)) {
                    text.phone.reauthenticate(PhonePage.suffix(of: phone))
                }
            }
            if let email {
                form(to: "/reauthenticate", returning(to: returnTo)) {
                    knownAddress(email)
                    field(FormField(id: "password", label: text.login.password, kind: .currentPassword))
                    submit { text.secondFactor.submit }
                }
            }
            p { link(.home) { text.frame.cancel } }
        }
    }
}
#endif
