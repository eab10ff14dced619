// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The page where a login could not simply sign in, or be linked.
struct ConflictPage: Page {
    var frame: PageFrame

    /// What happened.
    var situation: Situation

    /// The name of the provider whose login waits.
    var provider: String

    /// What can stand in the way of a login.
    enum Situation: Sendable {
        /// An account has its address: the person signs in to that as before, and then it is linked.
        case address(email: String?, ways: [ProviderChoice], hasPassword: Bool)
        /// It was to be linked, and is another account's.
        case otherAccount
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
            case .otherAccount:
                p { text.conflict.elsewhere(provider) }
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
            button(to: LocalPath("/login").appending(way.id)) { text.login.with(way.name) }
        }
        if hasPassword {
            form(to: "/login/password") {
                // What is known need not be typed again (WCAG 2.2, 3.3.7).
                field(FormField(id: "email", label: text.login.email, kind: .email, value: email))
                field(FormField(id: "password", label: text.login.password, kind: .currentPassword))
                submit { text.login.submit }
            }
        }
    }
}
#endif
