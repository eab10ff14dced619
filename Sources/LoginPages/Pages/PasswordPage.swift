// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The pages for password resets and for the verification of e-mail addresses.
struct PasswordPage: Page {
    var frame: PageFrame
    var step: Step
    var problems: [FieldProblem] = []

    /// The step.
    enum Step: Sendable {
        /// The form for the e-mail address.
        case forgotten(email: String?)
        /// The confirmation that a message is sent, if the address has a password.
        case sent
        /// The form for the new password.
        ///
        /// The token is that of the message; the minimum length is in bytes of UTF-8.
        case new(token: String, minimum: Int)
        /// The form that verifies the address.
        ///
        /// Opening the link changes nothing, since mail scanners open links too.
        case verify(token: String)
    }

    var title: String {
        switch step {
        case .forgotten: text.password.forgottenTitle
        case .sent: text.password.sentTitle
        case .new: text.password.newTitle
        case .verify: text.password.verifyTitle
        }
    }

    var content: HTML {
        build {
            switch step {
            case .forgotten(let email):
                p { text.password.forgottenIntro }
                form(to: "/forgotten-password") {
                    field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                    submit { text.password.send }
                }
                p { link("/login") { text.frame.cancel } }
            case .sent:
                p { text.password.sent }
                p { link("/login") { text.frame.signIn } }
            case .new(let token, let minimum):
                p { text.password.everywhere }
                newPassword(token, minimum)
            case .verify(let token):
                p { text.password.verifyIntro }
                button(to: "/verify-email", .primary, [("token", token)]) { text.password.verify }
            }
        }
    }

    private func newPassword(_ token: String, _ minimum: Int) -> HTML {
        form(to: "/new-password", [("token", token)]) {
            field(
                FormField(
                    id: "password",
                    label: text.password.newPassword,
                    hint: Phrase(stringLiteral: text.signUp.passwordHint(minimum)),
                    kind: .newPassword
                )
            )
            submit { text.password.save }
        }
    }
}
#endif
