// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page with the permissions of the account's logins at a provider.
struct PermissionsPage: Page {
    var frame: PageFrame
    var provider: ProviderChoice
    var logins: [Login]

    /// Whether the page offers to revoke a single permission, and not only the whole login.
    var canRevokeSinglePermission: Bool

    /// A login at the provider.
    struct Login: Sendable {
        /// The display name of the login.
        var name: String

        var permissions: [Entry]
    }

    /// A permission of a login.
    struct Entry: Sendable {
        /// The provider's name of the permission.
        var permission: String

        var status: Status

        /// Whether the permission is part of every login, and cannot be changed.
        var isBasic = false

        /// The reason why the service needs the permission, in a sentence; nil if there is none.
        var reason: String?
    }

    /// The status of a permission.
    enum Status: Sendable {
        case granted, declined, expired
        /// The provider has not reported the permission.
        case unknown
    }

    var title: String { text.permissions.title }

    var leadsToProviders: Bool { true }

    var content: HTML {
        build {
            p { text.permissions.intro(provider.name) }
            for login in logins {
                h2 { text.account.loginAs(provider.name, login.name) }
                if !login.permissions.isEmpty {
                    ul(.class("cards")) {
                        for entry in login.permissions { li { card(entry) } }
                    }
                }
            }
            h2 { text.permissions.all }
            p { text.permissions.allHint(provider.name) }
            button(to: path.appending("revoke-all"), .secondary) { text.permissions.revokeAll(provider.name) }
            p { link(.home) { text.permissions.back } }
        }
    }

    private var path: LocalPath { .permissions(at: provider.id) }

    @HTMLBuilder private func card(_ entry: Entry) -> HTML {
        h3 { value(name(of: entry)) }
        p(entry.status == .granted ? .class("mark") : .class("hint")) { status(entry.status) }
        if let reason = entry.reason { p { reason } }
        if !entry.isBasic {
            let hidden = [("permission", entry.permission)]
            switch entry.status {
            case .granted: HTML()
            case .declined, .expired:
                button(to: path.appending("request"), .secondary, hidden) {
                    text.permissions.requestAgain(name(of: entry))
                }
            case .unknown:
                button(to: path.appending("request"), .secondary, hidden) { text.permissions.request(name(of: entry)) }
            }
            if canRevokeSinglePermission, entry.status == .granted || entry.status == .unknown {
                button(to: path.appending("revoke"), .secondary, hidden) { text.permissions.revoke(name(of: entry)) }
            }
        }
    }

    private func name(of entry: Entry) -> String { text.account.permission(entry.permission) }

    private func status(_ status: Status) -> String {
        switch status {
        case .granted: text.permissions.granted
        case .declined: text.permissions.declined
        case .expired: text.permissions.expired
        case .unknown: text.permissions.unknown
        }
    }
}

extension LocalPath {
    /// Returns the page with the permissions at a provider.
    static func permissions(at provider: String) -> LocalPath { LocalPath("/permissions").appending(provider) }
}
#endif
