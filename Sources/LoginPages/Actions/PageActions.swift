// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders

/// What each page does, without HTTP: from a request follows a reply.
///
/// What is asked for by GET changes nothing. What is posted changes something and redirects, or comes back with what is wrong.
struct PageActions: Sendable {
    var auth: Auth
    var text = PageText()

    /// The minimum length of a password, in characters; nil where passwords are not offered.
    var passwordMinimum: Int? {
        auth.providerIDs.contains(.password) ? auth.policy.passwords.minimumBytes : nil
    }

    /// Runs an action; what it refuses becomes the answer that helps.
    ///
    /// - Throws: What nobody who looks at the page can do anything about: ``PageProblemMiddleware`` logs that, and says so.
    func run(_ request: PageRequest, _ action: (PageRequest) async throws -> PageReply) async throws -> PageReply {
        do {
            return try await action(request)
        } catch {
            // A hook of the application responds as a handler does.
            switch (error as? AuthError)?.applicationError ?? error {
            case let stop as PageStop: return stop.reply
            case let error as AuthError where error.code.httpStatus < 500:
                request.refusals?.record(error)
                return reply(to: error, request)
            case let error as Problem where error.status.code < 500: return problem(error, request)
            case let error: throw error
            }
        }
    }

    /// Leads on from a refusal, where something can be done about it.
    func reply(to error: AuthError, _ request: PageRequest) -> PageReply {
        switch error.reason {
        case .credentialAlreadyInUse(let pending?, _):
            guard let session = request.session else { return .conflict(of: pending, request) }
            return .redirect("/conflict").waiting(.otherAccount(.init(pending), of: session.accountID))
        case .emailAlreadyInUse(let pending?, _): return .conflict(of: pending, request)
        case .requiresRecentLogin:
            return .redirect(LocalPath("/reauthenticate").returning(to: request.comingBack))
        case .secondFactorRequired:
            return .redirect(LocalPath("/reauthenticate").with("way", "choose").returning(to: request.comingBack))
        case .invalidUserToken, .userTokenExpired, .accountMerged:
            var reply = PageReply.redirect(LocalPath("/login").returning(to: request.comingBack))
            reply.session = .clear
            return reply
        default:
            return problem(error.code, request, retryAfter: error.retryAfter)
        }
    }

    /// The page that says what did not work.
    func problem(_ code: AuthError.Code, _ request: PageRequest, retryAfter: Duration? = nil) -> PageReply {
        let code = ProblemCode(code)
        return problem(
            ProblemPage(
                frame: strangersFrame(request),
                explanation: text.problem.explanation(code),
                code: code.rawValue,
                requestID: request.requestID,
                retryAfter: retryAfter.map { Int(clamping: Problem.seconds($0)) }
            ),
            status: code.status.code
        )
    }

    /// The page that says what did not work, where no account is concerned.
    func problem(_ problem: Problem, _ request: PageRequest) -> PageReply {
        // What the API says of cross-site requests is for programs.
        let isStale = problem.code == .crossSite
        return self.problem(
            ProblemPage(
                frame: strangersFrame(request),
                explanation: isStale ? text.problem.stale : text.problem.explanation(problem.code),
                code: problem.code.rawValue,
                requestID: request.requestID,
                retryAfter: problem.headers[.retryAfter].flatMap { Int($0) },
                isNotFound: problem.code == .notFound
            ),
            status: problem.status.code
        )
    }

    private func problem(_ page: ProblemPage, status: Int) -> PageReply {
        // Status 401 asks for a header that makes browsers show a dialog of their own (RFC 9110 §15.5.2).
        var reply = PageReply.page(page, status: status == 401 ? 403 : status)
        reply.retryAfter = page.retryAfter
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
}

/// What several actions need.
extension PageActions {
    /// The session; who has none signs in first.
    func signedIn(_ request: PageRequest) throws -> Session {
        guard let session = request.session else {
            throw PageStop(reply: .redirect(LocalPath("/login").returning(to: request.comingBack)))
        }
        return session
    }

    func strangersFrame(_ request: PageRequest) -> PageFrame {
        PageFrame(
            text: text,
            csrf: request.csrf,
            notice: request.query["notice"].flatMap { Notice(rawValue: $0) }
        )
    }

    func frame(_ request: PageRequest, _ account: Account) -> PageFrame {
        var frame = strangersFrame(request)
        frame.visitor = .person(name: account.displayName ?? account.email)
        return frame
    }

    func choice(_ id: ProviderID) -> ProviderChoice { ProviderChoice(id: id.rawValue, name: name(of: id)) }

    /// The providers that have a button: an operator may have switched one off.
    var choices: [ProviderChoice] {
        auth.providers.enabled.filter(\.offersBrowserLogin).map { choice($0.id) }
    }

    /// The provider whose button was pressed.
    func provider(named name: String?) throws -> ProviderID {
        let bytes = Array((name ?? "").utf8)
        guard
            let provider = auth.providers.all.first(where: {
                $0.offersBrowserLogin && $0.id.rawValue.utf8.elementsEqual(bytes)
            })
        else {
            throw PageStop(reply: PageReply.redirect("/login"))
        }
        return provider.id
    }

    /// What people call a provider.
    func name(of id: ProviderID) -> String {
        switch id {
        case .password: text.account.passwordLogin
        case .phone: text.account.phoneLogin
        default: auth.providers.all.first { $0.id == id }?.displayName ?? id.rawValue
        }
    }

    /// Returns what is wrong with a form, where a refusal is about one of its fields; otherwise throws the refusal.
    func problems(of error: AuthError, _ fields: [AuthError.Code: String], _ request: PageRequest) throws
        -> [FieldProblem]
    {
        guard let field = fields[error.code] else { throw error }
        request.refusals?.record(error)
        let message =
            if case .replayedVerificationCode = error.reason {
                text.secondFactor.codeReplayed
            } else {
                text.problem.explanation(ProblemCode(error.code))
            }
        return [FieldProblem(field: field, message: message)]
    }

    /// What is missing in a form: the fields that are empty, with what to say.
    func missing(_ request: PageRequest, _ fields: KeyValuePairs<String, String>) -> [FieldProblem] {
        fields.compactMap { name, message in
            (request.form[name] ?? "").isEmpty ? FieldProblem(field: name, message: message) : nil
        }
    }
}
#endif
