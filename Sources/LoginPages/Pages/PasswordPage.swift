// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The pages around messages: a new password for who has forgotten it, and the proof of an address.
struct PasswordPage: Page {
    var frame: PageFrame
    var step: Step
    var problems: [FieldProblem] = []

    /// Which of them.
    enum Step: Sendable {
        /// Asks for the address.
        case forgotten(email: String?)
        /// Says that a message is on its way, if there is anybody to send it to.
        case sent
        /// Asks for the new password. The token is that of the message; the shortest password is in characters.
        case new(token: String, minimum: Int)
        /// Asks to confirm the address: opening a link changes nothing, since programs that look for harm open links too.
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
