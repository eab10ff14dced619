// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The common parts of every page.
struct PageFrame: Sendable {
    /// The texts.
    let text: SharedText

    /// The CSRF token of the forms.
    var csrf: String

    /// The path of the service's logo; nil if there is none.
    var logo: LocalPath?

    /// The address for users who need help; nil if there is none.
    var support: SupportLink?

    /// The languages that the page offers; empty for no choice.
    var languages: [PageLanguages.Choice]

    /// The path of the page, to which the choice of a language returns.
    var path: LocalPath

    /// The visitor.
    var visitor: Visitor

    /// The notice about the previous action; nil for none.
    var notice: Notice?

    /// A visitor of a page.
    enum Visitor: Sendable, Hashable {
        /// A visitor who is not signed in.
        case signedOut
        /// The user of an anonymous account.
        case guest
        /// A signed-in user, with the name if it is known.
        case signedIn(name: String?)
    }

    /// The name of the visitor in the header; nil if nobody is signed in.
    var person: Phrase? {
        switch visitor {
        case .signedOut: nil
        case .guest: Phrase(stringLiteral: text.frame.guest)
        case .signedIn(let name): text.frame.signedInAs(name ?? text.frame.someone)
        }
    }

    init(
        text: SharedText = .english,
        csrf: String,
        logo: LocalPath? = nil,
        support: SupportLink? = nil,
        languages: [PageLanguages.Choice] = [],
        path: LocalPath = .home,
        visitor: Visitor = .signedOut,
        notice: Notice? = nil
    ) {
        self.text = text
        self.csrf = csrf
        self.logo = logo
        self.support = support
        self.languages = languages
        self.path = path
        self.visitor = visitor
        self.notice = notice
    }
}

/// A notice on the next page about an action that was just completed.
///
/// It is a field in the query of that page. Since anyone can write such a link, a notice is one of these fixed
/// sentences, and has no effect.
enum Notice: String, Sendable, CaseIterable {
    case cancelled, linked, unlinked, merged, factorAdded, factorRemoved, sessionClosed, othersClosed, messageSent,
        emailVerified, passwordChanged, confirmed, notRecent, permissionGranted, permissionDeclined, permissionUnknown,
        permissionRevoked, loginRevoked, notLinked, passwordSaved, phoneAdded, signedUp, repeatedCookie

    /// The kind of a notice, which determines its color and mark.
    enum Kind: Sendable {
        case success, neutral, warning
    }

    /// The kind.
    var kind: Kind {
        switch self {
        case .cancelled, .permissionDeclined, .permissionUnknown: .neutral
        case .notRecent, .notLinked, .repeatedCookie: .warning
        default: .success
        }
    }

    /// Returns the sentence.
    func sentence(_ text: SharedText) -> String {
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
        case .emailVerified: text.notices.emailVerified
        case .passwordChanged: text.notices.passwordChanged
        case .confirmed: text.notices.confirmed
        case .notRecent: text.notices.notRecent
        case .permissionGranted: text.notices.permissionGranted
        case .permissionDeclined: text.notices.permissionDeclined
        case .permissionUnknown: text.notices.permissionUnknown
        case .permissionRevoked: text.notices.permissionRevoked
        case .loginRevoked: text.notices.loginRevoked
        case .notLinked: text.notices.notLinked
        case .passwordSaved: text.notices.passwordSaved
        case .phoneAdded: text.notices.phoneAdded
        case .signedUp: text.notices.signedUp
        case .repeatedCookie: text.problem.repeatedCookie
        }
    }
}

extension LocalPath {
    /// Returns this path with a notice for its page.
    func with(notice: Notice) -> LocalPath { with("notice", notice.rawValue) }
}
#endif
