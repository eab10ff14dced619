// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The page with the user's sessions.
struct SessionsPage: Page {
    var frame: PageFrame
    var sessions: [Entry]

    /// A session.
    struct Entry: Sendable {
        var id: String

        /// The `User-Agent` header of the device.
        var device: String?

        /// The prefix of the network address.
        var network: String?

        var isConfirmed = false
        var openedAt: Date
        var lastSeenAt: Date
        var isCurrent = false
    }

    var title: String { text.frame.sessions }

    var content: HTML {
        build {
            ul(.class("cards")) {
                for session in sessions { li { card(session) } }
            }
            if sessions.contains(where: { !$0.isCurrent }) {
                button(to: "/sessions/close-others", .secondary) { text.sessions.closeOthers }
            } else {
                p { text.sessions.noOthers }
            }
        }
    }

    @HTMLBuilder private func card(_ session: Entry) -> HTML {
        h2(.class("small")) { value(name(of: session)) }
        if session.isCurrent { p(.class("mark")) { text.sessions.current } }
        if session.isConfirmed { p { text.sessions.confirmed } }
        facts(
            [
                session.network.map { (text.sessions.network, value($0)) },
                (text.sessions.lastSeen, time(session.lastSeenAt)),
                (text.sessions.opened, time(session.openedAt)),
            ].compactMap(\.self)
        )
        if !session.isCurrent {
            button(to: LocalPath("/sessions").appending(session.id).appending("close"), .secondary) {
                text.sessions.close(name(of: session))
            }
        }
    }

    private func name(of session: Entry) -> String {
        guard let device = session.device, !device.isEmpty else { return text.sessions.unknownDevice }
        guard let known = Device(userAgent: device) else { return device }
        return text.sessions.device(known.browser, known.system)
    }
}
#endif
