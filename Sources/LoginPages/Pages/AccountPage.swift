// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The account page.
struct AccountPage: Page {
    var frame: PageFrame

    /// The name; nil if it is unknown.
    var name: String?

    var email: String?
    var isEmailVerified = false

    /// Whether a verification message can be sent to the e-mail address.
    var canVerifyEmail = false

    /// Whether the account is anonymous: no login has been linked yet.
    var isGuest = false

    /// Whether the account has a password; nil if passwords are not offered.
    var hasPassword: Bool?

    var createdAt: Date
    var logins: [Login] = []

    /// The providers that can be linked.
    var linkable: [ProviderChoice] = []

    /// Whether a phone number can be linked.
    var canLinkPhone = false

    /// Whether a phone can be enrolled as second factor.
    var canEnrollPhone = false

    var factors: [Factor] = []

    /// The number of unused recovery codes.
    var recoveryCodes = 0

    /// A login of the account.
    struct Login: Sendable {
        var provider: ProviderChoice

        /// The subject: the user's ID at the provider.
        var uid: String

        /// The display name of the login.
        var name: String

        var linkedAt: Date
        var lastUsedAt: Date

        /// The granted permissions, by the provider's names; empty if they are unknown.
        var permissions: [String] = []

        /// The declined permissions, by the provider's names.
        var declinedPermissions: [String] = []

        /// Whether the permissions page shows the permissions of the login.
        var hasPermissionsPage = false

        /// The reason why the login cannot be used, in a sentence; nil if it can.
        var obstacle: String?

        /// Whether the login was revoked, and can be linked again.
        var canLinkAgain = false

        /// Whether the login can be unlinked, which requires another usable login.
        var canUnlink = true
    }

    /// A second factor.
    struct Factor: Sendable {
        var uid: String
        var name: Phrase
    }

    var title: String { text.account.title }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            section("profile", text.account.profile) { profile }
            section("logins", text.account.logins) { loginList }
            if !isGuest { section("factors", text.account.factors) { factorList } }
            section("data", text.account.data) {
                p { link("/account/data", .download) { text.account.download } }
            }
            section("deletion", text.deletion.title) {
                link("/account/delete", .class("secondary")) { text.account.delete }
            }
        }
    }

    private var profile: HTML {
        build {
            if let initials {
                p(.class("initials"), .hiddenFromReaders) { value(initials) }
            }
            if isGuest {
                div(.class("warning")) {
                    p { text.account.guest }
                    if canAddLogin {
                        HTML("a", [.href(element: "more"), .class("primary")], HTML(text.account.save))
                    }
                }
            }
            facts(
                [
                    (text.account.name, name.map { value($0) } ?? HTML(text.account.noName)),
                    email.map { (text.account.email, address($0)) },
                    (text.account.createdAt, time(createdAt)),
                ].compactMap(\.self)
            )
            if email != nil, !isEmailVerified, canVerifyEmail {
                button(to: "/verify-email/send", .secondary) { text.account.verify }
            }
        }
    }

    private func address(_ email: String) -> HTML {
        build {
            value(email)
            " ("
            isEmailVerified ? text.account.verified : text.account.notVerified
            ")"
        }
    }

    /// The initials of the name.
    ///
    /// The page does not show the provider's picture. Loading it would tell the provider who views this page, and when.
    var initials: String? {
        let words = (name ?? "").split(whereSeparator: \.isWhitespace)
        let ends = words.count > 1 ? [words.first, words.last] : [words.first]
        let letters = ends.compactMap { $0?.unicodeScalars.first }.filter(\.properties.isAlphabetic)
        guard !letters.isEmpty else { return nil }
        return String(String.UnicodeScalarView(letters)).uppercased()
    }
}

extension AccountPage {
    private var loginList: HTML {
        build {
            if !logins.isEmpty {
                ul(.class("cards")) {
                    for login in logins { li { card(login) } }
                }
            }
            if hasPassword == true { p { link("/password") { text.password.change } } }
            if canAddLogin {
                h3(.id("more")) { text.account.more }
                ul(.class("methods")) {
                    for provider in linkable {
                        li { linkButton(provider) }
                    }
                    if canLinkPhone {
                        li { link("/link/phone", .class("secondary")) { text.account.addPhone } }
                    }
                    if hasPassword == false {
                        li { link("/password", .class("secondary")) { text.password.add } }
                    }
                }
            }
        }
    }

    /// Whether the page offers a sign-in method that the account does not have.
    private var canAddLogin: Bool { !linkable.isEmpty || canLinkPhone || hasPassword == false }

    private func linkButton(_ provider: ProviderChoice) -> HTML {
        button(to: LocalPath("/link").appending(provider.id), .secondary) {
            logo(of: provider)
            text.account.link(provider.name)
        }
    }

    private func card(_ login: Login) -> HTML {
        build {
            h3 { text.account.loginAs(login.provider.name, login.name) }
            if let obstacle = login.obstacle { p(.class("problem")) { obstacle } }
            if login.canLinkAgain { linkButton(login.provider) }
            facts(
                [
                    login.permissions.isEmpty ? nil : (text.account.shares, permissions(login.permissions)),
                    login.declinedPermissions.isEmpty
                        ? nil : (text.permissions.declined, permissions(login.declinedPermissions)),
                    (text.account.linkedAt, time(login.linkedAt)),
                    (text.account.lastUsed, time(login.lastUsedAt)),
                ].compactMap(\.self)
            )
            if login.hasPermissionsPage {
                p { link(.permissions(at: login.provider.id)) { text.permissions.manage } }
            }
            if login.canUnlink {
                button(to: "/unlink", .secondary, [("provider", login.provider.id), ("uid", login.uid)]) {
                    text.account.unlink(login.provider.name)
                }
            } else if login.obstacle == nil {
                p(.class("hint")) { text.account.lastLogin }
            }
        }
    }

    private func permissions(_ names: [String]) -> HTML {
        ul { for name in names { li { value(text.account.permission(name)) } } }
    }

    private var factorList: HTML {
        build {
            if factors.isEmpty {
                p { text.account.noFactors }
            } else {
                ul(.class("cards")) {
                    for factor in factors {
                        li {
                            h3 { factor.name }
                            button(
                                to: LocalPath("/second-factor").appending(factor.uid).appending("remove"),
                                .secondary
                            ) {
                                text.account.removeFactor(factor.name.plainText)
                            }
                        }
                    }
                }
                p { recoveryCodes == 0 ? text.account.noCodes : text.account.codesLeft(recoveryCodes) }
                button(to: "/recovery-codes", .secondary) { text.account.makeCodes }
            }
            p { link("/second-factor") { text.enroll.title } }
            if canEnrollPhone { p { link("/second-factor/phone") { text.phone.enrollTitle } } }
        }
    }
}
#endif
