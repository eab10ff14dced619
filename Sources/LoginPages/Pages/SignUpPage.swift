// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The sign-up page, with an e-mail address and a password.
struct SignUpPage: Page {
    var frame: PageFrame
    var providers: [ProviderChoice] = []

    /// Whether users can sign in with a phone number.
    var offersPhone = false

    /// The minimum length of a password, in bytes of UTF-8, which the page calls characters.
    var passwordMinimum: Int

    /// The previous input for the e-mail address.
    var email: String?

    /// The return path.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    var title: String { text.signUp.title }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            otherWays(providers, offersPhone: offersPhone, returnTo: returnTo)
            if !providers.isEmpty || offersPhone { p(.class("or")) { text.login.or } }
            form(to: "/sign-up", returning(to: returnTo)) {
                field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                field(
                    FormField(
                        id: "password",
                        label: text.login.password,
                        hint: Phrase(stringLiteral: text.signUp.passwordHint(passwordMinimum)),
                        kind: .newPassword
                    )
                )
                submit { text.signUp.submit }
            }
            p { link(LocalPath("/login").returning(to: returnTo)) { text.signUp.haveAccount } }
        }
    }
}
#endif
