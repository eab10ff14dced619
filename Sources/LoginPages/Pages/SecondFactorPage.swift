// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The page of the second step: of a sign-in, or of an open session that has to show it.
struct SecondFactorPage: Page {
    var frame: PageFrame

    /// Where its forms go.
    var path: LocalPath

    var step: Step

    /// Why it is asked for; nil where the person has just begun to sign in.
    var reason: String?

    /// How many more codes are looked at; nil where that is not known.
    var attemptsLeft: Int?

    /// When the sign-in that waits is over; nil where nothing ends.
    var expiresAt: Date?

    /// Where to go on afterwards, unless that is kept elsewhere.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    /// A way to confirm it.
    struct Way: Sendable {
        var uid: String
        var kind: Kind

        enum Kind: Sendable {
            case app(name: String)
            case phone(suffix: String)
        }
    }

    /// How far it has come.
    enum Step: Sendable {
        /// The person chooses among these, and a recovery code.
        case choose([Way])
        /// The code of an app.
        case app(uid: String)
        /// The code that was sent to a phone.
        case phone(challenge: String, suffix: String)
        /// A recovery code.
        case recovery
    }

    var title: String { text.secondFactor.title }

    var content: HTML {
        build {
            if let reason { p { reason } }
            switch step {
            case .choose(let ways): choices(ways)
            case .app(let uid):
                codeForm(
                    [("way", "app"), ("factor", uid)],
                    text.secondFactor.appCode,
                    Phrase(stringLiteral: text.secondFactor.appHint),
                    .oneTimeCode
                )
            case .phone(let challenge, let suffix):
                codeForm(
                    [("way", "phone"), ("challenge", challenge), ("suffix", suffix)],
                    text.secondFactor.phoneCode,
                    text.secondFactor.phoneHint(suffix),
                    .oneTimeCode
                )
            case .recovery:
                codeForm(
                    [("way", "recovery")],
                    text.secondFactor.recoveryCode,
                    Phrase(stringLiteral: text.secondFactor.recoveryHint),
                    .recoveryCode
                )
            }
            if let attemptsLeft { p { text.secondFactor.attemptsLeft(attemptsLeft) } }
            if let expiresAt { p { text.secondFactor.until(text.time(expiresAt)) } }
        }
    }

    @HTMLBuilder private func choices(_ ways: [Way]) -> HTML {
        p { text.secondFactor.choose }
        ul(.class("ways")) {
            for way in ways {
                li {
                    switch way.kind {
                    case .app(let name):
                        link(here.with("way", "app").with("factor", way.uid)) { text.secondFactor.withApp(name) }
                    case .phone(let suffix):
                        // A message is sent, so it is no link.
                        button(to: path, .secondary, [("way", "send"), ("factor", way.uid)] + returning(to: returnTo)) {
                            text.secondFactor.withPhone(suffix)
                        }
                    }
                }
            }
            li { link(here.with("way", "recovery")) { text.secondFactor.withRecovery } }
        }
    }

    private func codeForm(_ hidden: [(String, String)], _ label: String, _ hint: Phrase, _ kind: FormField.Kind) -> HTML
    {
        build {
            form(to: path, hidden + returning(to: returnTo)) {
                field(FormField(id: "code", label: label, hint: hint, kind: kind))
                submit { text.secondFactor.submit }
            }
            p { link(here.with("way", "choose")) { text.secondFactor.another } }
        }
    }

    private var here: LocalPath { path.returning(to: returnTo) }
}
#endif
