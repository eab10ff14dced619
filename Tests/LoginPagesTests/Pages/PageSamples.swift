// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
@testable import LoginPages

/// Every page in every state, with external values that a test chooses.
struct PageSamples {
    /// The text in place of every external value.
    var value: String

    /// The texts of the pages.
    var text = PageText.english

    /// The samples with a harmless value.
    static let plain = PageSamples(value: "Ada Lovelace")

    /// The text in place of IDs, which are never as long.
    private var id: String { String(String.UnicodeScalarView(value.unicodeScalars.prefix(60))) }

    private var date: Date { Date(timeIntervalSince1970: 1_759_500_300) }
    private var guest: PageFrame {
        PageFrame(text: SharedText(text), csrf: value, logo: "/assets/logo", languages: languages)
    }
    private var anonymous: PageFrame { PageFrame(text: SharedText(text), csrf: value, visitor: .guest) }
    private var frame: PageFrame {
        PageFrame(text: SharedText(text), csrf: value, languages: languages, visitor: .signedIn(name: value))
    }
    private var languages: [PageLanguages.Choice] { PageLanguages(PageText.all).choices }
    private var providers: [ProviderChoice] {
        [
            ProviderChoice(id: "facebook", name: "Facebook", logo: "/assets/logos/facebook"),
            ProviderChoice(id: id, name: value),
        ]
    }
    private var returnTo: LocalPath { "/second-factor?from=mail" }

    private func wrong(_ fields: String...) -> [FieldProblem] {
        fields.map { FieldProblem(field: $0, message: value) }
    }

    var all: [(name: String, page: any Page)] {
        signIn + account + secondFactor + phone + endings
    }

    private var signIn: [(name: String, page: any Page)] {
        var cancelled = guest
        cancelled.notice = .cancelled
        let address = ConflictPage.Situation.address(email: value, ways: providers, hasPassword: true)
        return [
            ("login, nothing", LoginPage(frame: guest)),
            ("login, providers", LoginPage(frame: cancelled, providers: providers, returnTo: returnTo)),
            ("login, password", LoginPage(frame: guest, passwordMinimum: 8)),
            ("login, both", LoginPage(frame: guest, providers: providers, passwordMinimum: 8, returnTo: returnTo)),
            (
                "login, wrong",
                LoginPage(
                    frame: guest,
                    providers: providers,
                    passwordMinimum: 8,
                    email: value,
                    problems: wrong("email", "password")
                )
            ),
            ("sign-up", SignUpPage(frame: guest, passwordMinimum: 8)),
            (
                "sign-up, all ways",
                SignUpPage(frame: guest, providers: providers, offersPhone: true, passwordMinimum: 8)
            ),
            (
                "sign-up, wrong",
                SignUpPage(
                    frame: guest,
                    passwordMinimum: 8,
                    email: value,
                    returnTo: returnTo,
                    problems: wrong("password")
                )
            ),
            ("fragment", FragmentPage(frame: guest)),
            ("conflict, address", ConflictPage(frame: guest, situation: address, provider: value)),
            (
                "conflict, no way",
                ConflictPage(
                    frame: guest,
                    situation: .address(email: nil, ways: [], hasPassword: false),
                    provider: value
                )
            ),
            (
                "conflict, other account",
                ConflictPage(frame: frame, situation: .otherAccount(than: value), provider: value)
            ),
            ("forgotten", PasswordPage(frame: guest, step: .forgotten(email: nil))),
            ("forgotten, wrong", PasswordPage(frame: guest, step: .forgotten(email: value), problems: wrong("email"))),
            ("forgotten, sent", PasswordPage(frame: guest, step: .sent)),
            ("new password", PasswordPage(frame: guest, step: .new(token: value, minimum: 8))),
            ("password", PasswordPage(frame: frame, step: .change(minimum: 8, email: value))),
            (
                "password, first, wrong",
                PasswordPage(
                    frame: frame,
                    step: .add(minimum: 8, email: value, otherEmail: value),
                    problems: wrong("email", "password")
                )
            ),
            ("login, phone", LoginPage(frame: guest, offersPhone: true, returnTo: returnTo)),
            ("login, guest", LoginPage(frame: guest, allowsGuests: true, returnTo: returnTo)),
            ("verify", PasswordPage(frame: frame, step: .verify(token: value))),
        ]
    }

