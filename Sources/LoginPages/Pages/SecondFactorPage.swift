// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The page for a second factor, of a sign-in or of an open session.
struct SecondFactorPage: Page {
    var frame: PageFrame

    /// The target of the forms.
    var path: LocalPath

    var step: Step

    /// The reason for the second factor; nil in a sign-in.
    var reason: String?

    /// The end of the pending sign-in; nil for an open session.
    var deadline: Deadline?

    /// The sign-in page, to which the user can go back; nil for a signed-in user.
    var signInPath: LocalPath?

    /// The return path, unless the pending step has it.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    /// The time at which a sign-in expires.
    struct Deadline: Sendable {
        var time: Date

        /// The remaining time, in minutes.
        var minutesLeft: Int
    }

    /// A second factor that the user can choose.
    struct Way: Sendable {
        var uid: String
        var kind: Kind

        enum Kind: Sendable {
            case app(name: String)
            case phone(name: String?, suffix: String)
        }
    }

    /// The selection of a step, in the field `way` of forms and links.
    enum Selection: String, Sendable {
        /// The list of all factors.
        case choose
        /// The only app, or the list if there are other factors.
        case confirm
        /// The code of an app.
        case app
        /// The code that was sent to a phone.
        case phone
        /// The sending of a code to a phone.
        case send
        /// A recovery code.
        case recovery

        /// Reads the selection among the fields of a form or a query; nil if they have none.
        ///
        /// An unknown selection is the list of all factors.
        init?(_ fields: [String: String]) {
            guard let value = fields["way"] else { return nil }
            self = Self(rawValue: value) ?? .choose
        }

        /// The hidden field of a form.
        var field: (String, String) { ("way", rawValue) }
    }

    /// The step.
    enum Step: Sendable {
        /// The user chooses one of these factors, or a recovery code.
        case choose([Way])
        /// The user enters the code of an app.
        case app(uid: String)
        /// The user enters the code that was sent to a phone.
        case phone(uid: String, challenge: String, suffix: String)
        /// The user enters a recovery code.
        case recovery
    }

    var title: String { text.secondFactor.title }

    var content: HTML {
        build {
            if let reason { p { reason } }
            if let deadline {
                p {
                    HTML(
                        "time",
                        [.datetime(deadline.time.formatted(.iso8601))],
                        HTML(text.secondFactor.timeLeft(deadline.minutesLeft))
                    )
                }
            }
            switch step {
            case .choose(let ways): choices(ways)
            case .app(let uid):
                codeForm(
                    [Selection.app.field, ("factor", uid)],
                    text.secondFactor.appCode,
                    Phrase(stringLiteral: text.secondFactor.appHint),
                    .oneTimeCode
                )
            case .phone(let uid, let challenge, let suffix):
                codeForm(
                    sent(.phone, uid, challenge, suffix),
                    text.secondFactor.phoneCode,
                    text.secondFactor.phoneHint(suffix),
                    .oneTimeCode,
                    resending: sent(.send, uid, challenge, suffix)
                )
            case .recovery:
                codeForm(
                    [Selection.recovery.field],
                    text.secondFactor.recoveryCode,
                    Phrase(stringLiteral: text.secondFactor.recoveryHint),
                    .recoveryCode
                )
            }
            if let signInPath {
                p { link(signInPath) { text.secondFactor.backToSignIn } }
            } else {
                p { link(.home) { text.frame.cancel } }
            }
        }
    }

    @HTMLBuilder private func choices(_ ways: [Way]) -> HTML {
        p { text.secondFactor.choose }
        ul(.class("ways")) {
            for way in ways {
                li {
                    switch way.kind {
                    case .app(let name):
                        link(here.selecting(.app).with("factor", way.uid)) { text.secondFactor.withApp(name) }
                    case .phone(let name, let suffix):
                        // A button and not a link, since it sends a message.
                        button(
                            to: path,
                            .secondary,
                            [Selection.send.field, ("factor", way.uid)] + returning(to: returnTo)
                        ) {
                            phoneLabel(name, suffix)
                        }
                    }
                }
            }
            li { link(here.selecting(.recovery)) { text.secondFactor.withRecovery } }
        }
    }

    private func phoneLabel(_ name: String?, _ suffix: String) -> Phrase {
        guard let name, !name.isEmpty else { return text.secondFactor.withPhone(suffix) }
        return text.phone.withNamed(name, suffix)
    }

    /// Returns the hidden fields about a code that was sent.
    private func sent(_ selection: Selection, _ uid: String, _ challenge: String, _ suffix: String)
        -> [(String, String)]
    {
        [selection.field, ("factor", uid), ("challenge", challenge), ("suffix", suffix)]
    }

    /// Returns the form for a code, the button that sends another one if it was sent, and the link to other factors.
    private func codeForm(
        _ hidden: [(String, String)],
        _ label: String,
        _ hint: Phrase,
        _ kind: FormField.Kind,
        resending: [(String, String)]? = nil
    ) -> HTML {
        build {
            form(to: path, hidden + returning(to: returnTo)) {
                field(FormField(id: "code", label: label, hint: hint, kind: kind))
                submit { text.secondFactor.submit }
            }
            if let resending {
                button(to: path, .secondary, resending + returning(to: returnTo)) { text.phone.resend }
            }
            p { link(here.selecting(.choose)) { text.secondFactor.another } }
        }
    }

    private var here: LocalPath { path.returning(to: returnTo) }
}

extension LocalPath {
    /// Returns this path with the selection of a step in its query.
    func selecting(_ selection: SecondFactorPage.Selection) -> LocalPath { with("way", selection.rawValue) }
}
#endif
