// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import Logging
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders
internal import LoginTokens
internal import NIOCore

extension LoginPages {
    /// Adds the pages, each at its path.
    ///
    /// `OriginMiddleware` and `ProblemMiddleware` stand before it.
    ///
    /// - Parameter router: Where to.
    public func addRoutes(to router: some RouterMethods<Context>) {
        let pages = router.group().add(middleware: PageProblemMiddleware(self, isOfPages: true))
            .add(middleware: SessionAuthenticator(actions.auth, staleCookie: .forget, clock: clock))
        addSignIn(to: pages)
        addAccount(to: pages)
        addSecondFactors(to: pages)
        // What changes something is a form: who asks for it as for a page is told so.
        for path in ["sign-out", "unlink", "sessions/close-others", "recovery-codes", "verify-email/send"] {
            pages.refuseOtherMethods(at: path, than: [.post])
        }
        router.get(RouterPath(StyleSheet.route)) { request, _ in
            let isCurrent = request.uri.query == "v=\(StyleSheet.version)"
            return Response(
                status: .ok,
                headers: headers.styleSheet(isCurrent: isCurrent),
                body: ResponseBody(byteBuffer: ByteBuffer(string: StyleSheet.text))
            )
        }
    }

    private func addSignIn(to router: some RouterMethods<Context>) {
        router.get("login") { request, context in try await get(request, context, actions.login) }
        router.post("login/password") { request, context in try await post(request, context, actions.passwordLogin) }
        router.post("login/:provider") { request, context in
            try await post(request, context) {
                try actions.beginLogin($0, provider: context.parameters.get("provider"))
            }
        }
        router.get("login/:provider/callback") { request, context in
            // What looks ahead at addresses uses up no login.
            guard request.method == .get else { throw Problem(.methodNotAllowed, headers: [.allow: "GET, POST"]) }
            return try await finish(request, context, LoginCallback(query: request.uri.query ?? ""))
        }
        router.post("login/:provider/callback") { request, context in try await finishPosted(request, context) }
        router.get("sign-up") { request, context in try await get(request, context, actions.signUpForm) }
        router.post("sign-up") { request, context in try await post(request, context, actions.signUp) }
        router.get("conflict") { request, context in try await get(request, context, actions.conflict) }
        router.post("conflict") { request, context in try await post(request, context, actions.decideConflict) }
        router.post("sign-out") { request, context in try await post(request, context, actions.signOut) }
        router.get("signed-out") { request, context in try await get(request, context, actions.signedOut) }
        router.get("forgotten-password") { request, context in
            try await get(request, context, actions.forgottenPassword)
        }
        router.post("forgotten-password") { request, context in
            try await post(request, context, actions.sendPasswordReset)
        }
        router.get("new-password") { request, context in try await get(request, context, actions.newPassword) }
        router.post("new-password") { request, context in try await post(request, context, actions.setNewPassword) }
    }

    private func addAccount(to router: some RouterMethods<Context>) {
        router.get("/") { request, context in try await get(request, context, actions.account) }
        router.get("account/data") { request, context in try await get(request, context, actions.data) }
        router.get("account/delete") { request, context in try await get(request, context, actions.deletionForm) }
        router.post("account/delete") { request, context in try await post(request, context, actions.delete) }
        router.post("link/:provider") { request, context in
            try await post(request, context) {
                try await actions.beginLink($0, provider: context.parameters.get("provider"))
            }
        }
        router.post("unlink") { request, context in try await post(request, context, actions.unlink) }
        router.get("merge") { request, context in try await get(request, context, actions.mergeForm) }
        router.post("merge") { request, context in try await post(request, context, actions.merge) }
        router.get("sessions") { request, context in try await get(request, context, actions.sessions) }
        router.post("sessions/close-others") { request, context in
            try await post(request, context, actions.closeOthers)
        }
        router.post("sessions/:id/close") { request, context in
            try await post(request, context) { try await actions.close($0, session: context.parameters.get("id")) }
        }
        router.get("verify-email") { request, context in try await get(request, context, actions.verifyForm) }
        router.post("verify-email") { request, context in try await post(request, context, actions.verify) }
        router.post("verify-email/send") { request, context in
            try await post(request, context, actions.sendVerification)
        }
    }

    private func addSecondFactors(to router: some RouterMethods<Context>) {
        router.get("login/second-factor") { request, context in
            try await get(request, context, actions.secondFactorForm)
        }
        router.post("login/second-factor") { request, context in
            try await post(request, context, actions.secondFactor)
        }
        router.get("reauthenticate") { request, context in
            try await get(request, context, actions.reauthenticateForm)
        }
        router.post("reauthenticate") { request, context in try await post(request, context, actions.reauthenticate) }
        router.post("reauthenticate/:provider") { request, context in
            try await post(request, context) {
                try actions.beginReauthentication($0, provider: context.parameters.get("provider"))
            }
        }
        router.get("second-factor") { request, context in try await get(request, context, actions.enrollForm) }
        router.post("second-factor") { request, context in try await post(request, context, actions.enroll) }
        router.post("second-factor/:uid/remove") { request, context in
            try await post(request, context) { try await actions.removeFactor($0, uid: context.parameters.get("uid")) }
        }
        router.post("recovery-codes") { request, context in try await post(request, context, actions.recoveryCodes) }
    }
}

