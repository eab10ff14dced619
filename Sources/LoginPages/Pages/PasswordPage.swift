// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The pages for passwords and for the verification of e-mail addresses.
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
        /// The form for the password of the signed-in user, with the e-mail address if the account has no password.
        ///
        /// The minimum length is in bytes of UTF-8.
        case change(minimum: Int, isFirst: Bool, email: String?)
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
        case .change(_, let isFirst, _): isFirst ? text.password.add : text.password.change
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
                form(to: "/new-password", [("token", token)]) { newPassword(minimum) }
            case .change(let minimum, let isFirst, let email):
                if isFirst { p { text.password.existing } }
                p { text.password.elsewhere }
                form(to: "/password") {
                    if isFirst {
                        field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                    }
                    newPassword(minimum)
                }
                p { link(.home) { text.frame.cancel } }
            case .verify(let token):
                p { text.password.verifyIntro }
                button(to: "/verify-email", .primary, [("token", token)]) { text.password.verify }
            }
        }
    }

    @HTMLBuilder private func newPassword(_ minimum: Int) -> HTML {
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
#endif
