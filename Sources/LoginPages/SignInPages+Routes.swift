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

extension SignInPages {
    /// Adds the routes of the pages.
    ///
    /// Add `OriginMiddleware` and `ProblemMiddleware` before it.
    ///
    /// - Parameter router: The router.
    public func addRoutes(to router: some RouterMethods<Context>) {
        let pages = router.group().add(middleware: PageProblemMiddleware(self, isOfPages: true))
            .add(middleware: SessionAuthenticator(auth, staleCookie: .forget, clock: clock))
        addSignIn(to: pages)
        addAccount(to: pages)
        addSecondFactors(to: pages)
        addPhones(to: pages)
        // These paths accept forms only. Other methods get 405.
        for path in [
            "sign-out", "guest", "language", "unlink", "sessions/close-others", "verify-email/send",
            "reauthenticate/phone",
        ] {
            pages.refuseOtherMethods(at: path, than: [.post])
        }
        pages.post("language") { request, context in
            try await post(request, context) { asked in
                guard let language = languages.index(of: asked.form["language"] ?? "") else {
                    throw Problem(.invalidRequest)
                }
                var reply = PageReply.redirect(asked.returnTo)
                reply.language = languages.choices[language].tag
                return reply
            }
        }
        for asset in PageAsset.all + logos.all {
            router.get(RouterPath(asset.route)) { request, _ in
                let isCurrent = request.uri.query == "v=\(asset.version)"
                return Response(
                    status: .ok,
                    headers: headers.file(asset, isCurrent: isCurrent),
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes))
                )
            }
        }
    }

    private func addSignIn(to router: some RouterMethods<Context>) {
        addPage("login", to: router) { try await $0.signIn.login($1) }
        addForm("login/password", to: router) { try await $0.signIn.passwordLogin($1) }
        addForm("login/:provider", parameter: "provider", to: router) { try $0.signIn.beginLogin($1, provider: $2) }
        router.get("login/:provider/callback") { request, context in
            // A HEAD request, as of a link preview, must not use up the login.
            guard request.method == .get else { throw Problem(.methodNotAllowed, headers: [.allow: "GET, POST"]) }
            let query = request.uri.query ?? ""
            switch responseMode(context) {
            case .fragment where query.isEmpty:
                return try await get(request, context, actions(request).providers.fragmentPage)
            case .formPost where query.isEmpty:
                let posted = pendingLogin(of: request)?.callback ?? ""
                return try await finish(request, context, LoginCallback(form: Array(posted.utf8)))
            default: return try await finish(request, context, LoginCallback(query: query))
            }
        }
        router.post("login/:provider/callback") { request, context in try await finishPosted(request, context) }
        addForm("guest", to: router) { try await $0.signIn.guest($1) }
        addPage("sign-up", to: router) { try $0.signIn.signUpForm($1) }
        addForm("sign-up", to: router) { try await $0.signIn.signUp($1) }
        addPage("conflict", to: router) { try await $0.conflicts.conflict($1) }
        addForm("conflict", to: router) { try await $0.conflicts.decide($1) }
        addForm("sign-out", to: router) { try await $0.signIn.signOut($1) }
        addPage("signed-out", to: router) { $0.signIn.signedOut($1) }
        addPage("forgotten-password", to: router) { try $0.passwords.forgottenPassword($1) }
        addForm("forgotten-password", to: router) { try await $0.passwords.sendPasswordReset($1) }
        addPage("new-password", to: router) { try $0.passwords.newPassword($1) }
        addForm("new-password", to: router) { try await $0.passwords.setNewPassword($1) }
    }

    private func addAccount(to router: some RouterMethods<Context>) {
        addPage("/", to: router) { try await $0.account.account($1) }
        addPage("account/data", to: router) { try await $0.account.data($1) }
        addPage("password", to: router) { try await $0.passwords.changeForm($1) }
        addForm("password", to: router) { try await $0.passwords.change($1) }
        addPage("account/delete", to: router) { try await $0.account.deletionForm($1) }
        addForm("account/delete", to: router) { try await $0.account.delete($1) }
        addForm("link/:provider", parameter: "provider", to: router) {
            try await $0.linking.beginLink($1, provider: $2)
        }
        addForm("unlink", to: router) { try await $0.linking.unlink($1) }
        addPermissions(to: router)
        addPage("merge", to: router) { try await $0.merging.mergeForm($1) }
        addForm("merge", to: router) { try await $0.merging.merge($1) }
        addPage("sessions", to: router) { try await $0.sessions.sessions($1) }
        addForm("sessions/close-others", to: router) { try await $0.sessions.closeOthers($1) }
        addForm("sessions/:id/close", parameter: "id", to: router) { try await $0.sessions.close($1, session: $2) }
        addPage("verify-email", to: router) { try await $0.emails.verifyForm($1) }
        addForm("verify-email", to: router) { try await $0.emails.verify($1) }
        addForm("verify-email/send", to: router) { try await $0.emails.sendVerification($1) }
    }

    private func addPermissions(to router: some RouterMethods<Context>) {
        addPage("permissions/:provider", parameter: "provider", to: router) {
            try await $0.permissions.permissions($1, provider: $2)
        }
        addForm("permissions/:provider/request", parameter: "provider", to: router) {
            try await $0.permissions.request($1, provider: $2)
        }
        addForm("permissions/:provider/revoke", parameter: "provider", to: router) {
            try await $0.permissions.revoke($1, provider: $2)
        }
        addForm("permissions/:provider/revoke-all", parameter: "provider", to: router) {
            try $0.permissions.revokeAll($1, provider: $2)
        }
    }

    private func addPhones(to router: some RouterMethods<Context>) {
        for use in [PhonePage.Use.signIn, .link, .secondFactor] {
            addPage(RouterPath(use.path.text), to: router) { try await $0.phones.form($1, for: use) }
        }
        for use in [PhonePage.Use.signIn, .link, .reauthentication, .secondFactor] {
            addForm(RouterPath(use.path.text), to: router) { try await $0.phones.submit($1, for: use) }
        }
    }

    private func addSecondFactors(to router: some RouterMethods<Context>) {
        addPage("login/second-factor", to: router) { try await $0.secondFactor.secondFactorForm($1) }
        addForm("login/second-factor", to: router) { try await $0.secondFactor.secondFactor($1) }
        addPage("reauthenticate", to: router) { try await $0.reauthentication.reauthenticateForm($1) }
        addForm("reauthenticate", to: router) { try await $0.reauthentication.reauthenticate($1) }
        addForm("reauthenticate/:provider", parameter: "provider", to: router) {
            try $0.reauthentication.beginReauthentication($1, provider: $2)
        }
        addPage("second-factor", to: router) { try await $0.enrollment.enrollForm($1) }
        addForm("second-factor", to: router) { try await $0.enrollment.enroll($1) }
        addForm("second-factor/:uid/remove", parameter: "uid", to: router) {
            try await $0.enrollment.removeFactor($1, uid: $2)
        }
        addPage("recovery-codes", to: router) { try await $0.enrollment.recoveryOffer($1) }
        addForm("recovery-codes", to: router) { try await $0.enrollment.recoveryCodes($1) }
    }
}

