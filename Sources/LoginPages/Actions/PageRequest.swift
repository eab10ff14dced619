// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders

/// What a page is asked, after everything about HTTP was read and checked.
struct PageRequest: Sendable {
    /// Where it was asked.
    var path: LocalPath = .home

    /// The session of the cookie; nil where nobody is signed in.
    var session: Session?

    /// What waits in this browser.
    var waiting: WaitingStep?

    /// Whether a form was posted; otherwise a page was asked for.
    var isPosted = false

    /// The fields of the query.
    var query: [String: String] = [:]

    /// The fields of the form, whose token was checked.
    var form: [String: String] = [:]

    /// The token for the forms of the page that answers.
    var csrf: String

    /// From where it came.
    var origin: RequestOrigin?

    /// What it is known by in the log.
    var requestID: String

    /// The log of refused credentials; nil to log none.
    var refusals: RefusalLog?

    /// Where to go on, as the form or the query says; the account where neither does.
    var returnTo: LocalPath {
        (form["returnTo"] ?? query["returnTo"]).flatMap { LocalPath($0) } ?? .home
    }

    /// Where the user goes after a sign-in: where they wanted to go before their login met another account, or ``returnTo``.
    var destination: LocalPath {
        if case .conflict(let conflict) = waiting { conflict.returnTo } else { returnTo }
    }
}

extension PageRequest {
    /// Where to come back to after signing in once more: the page itself; for what was posted the page with its form.
    var comingBack: LocalPath { isPosted ? returnTo : path }

    /// The request, with the path that the user came for before a login at a provider; unchanged if there was none.
    func coming(for path: String?) -> Self {
        guard let path = path.flatMap({ LocalPath($0) }) else { return self }
        var request = self
        request.query["returnTo"] = path.text
        request.path = path
        return request
    }

    /// Returns the session of the request.
    ///
    /// - Throws: ``PageStop`` if nobody is signed in: the user signs in first.
    func signedIn() throws(PageStop) -> Session {
        guard let session else {
            throw PageStop(reply: .redirect(LocalPath("/login").returning(to: comingBack)))
        }
        return session
    }

    /// Returns the session of the account for which something waits in the browser.
    ///
    /// Whoever gets hold of what waits in a browser does nothing with it in a session of their own.
    ///
    /// - Throws: ``PageStop`` if nobody is signed in to the account.
    func signedIn(to account: AccountID) throws(PageStop) -> Session {
        let session = try signedIn()
        guard session.accountID == account else { throw PageStop(reply: PageReply.redirect(.home).waiting(nil)) }
        return session
    }
}

/// What a page answers, before it becomes HTTP.
struct PageReply: Sendable {
    /// What the browser gets.
    enum Body: Sendable {
        /// A page.
        case page(any Page)
        /// Nothing but where to go on: 303, so that nothing is sent twice.
        case redirect(LocalPath)
        /// The dialog of a provider, for a purpose that ends at the path; whether a sign-in requires a recent authentication.
        case provider(ProviderID, AttemptPurpose, returnTo: LocalPath, isRecent: Bool = false)
        /// A file for the person.
        case file([UInt8], name: StaticString, type: StaticString)
    }

    /// What becomes of a cookie.
    enum Change<Value: Sendable>: Sendable {
        case keep, clear
        case set(Value)
    }

    /// A session with its secrets.
    struct Signed: Sendable {
        var session: Session
        var tokens: SessionTokens
    }

    var body: Body

    /// The status of a page.
    var status = 200

    var session = Change<Signed>.keep
    var waiting = Change<WaitingStep>.keep

    /// In how many seconds to try again; nil where that is not known.
    var retryAfter: Int?

    static func page(_ page: any Page, status: Int = 200) -> Self { Self(body: .page(page), status: status) }

    static func redirect(_ path: LocalPath) -> Self { Self(body: .redirect(path)) }

    /// The same, with other secrets of a session.
    func with(_ result: AuthDataResult) -> Self {
        var reply = self
        reply.session = .set(Signed(session: result.session, tokens: result.tokens))
        return reply
    }

    /// The same, with what waits from now on; nil for nothing.
    func waiting(_ login: WaitingStep?) -> Self {
        var reply = self
        reply.waiting = login.map { .set($0) } ?? .clear
        return reply
    }
}

extension PageReply {
    /// Leads to the account that has the address of a login, which is linked there.
    static func conflict(of pending: PendingCredential, _ request: PageRequest) -> Self {
        let conflict = WaitingStep.Conflict(pending: .init(pending), returnTo: request.destination)
        return .redirect("/conflict").waiting(.conflict(conflict))
    }
}

/// Ends a request early, with an answer.
struct PageStop: Error {
    var reply: PageReply
}
#endif
