// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
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
        /// The form for another password of the signed-in user.
        ///
        /// The address is that of the password; the minimum length is in bytes of UTF-8.
        case change(minimum: Int, email: String)
        /// The form for a first password of the signed-in user, and the form for the password of another account, with
        /// the previous input for the addresses.
        ///
        /// The minimum length is in bytes of UTF-8.
        case add(minimum: Int, email: String?, otherEmail: String?)
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
        case .change: text.password.change
        case .add: text.password.add
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
                p { link("/login") { text.secondFactor.backToSignIn } }
            case .sent:
                p { text.password.sent }
                p { link("/forgotten-password") { text.password.again } }
                p { link("/login") { text.secondFactor.backToSignIn } }
            case .new(let token, let minimum):
                p { text.password.everywhere }
                form(to: "/new-password", [("token", token)]) { newPassword(minimum) }
                p { link("/login") { text.secondFactor.backToSignIn } }
            case .change(let minimum, let email):
                p { text.password.elsewhere }
                form(to: "/password") {
                    knownAddress(email)
                    newPassword(minimum)
                }
                p { link(.home) { text.frame.cancel } }
            case .add(let minimum, let email, let otherEmail):
                p { text.password.elsewhere }
                form(to: "/password") {
                    field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                    newPassword(minimum)
                }
                section("other-account", text.password.otherAccount) { otherAccount(otherEmail) }
                p { link(.home) { text.frame.cancel } }
            case .verify(let token):
                p { text.password.verifyIntro }
                button(to: "/verify-email", .primary, [("token", token)]) { text.password.verify }
            }
        }
    }

    @HTMLBuilder private func otherAccount(_ email: String?) -> HTML {
        p { text.password.existing }
        form(to: "/password", [("action", "join")]) {
            field(FormField(id: "other-email", label: text.login.email, kind: .email, value: email))
            field(FormField(id: "other-password", label: text.login.password, kind: .currentPassword))
            submit(.secondary) { text.password.join }
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