    private var account: [(name: String, page: any Page)] {
        let logins = providers.map { provider in
            AccountPage.Login(
                provider: provider,
                uid: value,
                name: value,
                linkedAt: date,
                lastUsedAt: date,
                permissions: ["email", value],
                declinedPermissions: ["user_link", value],
                hasPermissionsPage: true,
                obstacle: value,
                canUnlink: provider.id == "facebook"
            )
        }
        let entry = SessionsPage.Entry(
            id: id,
            device: value,
            network: value,
            isConfirmed: true,
            openedAt: date,
            lastSeenAt: date
        )
        let here = SessionsPage.Entry(id: "1", openedAt: date, lastSeenAt: date, isCurrent: true)
        var noticed = frame
        noticed.notice = .linked
        return [
            (
                "account, guest",
                AccountPage(
                    frame: anonymous,
                    isGuest: true,
                    hasPassword: false,
                    createdAt: date,
                    linkable: providers,
                    canLinkPhone: true
                )
            ),
            (
                "account, full",
                AccountPage(
                    frame: noticed,
                    name: value,
                    email: value,
                    canVerifyEmail: true,
                    createdAt: date,
                    logins: logins,
                    linkable: providers,
                    canEnrollPhone: true,
                    factors: [AccountPage.Factor(uid: id, name: Phrase(value: value))],
                    recoveryCodes: 1
                )
            ),
            (
                "account, verified",
                AccountPage(frame: frame, email: value, isEmailVerified: true, createdAt: date, logins: logins)
            ),
            (
                "permissions",
                PermissionsPage(
                    frame: frame,
                    provider: providers[1],
                    logins: [permissions],
                    canRevokeSinglePermission: true
                )
            ),
            ("sessions", SessionsPage(frame: frame, sessions: [here, entry])),
            ("sessions, one", SessionsPage(frame: frame, sessions: [here])),
            (
                "confirmation, sign out",
                ConfirmationPage(
                    frame: anonymous,
                    title: text.confirm.signOutTitle,
                    effect: Phrase(stringLiteral: text.confirm.signOut),
                    label: Phrase(stringLiteral: text.frame.signOut),
                    path: "/sign-out"
                )
            ),
            (
                "confirmation, unlink",
                ConfirmationPage(
                    frame: frame,
                    title: text.account.unlink(value).plainText,
                    effect: text.confirm.unlink(value),
                    label: text.account.unlink(value),
                    path: "/unlink",
                    fields: [("provider", id), ("uid", value)],
                    returnTo: returnTo
                )
            ),
            ("deletion", DeletionPage(frame: frame)),
            ("deletion, wrong", DeletionPage(frame: frame, problems: wrong("sure"))),
            (
                "merge",
                MergePage(
                    frame: frame,
                    this: value,
                    other: value,
                    moves: ["\(value)"],
                    drops: ["\(value)"],
                    clashes: [value],
                    hasFactors: true
                )
            ),
            (
                "merge, wrong",
                MergePage(frame: frame, this: value, other: value, clashes: [value], problems: wrong("keep"))
            ),
            (
                "merge, obstacle",
                MergePage(
                    frame: frame,
                    this: value,
                    other: value,
                    obstacles: [value],
                    remedy: "/reauthenticate?returnTo=%2Fmerge"
                )
            ),
            (
                "reauthenticate",
                ReauthenticatePage(
                    frame: frame,
                    providers: providers,
                    email: value,
                    phone: number,
                    returnTo: returnTo,
                    problems: wrong("password")
                )
            ),
            ("reauthenticate, no password", ReauthenticatePage(frame: frame, providers: providers)),
        ]
    }

    private var permissions: PermissionsPage.Login {
        PermissionsPage.Login(
            name: value,
            permissions: [
                .init(permission: "public_profile", status: .granted, isBasic: true),
                .init(permission: id, status: .granted), .init(permission: id, status: .declined, reason: value),
                .init(permission: id, status: .expired), .init(permission: "email", status: .unknown, reason: value),
            ]
        )
    }

