// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A provider, as people choose it.
struct ProviderChoice: Sendable, Hashable {
    /// Its name in addresses.
    var id: String

    /// Its name for people.
    var name: String
}

/// The page where people sign in.
struct LoginPage: Page {
    var frame: PageFrame
    var providers: [ProviderChoice] = []

    /// The shortest password of a new account, in characters; nil where passwords are not offered.
    var passwordMinimum: Int?

    /// The address that was typed before.
    var email: String?

    /// Where to go on afterwards.
    var returnTo = LocalPath.home

    var problems: [FieldProblem] = []

    var title: String { text.login.title }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            for provider in providers {
                button(to: LocalPath("/login").appending(provider.id), .primary, returning(to: returnTo)) {
                    text.login.with(provider.name)
                }
            }
            if passwordMinimum != nil {
                if providers.isEmpty {
                    passwordForm
                } else {
                    section("password-form", text.login.orPassword) { passwordForm }
                }
            } else if providers.isEmpty {
                p { text.login.nothing }
            }
        }
    }

    private var passwordForm: HTML {
        build {
            form(to: "/login/password", returning(to: returnTo)) {
                field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                field(FormField(id: "password", label: text.login.password, kind: .currentPassword))
                submit { text.login.submit }
            }
            p { link("/forgotten-password") { text.login.forgotten } }
            p { link(LocalPath("/sign-up").returning(to: returnTo)) { text.signUp.title } }
        }
    }
}

extension Page {
    /// The hidden field that says where to go on.
    func returning(to path: LocalPath) -> [(String, String)] {
        path == .home ? [] : [("returnTo", path.text)]
    }
}
#endif
