// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page that sends a code to a phone, and asks for it.
struct PhonePage: Page {
    var frame: PageFrame
    var use: Use
    var step: Step

    /// The return path.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    /// The use of the code.
    enum Use: Sendable {
        /// To sign in with the number.
        case signIn
        /// To link the number to the account.
        case link
        /// To reauthenticate with the number of the account.
        case reauthentication
        /// To enroll the phone as second factor.
        case secondFactor
    }

    /// The step.
    enum Step: Sendable {
        /// The form for the number, and for the name of a second factor.
        case number(String?, name: String?)
        /// The form for the code that was sent to the number.
        case code(challenge: String, number: String, name: String?)
    }

    var title: String {
        switch use {
        case .signIn: text.phone.signInTitle
        case .link: text.phone.linkTitle
        case .reauthentication: text.secondFactor.title
        case .secondFactor: text.phone.enrollTitle
        }
    }

    var content: HTML {
        build {
            switch step {
            case .number(let number, let name): numberForm(number, name)
            case .code(let challenge, let number, let name): codeForms(challenge, number, name)
            }
        }
    }

    private func numberForm(_ number: String?, _ name: String?) -> HTML {
        build {
            if use == .secondFactor { p { text.phone.enrollIntro } }
            form(to: use.path, [("action", "begin")] + returning(to: returnTo)) {
                field(
                    FormField(
                        id: "number",
                        label: text.phone.number,
                        hint: Phrase(stringLiteral: text.phone.numberHint),
                        kind: .phone,
                        value: number
                    )
                )
                if use == .secondFactor {
                    field(
                        FormField(
                            id: "name",
                            label: text.enroll.name,
                            hint: Phrase(stringLiteral: text.enroll.nameHint),
                            value: name
                        )
                    )
                }
                submit { text.phone.send }
            }
            wayOut
        }
    }

    private func codeForms(_ challenge: String, _ number: String, _ name: String?) -> HTML {
        let sent: [(String, String)] =
            [("challenge", challenge), ("number", number)] + (name.map { [("name", $0)] } ?? [])
        let fields = sent + returning(to: returnTo)
        return build {
            form(to: use.path, [("action", "confirm")] + fields) {
                field(
                    FormField(
                        id: "code",
                        label: text.secondFactor.phoneCode,
                        hint: text.secondFactor.phoneHint(Self.suffix(of: number)),
                        kind: .oneTimeCode
                    )
                )
                submit { confirmLabel }
            }
            button(to: use.path, .secondary, [("action", "begin")] + fields) { text.phone.resend }
            if use != .reauthentication {
                p { link(use.path.returning(to: returnTo)) { text.phone.another } }
            }
            wayOut
        }
    }

    private var confirmLabel: String {
        if use == .secondFactor { text.phone.confirm } else { text.secondFactor.submit }
    }

    @HTMLBuilder private var wayOut: HTML {
        if use == .signIn {
            p { link(LocalPath("/login").returning(to: returnTo)) { text.secondFactor.backToSignIn } }
        } else {
            p { link(.home) { text.frame.cancel } }
        }
    }

    /// Returns the last four digits of a number, by which the user recognizes it.
    static func suffix(of number: String) -> String { String(number.filter(\.isNumber).suffix(4)) }
}

extension PhonePage.Use {
    /// The path of the page, and of its forms.
    var path: LocalPath {
        switch self {
        case .signIn: "/login/phone"
        case .link: "/link/phone"
        case .reauthentication: "/reauthenticate/phone"
        case .secondFactor: "/second-factor/phone"
        }
    }
}
#endif
