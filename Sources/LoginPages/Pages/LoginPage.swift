// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// An identity provider that users can choose.
struct ProviderChoice: Sendable, Hashable {
    /// The ID, which is part of paths.
    var id: String

    /// The display name.
    var name: String

    /// The path of the logo; nil if there is none.
    var logo: LocalPath?
}

/// The sign-in page.
struct LoginPage: Page {
    var frame: PageFrame
    var providers: [ProviderChoice] = []

    /// The minimum length of a password, in bytes of UTF-8; nil if passwords are not offered.
    var passwordMinimum: Int?

    /// The previous input for the e-mail address.
    var email: String?

    /// Whether users can sign in with a phone number.
    var offersPhone = false

    /// Whether visitors can continue without a login.
    var allowsGuests = false

    /// The return path.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    var title: String { text.login.title }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            otherWays(providers, offersPhone: offersPhone, returnTo: returnTo)
            if passwordMinimum != nil {
                if !providers.isEmpty || offersPhone { p(.class("or")) { text.login.or } }
                passwordForm
            } else if providers.isEmpty, !offersPhone, !allowsGuests {
                p { text.login.nothing }
            }
            if allowsGuests {
                div(.class("guest")) {
                    button(to: "/guest", .quiet, returning(to: returnTo)) { text.login.guest }
                }
            }
        }
    }

    private var passwordForm: HTML {
        build {
            form(to: "/login/password", returning(to: returnTo)) {
                field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                field(FormField(id: "password", label: text.login.password, kind: .currentPassword))
                p { link("/forgotten-password") { text.login.forgotten } }
                submit { text.login.submit }
            }
            p {
                text.login.newHere
                " "
                link(LocalPath("/sign-up").returning(to: returnTo)) { text.signUp.title }
            }
        }
    }
}

extension Page {
    /// Returns the buttons of the providers and the link for phones, which sign users in and create accounts.
    func otherWays(_ providers: [ProviderChoice], offersPhone: Bool, returnTo: LocalPath) -> HTML {
        var ways = HTML()
        for provider in providers {
            var label = logo(of: provider)
            label += HTML(text.login.with(provider.name))
            let path = LocalPath("/login").appending(provider.id)
            ways += button(to: path, .secondary, returning(to: returnTo)) { label }
        }
        if offersPhone {
            let path = LocalPath("/login/phone").returning(to: returnTo)
            ways += link(path, .class("secondary")) { text.login.withPhone }
        }
        return ways
    }

    /// Returns the hidden field with the return path; none for the account page.
    func returning(to path: LocalPath) -> [(String, String)] {
        path == .home ? [] : [("returnTo", path.text)]
    }
}
#endif