/// The second half of a login at a provider.
extension LoginPages {
    /// The longest form that a provider has a browser post, in bytes.
    private static var longestCallback: Int { 32 * 1024 }

    /// Ends a login with a form that the provider had the browser post.
    ///
    /// No cookie of this site alone comes with it, so nobody seems signed in. What is about a session goes on with GET, with which
    /// such cookies do come.
    private func finishPosted(_ request: Request, _ context: Context) async throws -> Response {
        try request.requireType("application/x-www-form-urlencoded")
        let form = try await request.bytes(upTo: Self.longestCallback)
        if context.identity == nil, let waiting = waitingLogin(of: request), waiting.purpose != .signIn {
            guard let path = LocalPath("\(request.uri.path)?\(String(decoding: form, as: UTF8.self))") else {
                throw Problem(.invalidRequest)
            }
            return redirect(to: path.text)
        }
        return try await finish(request, context, LoginCallback(form: form))
    }

    /// Ends a login with what the browser brings back from a provider.
    private func finish(_ request: Request, _ context: Context, _ callback: LoginCallback) async throws -> Response {
        let token = guardian.token(for: request, context)
        var asked = pageRequest(request, context, token)
        // What the query of a callback says is the provider's.
        asked.query = [:]
        asked.path = .home
        var stillWaits = false
        let reply = try await actions.run(asked) { asked in
            do {
                let outcome = try await browser.finish(
                    callback,
                    at: context.parameters.get("provider") ?? "",
                    waitingLogin(of: request),
                    session: context.identity,
                    from: context.login.origin
                )
                return await actions.finished(outcome, asked)
            } catch let failure as BrowserLogin.Failure {
                if let reason = failure.reason {
                    log(reason, context)
                    stillWaits = Self.isOfVisitor(reason)
                } else if failure.error == nil {
                    asked.refusals?.record(
                        failure.problem.code.rawValue,
                        provider: context.parameters.get("provider")
                    )
                }
                return try actions.failed(failure, asked)
            }
        }
        var response = try await response(to: reply, request, token)
        // A request of another site, which may come without the cookie, does not end the login that the browser has begun.
        if !stillWaits, waitingLogin(of: request) != nil { WaitingLogin.cookie.clear(in: &response) }
        return response
    }

    /// Tells the operator why a login at a provider came to nothing: a wrong secret of the client shows here, and nowhere else.
    private func log(_ failure: LoginFailure, _ context: Context) {
        context.logger.log(
            level: Self.isOfVisitor(failure) ? .info : .warning,
            "login failed",
            metadata: [
                "provider": "\(context.parameters.get("provider") ?? "")", "error.code": "\(failure.code)",
                "error.detail": "\(failure)",
            ]
        )
    }

    /// Whether anybody can cause it, by an address they make up: no attempt came to its end.
    private static func isOfVisitor(_ failure: LoginFailure) -> Bool {
        [.callback, .stateUnknown, .expired, .replayed, .startedElsewhere].contains(failure.code)
    }

    private func waitingLogin(of request: Request) -> WaitingLogin? {
        WaitingLogin.cookie.value(in: request, secrets: actions.auth.secrets, at: clock.now)
    }
}

extension PageActions {
    /// Goes on after a login at a provider.
    func finished(_ outcome: BrowserLogin.Outcome, _ request: PageRequest) async -> PageReply {
        switch outcome {
        case .cancelled(.signIn, let returnTo):
            // Another way to sign in to the account is chosen where this one was.
            if case .conflict = request.waiting { return .redirect(LocalPath("/conflict").saying(.cancelled)) }
            let path = returnTo.flatMap { LocalPath($0) } ?? .home
            return .redirect(LocalPath("/login").returning(to: path).saying(.cancelled))
        case .cancelled(.link, _):
            return .redirect(LocalPath.home.saying(.cancelled))
        case .cancelled(.reauthenticate, let returnTo):
            let path = returnTo.flatMap { LocalPath($0) } ?? .home
            return .redirect(LocalPath("/reauthenticate").returning(to: path).saying(.cancelled))
        case .signIn(let outcome, let returnTo):
            return await reply(to: outcome, request.coming(for: returnTo))
        case .linked(let result):
            return PageReply.redirect(LocalPath.home.saying(.linked)).with(result)
        case .reauthenticated(let result, let returnTo):
            let path = returnTo.flatMap { LocalPath($0) } ?? .home
            return PageReply.redirect(path.saying(.confirmed)).with(result)
        }
    }

    /// Goes on after a login at a provider that failed; where something can be done about it, the user comes back to the path that
    /// they came for.
    ///
    /// - Throws: What ``run(_:_:)`` makes a page of.
    func failed(_ failure: BrowserLogin.Failure, _ request: PageRequest) throws -> PageReply {
        guard let error = failure.error, error.code.httpStatus < 500 else { throw failure.error ?? failure.problem }
        request.refusals?.record(error)
        let request = request.coming(for: failure.returnTo)
        if failure.purpose == .reauthenticate, error.code == .requiresRecentLogin {
            return .redirect(LocalPath("/reauthenticate").returning(to: request.returnTo).saying(.notRecent))
        }
        return reply(to: error, request)
    }
}
#endif
