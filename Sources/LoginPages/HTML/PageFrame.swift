// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// What every page has, whatever it is about.
struct PageFrame: Sendable {
    /// The words.
    var text: PageText

    /// The token that every form carries.
    var csrf: String

    /// Who is signed in.
    var visitor: Visitor

    /// What has just been done; nil where there is nothing to say.
    var notice: Notice?

    /// Who looks at the page.
    enum Visitor: Sendable, Hashable {
        /// Nobody who is signed in.
        case stranger
        /// Somebody, with the name, if that is known.
        case person(name: String?)
    }

    init(text: PageText = PageText(), csrf: String, visitor: Visitor = .stranger, notice: Notice? = nil) {
        self.text = text
        self.csrf = csrf
        self.visitor = visitor
        self.notice = notice
    }
}

/// What has just been done, as the next page says it.
///
/// It travels in the query of that page, since it is needed once, and by nobody else. Anybody may write such a link: so a notice says
/// nothing but what one of these fixed sentences says, and nothing follows from it.
enum Notice: String, Sendable, CaseIterable {
    case cancelled, linked, unlinked, merged, factorAdded, factorRemoved, sessionClosed, othersClosed, messageSent,
        emailProven, passwordChanged, confirmed, notRecent, notLinked

    /// The sentence.
    func sentence(_ text: PageText) -> String {
        switch self {
        case .cancelled: text.notices.cancelled
        case .linked: text.notices.linked
        case .unlinked: text.notices.unlinked
        case .merged: text.notices.merged
        case .factorAdded: text.notices.factorAdded
        case .factorRemoved: text.notices.factorRemoved
        case .sessionClosed: text.notices.sessionClosed
        case .othersClosed: text.notices.othersClosed
        case .messageSent: text.notices.messageSent
        case .emailProven: text.notices.emailProven
        case .passwordChanged: text.notices.passwordChanged
        case .confirmed: text.notices.confirmed
        case .notRecent: text.notices.notRecent
        case .notLinked: text.notices.notLinked
        }
    }
}

extension LocalPath {
    /// This path with what its page is to say first.
    func saying(_ notice: Notice) -> LocalPath { with("notice", notice.rawValue) }
}
#endif
