// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHTTP

/// Creates the replies to errors.
struct ProblemReplies: Sendable {
    let frames: PageFrames

    private var text: SharedText { frames.text }

    /// Runs an action, and turns errors that concern the user into replies.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - action: The action.
    /// - Returns: The reply of the action, or the reply to its error.
    /// - Throws: Errors that the user cannot resolve. The service logs them and responds with a page.
    func run(_ request: PageRequest, _ action: (PageRequest) async throws -> PageReply) async throws -> PageReply {
        do {
            return try await action(request)
        } catch {
            // An error of an application's hook is handled like one of a handler.
            switch (error as? AuthError)?.applicationError ?? error {
            case let stop as PageStop: return stop.reply
            case let error as AuthError where ProblemCode(error.code).status.code < 500:
                request.refusals?.record(error)
                return await reply(to: error, request)
            case let fault as FormGuard.Fault:
                request.refusals?.recordForm(ProblemCode.crossSite.rawValue, reason: fault.rawValue)
                return await page(of: Problem(.crossSite), request, explanation: explanation(of: fault))
            case let error as Problem where error.status.code < 500: return await page(of: error, request)
            case let error: throw error
            }
        }
    }

    /// Returns the reply to an error of accounts: a redirect to the page that resolves it, or a page that explains it.
    func reply(to error: AuthError, _ request: PageRequest) async -> PageReply {
        switch error.reason {
        case .credentialAlreadyInUse(let pending?, _):
            guard let session = request.session else { return .conflict(of: pending, request) }
            return .redirect("/conflict").pendingStep(.otherAccount(.init(pending), of: session.accountID))
        case .emailAlreadyInUse(let pending?, _): return .conflict(of: pending, request)
        case .requiresRecentLogin:
            return .redirect(.page(of: .reauthenticate, returningTo: request.confirmedPath))
        case .secondFactorRequired:
            return .redirect(.page(of: .stepUp, returningTo: request.confirmedPath))
        case .invalidUserToken, .userTokenExpired, .accountMerged:
            var reply = PageReply.redirect(.page(of: .signIn, returningTo: request.returnPath))
            reply.session = .clear
            return reply
        default:
            return await page(of: error.code, request, retryAfter: error.retryAfter)
        }
    }

    /// Returns the page that explains an error of accounts.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - request: The request.
    ///   - retryAfter: The time after which a repetition may succeed; nil for none.
    ///   - returnTo: The return path of another sign-in; nil for that of the request.
    /// - Returns: The page.
    func page(
        of code: AuthError.Code,
        _ request: PageRequest,
        retryAfter: Duration? = nil,
        returnTo: LocalPath? = nil
    ) async -> PageReply {
        let code = ProblemCode(code)
        return reply(
            ProblemPage(
                frame: await frames.visitor(request),
                explanation: text.problem.explanation(code),
                code: code.rawValue,
                requestID: request.requestID,
                retryAfter: retryAfter.map { Int(clamping: Problem.seconds($0)) },
                remedy: remedy(for: code, request, returnTo)
            ),
            status: code.status.code
        )
    }

    /// Returns the page that explains a problem.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - request: The request.
    ///   - explanation: The explanation; nil for that of the code.
    ///   - provider: The name of the provider at which users who are not signed in can begin another login; nil for the
    ///     sign-in page.
    /// - Returns: The page.
    func page(
        of problem: Problem,
        _ request: PageRequest,
        explanation: String? = nil,
        newLoginAt provider: String? = nil
    ) async -> PageReply {
        var remedy = remedy(for: problem.code, request)
        if case .signIn(let path) = remedy, let provider { remedy = .newLogin(at: provider, returningTo: path) }
        var reply = reply(
            ProblemPage(
                frame: await frames.visitor(request),
                explanation: explanation ?? text.problem.explanation(problem.code),
                code: problem.code.rawValue,
                requestID: request.requestID,
                retryAfter: problem.headers[.retryAfter].flatMap { Int($0) },
                isNotFound: problem.code == .notFound,
                remedy: remedy
            ),
            status: problem.status.code
        )
        reply.problem = problem
        return reply
    }

    /// The codes of sign-ins that have failed or expired.
    private static let signInCodes: Set<ProblemCode> = [
        ProblemCode(.invalidCredential), ProblemCode(.missingOrInvalidNonce), ProblemCode(.missingMultiFactorSession),
        ProblemCode(.invalidMultiFactorSession), .missingSession,
    ]

    private func remedy(
        for code: ProblemCode,
        _ request: PageRequest,
        _ returnTo: LocalPath? = nil
    ) -> ProblemPage.Remedy {
        if code == ProblemCode(.invalidCredential) {
            if request.path.isPage("/new-password") { return .newLink("/forgotten-password") }
            // The account page sends another verification message.
            if request.path.isPage("/verify-email") { return .newLink(.home) }
        }
        return request.session == nil && Self.signInCodes.contains(code)
            ? .signIn(returnTo ?? request.returnTo) : .start
    }

    private func explanation(of fault: FormGuard.Fault) -> String {
        switch fault {
        case .otherSite: text.problem.otherSite
        case .noCookie: text.problem.noCookie
        case .repeatedCookie: text.problem.repeatedCookie
        case .token: text.problem.stale
        }
    }

    private func reply(_ page: ProblemPage, status: Int) -> PageReply {
        // Status 401 requires the header `WWW-Authenticate`, for which browsers show a dialog of their own (RFC 9110
        // §15.5.2).
        var reply = PageReply.page(page, status: status == 401 ? 403 : status)
        reply.retryAfter = page.retryAfter
        return reply
    }
}

extension LocalPath {
    /// Returns the page on which the user takes a step, and then returns to a path.
    static func page(of step: LoginStep, returningTo path: LocalPath) -> LocalPath {
        let page: LocalPath =
            switch step {
            case .signIn: "/login"
            case .reauthenticate: "/reauthenticate"
            case .stepUp: LocalPath("/reauthenticate").selecting(.confirm)
            }
        return page.returning(to: path)
    }
}
#endif