    private var secondFactor: [(name: String, page: any Page)] {
        let ways: [SecondFactorPage.Way] = [
            .init(uid: id, kind: .app(name: value)), .init(uid: id, kind: .phone(name: nil, suffix: value)),
            .init(uid: id, kind: .phone(name: value, suffix: value)),
        ]
        func page(_ step: SecondFactorPage.Step, _ problems: [FieldProblem] = []) -> SecondFactorPage {
            SecondFactorPage(
                frame: guest,
                path: "/login/second-factor",
                step: step,
                deadline: SecondFactorPage.Deadline(time: date, minutesLeft: 10),
                signInPath: LocalPath("/login").returning(to: returnTo),
                returnTo: returnTo,
                problems: problems
            )
        }
        return [
            ("second factor, choose", page(.choose(ways))),
            ("second factor, app", page(.app(uid: id))),
            ("second factor, app, wrong", page(.app(uid: id), wrong("code"))),
            ("second factor, phone", page(.phone(uid: id, challenge: value, suffix: value))),
            ("second factor, recovery", page(.recovery)),
            ("second factor, session", SecondFactorPage(frame: frame, path: "/reauthenticate", step: .recovery)),
            ("enrol", EnrollPage(frame: frame, step: .begin, name: value, offersPhone: true)),
            (
                "enrol, key",
                EnrollPage(
                    frame: frame,
                    step: .key(uid: value, secret: value, address: "otpauth://totp/x?secret=\(value)")
                )
            ),
            ("enrol, wrong", EnrollPage(frame: frame, step: .code(uid: value), name: value, problems: wrong("code"))),
            ("recovery codes, offered", RecoveryOfferPage(frame: frame, returnTo: "/sessions")),
            ("recovery codes", RecoveryCodesPage(frame: frame, codes: [value, value])),
            ("recovery codes, new", RecoveryCodesPage(frame: frame, codes: [value, value], replacesOthers: true)),
        ]
    }

    private var number: String { "+1 415 555 0100" }

    private var phone: [(name: String, page: any Page)] {
        func page(_ use: PhonePage.Use, _ step: PhonePage.Step, _ problems: [FieldProblem] = []) -> PhonePage {
            PhonePage(
                frame: use == .signIn ? guest : frame,
                use: use,
                step: step,
                returnTo: returnTo,
                problems: problems
            )
        }
        let sent = PhonePage.Step.code(challenge: value, number: number, name: value)
        return [
            ("phone, sign in", page(.signIn, .number(nil, name: nil))),
            ("phone, sign in, wrong", page(.signIn, .number(value, name: nil), wrong("number"))),
            ("phone, sign in, code", page(.signIn, sent)),
            ("phone, link", page(.link, .number(nil, name: nil))),
            ("phone, reauthenticate, code", page(.reauthentication, sent)),
            ("phone, enrol", page(.secondFactor, .number(value, name: value))),
            ("phone, enrol, wrong", page(.secondFactor, sent, wrong("code"))),
        ]
    }

    private var endings: [(name: String, page: any Page)] {
        var supported = guest
        supported.support = SupportLink("mailto:help@example.com")
        return [
            ("signed out", SignedOutPage(frame: guest)),
            ("deleted", SignedOutPage(frame: guest, isDeleted: true)),
            (
                "problem",
                ProblemPage(frame: supported, explanation: value, code: value, requestID: value, retryAfter: 90)
            ),
            (
                "problem, sign in",
                ProblemPage(
                    frame: guest,
                    explanation: value,
                    code: value,
                    requestID: value,
                    remedy: .signIn(returnTo)
                )
            ),
            (
                "problem, new login",
                ProblemPage(
                    frame: guest,
                    explanation: value,
                    code: value,
                    requestID: value,
                    remedy: .newLogin(at: "facebook", returningTo: returnTo)
                )
            ),
            (
                "not found",
                ProblemPage(frame: frame, explanation: value, code: value, requestID: value, isNotFound: true)
            ),
        ]
    }
}
#endif
