// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page that enrolls an authenticator app.
struct EnrollPage: Page {
    var frame: PageFrame
    var step: Step

    /// The previous input for the name of the device.
    var name: String?

    /// Whether a phone can be enrolled instead.
    var offersPhone = false

    /// The return path.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    /// The step of the enrollment.
    enum Step: Sendable {
        /// The form for the name of the device.
        case begin
        /// The key, which is shown once, with the form for the first code.
        case key(uid: String, secret: String, address: String)
        /// The form for another code after a wrong one, without the key.
        case code(uid: String)
    }

    var title: String { text.enroll.title }

    var content: HTML {
        build {
            switch step {
            case .begin:
                p { text.enroll.intro }
                form(to: "/second-factor", [("action", "begin")] + returning(to: returnTo)) {
                    field(
                        FormField(
                            id: "name",
                            label: text.enroll.name,
                            hint: Phrase(stringLiteral: text.enroll.nameHint),
                            value: name
                        )
                    )
                    submit { text.enroll.begin }
                }
                if offersPhone {
                    p { link(LocalPath("/second-factor/phone").returning(to: returnTo)) { text.phone.enrollTitle } }
                }
            case .key(let uid, let secret, let address):
                HTML(
                    "ol",
                    [.class("steps")],
                    build {
                        li { key(secret, address) }
                        li { codeForm(uid) }
                    }
                )
            case .code(let uid):
                codeForm(uid)
                p { text.enroll.notShown }
                button(to: "/second-factor", .secondary, [("action", "begin")] + entered) {
                    text.enroll.again
                }
            }
            p { link(.home) { text.frame.cancel } }
        }
    }

    @HTMLBuilder private func key(_ secret: String, _ address: String) -> HTML {
        p { text.enroll.scan }
        // On phones the link to the app stands first, since they cannot scan their own screen.
        div(.class("key")) {
            if let href = Attribute.href(otpauth: address) {
                p { HTML("a", [href], HTML(text.enroll.open)) }
            }
            if let picture = QRCode(address) {
                div(.class("picture")) { picture.html(label: text.enroll.picture) }
            }
        }
        HTML(
            "details",
            [],
            build {
                HTML("summary", [], HTML(text.enroll.cannotScan))
                p { text.enroll.type }
                facts([(text.enroll.key, code(Self.grouped(secret)))])
            }
        )
        p { text.enroll.once }
    }

    /// The hidden fields of the steps after the first one, with the name for another key.
    private var entered: [(String, String)] {
        (name.map { [("name", $0)] } ?? []) + returning(to: returnTo)
    }

    private func codeForm(_ uid: String) -> HTML {
        build {
            p { text.enroll.thenCode }
            form(to: "/second-factor", [("action", "confirm"), ("factor", uid)] + entered) {
                field(
                    FormField(
                        id: "code",
                        label: text.secondFactor.appCode,
                        hint: Phrase(stringLiteral: text.secondFactor.appHint),
                        kind: .oneTimeCode
                    )
                )
                submit { text.enroll.confirm }
            }
        }
    }

    /// Returns the key in groups of four, which are easier to type.
    ///
    /// Apps accept the spaces.
    static func grouped(_ secret: String) -> String {
        var result = ""
        for (index, character) in secret.enumerated() {
            if index > 0, index.isMultiple(of: 4) { result.append(" ") }
            result.append(character)
        }
        return result
    }
}
#endif