/// The routes of the actions.
extension SignInPages {
    private typealias Action = @Sendable (PageActions, PageRequest) async throws -> PageReply

    /// An action with a parameter of the path.
    private typealias ParameterAction = @Sendable (PageActions, PageRequest, String?) async throws -> PageReply

    /// Adds a page that an action returns.
    private func addPage(_ path: RouterPath, to router: some RouterMethods<Context>, _ action: @escaping Action) {
        router.get(path) { request, context in
            try await get(request, context) { try await action(actions(request), $0) }
        }
    }

    /// Adds a page that an action returns for a parameter of the path.
    private func addPage(
        _ path: RouterPath,
        parameter: String,
        to router: some RouterMethods<Context>,
        _ action: @escaping ParameterAction
    ) {
        router.get(path) { request, context in
            try await get(request, context) {
                try await action(actions(request), $0, context.parameters.get(parameter))
            }
        }
    }

    /// Adds an action for the forms of pages.
    private func addForm(_ path: RouterPath, to router: some RouterMethods<Context>, _ action: @escaping Action) {
        router.post(path) { request, context in
            try await post(request, context) { try await action(actions(request), $0) }
        }
    }

    /// Adds an action for the forms of pages, with a parameter of the path.
    private func addForm(
        _ path: RouterPath,
        parameter: String,
        to router: some RouterMethods<Context>,
        _ action: @escaping ParameterAction
    ) {
        router.post(path) { request, context in
            try await post(request, context) {
                try await action(actions(request), $0, context.parameters.get(parameter))
            }
        }
    }
}

