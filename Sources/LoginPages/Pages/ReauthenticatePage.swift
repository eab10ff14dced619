// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The page where somebody who is signed in shows once more who they are.
struct ReauthenticatePage: Page {
    var frame: PageFrame

    /// The providers of which the account has a login.
    var providers: [ProviderChoice] = []

    /// The address of the account's password; nil where it has none.
    var email: String?

    /// Where to go on afterwards.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    var title: String { text.secondFactor.title }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            p { text.reauthenticate.intro }
            for provider in providers {
                button(to: LocalPath("/reauthenticate").appending(provider.id), .primary, returning(to: returnTo)) {
                    text.login.with(provider.name)
                }
            }
            if let email {
                form(to: "/reauthenticate", returning(to: returnTo)) {
                    field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                    field(FormField(id: "password", label: text.login.password, kind: .currentPassword))
                    submit { text.secondFactor.submit }
                }
            }
            p { link(.home) { text.frame.cancel } }
        }
    }
}
#endif
