// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders

/// A request for a page, after HTTP was parsed and checked.
struct PageRequest: Sendable {
    /// The path of the request.
    var path: LocalPath = .home

    /// The session of the cookie; nil if nobody is signed in.
    var session: Session?

    /// The pending step in the browser's cookie.
    var pendingStep: PendingStep?

    /// Whether the request posted a form.
    var isPosted = false

    /// The fields of the query.
    var query: [String: String] = [:]

    /// The fields of the form, after its CSRF token was checked.
    var form: [String: String] = [:]

    /// The CSRF token for the forms of the response.
    var csrf: String

    /// The origin of the request: its network address and device.
    var origin: RequestOrigin?

    /// The ID of the request in the log.
    var requestID: String

    /// The log of refused credentials; nil to log none.
    var refusals: RefusalLog?

    /// The return path in the form or the query; the account page if neither has one.
    var returnTo: LocalPath { LocalPath(returnTo: form["returnTo"] ?? query["returnTo"]) }

    /// The path for the user after a sign-in: the return path of the pending conflict, or ``returnTo``.
    var destination: LocalPath {
        if case .conflict(let conflict) = pendingStep { conflict.returnTo } else { returnTo }
    }
}

extension PageRequest {
    /// The return path after a new sign-in: the page itself, or the return path of a posted form.
    var returnPath: LocalPath { isPosted ? returnTo : path }

    /// The return path after a reauthentication: the page whose form was posted, or ``returnPath``.
    var confirmedPath: LocalPath {
        let pages: [LocalPath] = [
            "/second-factor", "/second-factor/phone", "/link/phone", "/password", "/account/delete",
        ]
        guard isPosted, let page = pages.first(where: { path.isPage($0) }) else { return returnPath }
        return page.returning(to: returnTo)
    }

    /// Returns the request with the return path of a login at a provider.
    func returning(to path: LocalPath) -> Self {
        var request = self
        request.query["returnTo"] = path.text
        request.path = path
        return request
    }

    /// Returns the session of the request.
    ///
    /// - Throws: ``PageStop`` with a redirect to the sign-in, if nobody is signed in.
    func signedIn() throws(PageStop) -> Session {
        guard let session else {
            throw PageStop(reply: .redirect(.page(of: .signIn, returningTo: returnPath)))
        }
        return session
    }

    /// Returns the session, if it belongs to the account of the pending step.
    ///
    /// A pending step that was copied from another browser is useless in a session of another account.
    ///
    /// - Throws: ``PageStop`` if nobody is signed in to the account.
    func signedIn(to account: AccountID) throws(PageStop) -> Session {
        let session = try signedIn()
        guard session.accountID == account else { throw PageStop(reply: PageReply.redirect(.home).pendingStep(nil)) }
        return session
    }
}

/// The reply to a request, before it becomes an HTTP response.
struct PageReply: Sendable {
    /// The content of a reply.
    enum Body: Sendable {
        /// A page.
        case page(any Page)
        /// A redirect with status 303, after which a reload does not submit the form again.
        case redirect(LocalPath)
        /// A redirect to a provider for a purpose, with the return path, whether a sign-in requires a recent
        /// authentication, and the change of permissions that a reauthentication is for.
        case provider(
            ProviderID,
            AttemptPurpose,
            returnTo: LocalPath,
            isRecent: Bool = false,
            changing: PermissionChange? = nil
        )
        /// A file for the user.
        case file([UInt8], name: StaticString, type: StaticString)
    }

    /// The change of a cookie.
    enum Change<Value: Sendable>: Sendable {
        case keep, clear
        case set(Value)
    }

    /// A session with its tokens.
    struct Signed: Sendable {
        var session: Session
        var tokens: SessionTokens
    }

    var body: Body

    /// The status of a page.
    var status = 200

    var session = Change<Signed>.keep
    var pendingStep = Change<PendingStep>.keep

    /// The tag of the language that the user has chosen; nil to change nothing.
    var language: String?

    /// The time to wait before another attempt, in seconds; nil if unknown.
    var retryAfter: Int?

    /// The problem that a page explains; nil for none, or an error of accounts.
    var problem: Problem?

    static func page(_ page: any Page, status: Int = 200) -> Self { Self(body: .page(page), status: status) }

    static func redirect(_ path: LocalPath) -> Self { Self(body: .redirect(path)) }

    /// Returns the same reply, with the session tokens of a result.
    func with(_ result: AuthDataResult) -> Self {
        var reply = self
        reply.session = .set(Signed(session: result.session, tokens: result.tokens))
        return reply
    }

    /// Returns the same reply, with a pending step; nil to clear it.
    func pendingStep(_ step: PendingStep?) -> Self {
        var reply = self
        reply.pendingStep = step.map { .set($0) } ?? .clear
        return reply
    }
}

extension PageReply {
    /// Returns a redirect to the conflict page, for a login whose e-mail address belongs to an existing account.
    static func conflict(of pending: PendingCredential, _ request: PageRequest) -> Self {
        let conflict = PendingStep.Conflict(pending: .init(pending), returnTo: request.destination)
        return .redirect("/conflict").pendingStep(.conflict(conflict))
    }
}

/// Ends a request early with a reply.
struct PageStop: Error {
    var reply: PageReply
}
#endif