/// The second half of a login at a provider.
extension SignInPages {
    /// The maximum length of a form that a provider has the browser post, in bytes.
    private static var longestCallback: Int { 32 * 1024 }

    /// Finishes a login with a form that the provider, or the script of ``FragmentPage``, had the browser post.
    ///
    /// Only a provider with `response_mode=form_post` posts from another site.
    ///
    /// Browsers send no cookie with `SameSite=Lax` with a cross-site POST, so the request of a provider has neither the
    /// session nor a pending conflict. The callback is stored in the cookie of the login for the next request, a GET,
    /// which has both. In a URL, the code would appear in logs and in the history. A callback of a sign-in that is too
    /// long for a cookie is completed at once; a pending conflict is then not linked.
    private func finishPosted(_ request: Request, _ context: Context) async throws -> Response {
        try request.requireType("application/x-www-form-urlencoded")
        let isFromProvider = responseMode(context) == .formPost
        guard isFromProvider || guardian.isSameOrigin(request) else {
            RefusalLog(context.logger).recordForm(
                ProblemCode.crossSite.rawValue,
                reason: FormGuard.Fault.otherSite.rawValue
            )
            throw Problem(.crossSite)
        }
        let form = try await request.bytes(upTo: Self.longestCallback, from: context.login)
        if isFromProvider, context.identity == nil, var login = pendingLogin(of: request),
            login.purpose != .signIn || form.count <= PendingLogin.longestCallback
        {
            guard form.count <= PendingLogin.longestCallback, let path = LocalPath(request.uri.path) else {
                throw Problem(.invalidRequest)
            }
            login.callback = String(decoding: form, as: UTF8.self)
            var response = redirect(to: path.text)
            PendingLogin.cookie.set(
                login,
                in: &response,
                secrets: auth.secrets,
                at: clock.now,
                // A form of another site may arrive before the provider's.
                isSentAcrossSites: true
            )
            return response
        }
        return try await finish(request, context, LoginCallback(form: form))
    }

    /// Finishes a login with the callback of a provider.
    private func finish(_ request: Request, _ context: Context, _ callback: LoginCallback) async throws -> Response {
        let token = guardian.token(for: request, context)
        var asked = pageRequest(request, context, token)
        // The query of a callback has the provider's parameters.
        asked.query = [:]
        asked.path = .home
        var isOver = false
        let reply = try await actions(request).problems.run(asked) { asked in
            do {
                let outcome = try await browser.finish(
                    callback,
                    at: context.parameters.get("provider") ?? "",
                    pendingLogin(of: request),
                    session: context.identity,
                    from: context.login.origin
                )
                isOver = true
                return await actions(request).providers.finished(outcome, asked)
            } catch let failure as BrowserLogin.Failure {
                isOver = failure.endsAttempt
                if let reason = failure.reason {
                    log(reason, context)
                } else if failure.error == nil {
                    asked.refusals?.record(
                        failure.problem.code.rawValue,
                        provider: context.parameters.get("provider")
                    )
                }
                return try await actions(request).providers.failed(failure, asked)
            }
        }
        var response = try await response(to: reply, request, token)
        // A request that another site makes up claims no attempt, and does not end the pending login.
        if isOver, pendingLogin(of: request) != nil { PendingLogin.cookie.clear(in: &response) }
        return response
    }

    /// Logs the reason for a failed login at a provider.
    ///
    /// Errors such as a wrong client secret appear only here.
    private func log(_ failure: LoginFailure, _ context: Context) {
        context.logger.log(
            level: failure.endsAttempt ? .warning : .info,
            "login failed",
            metadata: [
                "provider": "\(context.parameters.get("provider") ?? "")", "error.code": "\(failure.code)",
                "error.detail": "\(failure)",
            ]
        )
    }

    /// Returns the response mode of the provider in the path of the request; nil for its default, or if there is none.
    private func responseMode(_ context: Context) -> LoginRequest.ResponseMode? {
        auth.providers.offeringBrowserLogin(named: context.parameters.get("provider") ?? "")?.request.responseMode
    }

    private func pendingLogin(of request: Request) -> PendingLogin? {
        PendingLogin.cookie.value(in: request, secrets: auth.secrets, at: clock.now)
    }
}
#endif
