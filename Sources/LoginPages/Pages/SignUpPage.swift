// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The page where people make an account with an e-mail address and a password.
struct SignUpPage: Page {
    var frame: PageFrame

    /// The shortest password, in characters.
    var passwordMinimum: Int

    /// The address that was typed before.
    var email: String?

    /// Where to go on afterwards.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    var title: String { text.signUp.title }

    var content: HTML {
        build {
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
