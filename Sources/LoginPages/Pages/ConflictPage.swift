// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page for a login that cannot sign in or be linked directly.
struct ConflictPage: Page {
    var frame: PageFrame

    /// The conflict.
    var situation: Situation

    /// The name of the provider of the pending login.
    var provider: String

    /// The conflict of a login.
    enum Situation: Sendable {
        /// The login's e-mail address belongs to an existing account.
        ///
        /// The user signs in to that account with another login, and the pending one is linked.
        case address(email: String?, ways: [ProviderChoice], hasPassword: Bool)
        /// The login was to be linked to the account with this name, but belongs to another account.
        case otherAccount(than: String)
    }

    var title: String {
        switch situation {
        case .address: text.conflict.title
        case .otherAccount: text.conflict.elsewhereTitle
        }
    }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            switch situation {
            case .address(let email, let ways, let hasPassword):
                if let email {
                    p { text.conflict.address(provider, email) }
                } else {
                    p { text.conflict.noAddress(provider) }
                }
                asBefore(email, ways, hasPassword)
                button(to: "/conflict", .secondary, [("action", "dismiss")]) { text.conflict.dismiss }
            case .otherAccount(let name):
                p { text.conflict.elsewhere(provider, name) }
                button(to: "/conflict", .primary, [("action", "join")]) { text.conflict.join }
                button(to: "/conflict", .secondary, [("action", "dismiss")]) { text.conflict.leave }
            }
        }
    }

    @HTMLBuilder private func asBefore(_ email: String?, _ ways: [ProviderChoice], _ hasPassword: Bool) -> HTML {
        if ways.isEmpty && !hasPassword {
            p { text.conflict.otherWays }
        } else {
            p { text.conflict.asBefore(provider) }
        }
        for way in ways {
            button(to: LocalPath("/login").appending(way.id), .secondary) {
                logo(of: way)
                text.login.with(way.name)
            }
        }
        if hasPassword {
            form(to: "/login/password") {
                // The known address need not be typed again (WCAG 2.2, 3.3.7).
                field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                field(FormField(id: "password", label: text.login.password, kind: .currentPassword))
                submit { text.login.submit }
            }
        }
    }
}
#endif
