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
        router.get("login") { request, context in try await get(request, context, actions(request).signIn.login) }
        router.post("login/password") { request, context in
            try await post(request, context, actions(request).signIn.passwordLogin)
        }
        router.post("login/:provider") { request, context in
            try await post(request, context) {
                try actions(request).signIn.beginLogin($0, provider: context.parameters.get("provider"))
            }
        }
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
        router.post("guest") { request, context in
            try await post(request, context, actions(request).signIn.guest)
        }
        router.get("sign-up") { request, context in try await get(request, context, actions(request).signIn.signUpForm)
        }
        router.post("sign-up") { request, context in try await post(request, context, actions(request).signIn.signUp) }
        router.get("conflict") { request, context in
            try await get(request, context, actions(request).conflicts.conflict)
        }
        router.post("conflict") { request, context in
            try await post(request, context, actions(request).conflicts.decide)
        }
        router.post("sign-out") { request, context in try await post(request, context, actions(request).signIn.signOut)
        }
        router.get("signed-out") { request, context in
            try await get(request, context, actions(request).signIn.signedOut)
        }
        router.get("forgotten-password") { request, context in
            try await get(request, context, actions(request).passwords.forgottenPassword)
        }
        router.post("forgotten-password") { request, context in
            try await post(request, context, actions(request).passwords.sendPasswordReset)
        }
        router.get("new-password") { request, context in
            try await get(request, context, actions(request).passwords.newPassword)
        }
        router.post("new-password") { request, context in
            try await post(request, context, actions(request).passwords.setNewPassword)
        }
    }

    private func addAccount(to router: some RouterMethods<Context>) {
        router.get("/") { request, context in try await get(request, context, actions(request).account.account) }
        router.get("account/data") { request, context in try await get(request, context, actions(request).account.data)
        }
        router.get("password") { request, context in
            try await get(request, context, actions(request).passwords.changeForm)
        }
        router.post("password") { request, context in
            try await post(request, context, actions(request).passwords.change)
        }
        router.get("account/delete") { request, context in
            try await get(request, context, actions(request).account.deletionForm)
        }
        router.post("account/delete") { request, context in
            try await post(request, context, actions(request).account.delete)
        }
        router.post("link/:provider") { request, context in
            try await post(request, context) {
                try await actions(request).linking.beginLink($0, provider: context.parameters.get("provider"))
            }
        }
        router.post("unlink") { request, context in try await post(request, context, actions(request).linking.unlink) }
        addPermissions(to: router)
        router.get("merge") { request, context in try await get(request, context, actions(request).merging.mergeForm) }
        router.post("merge") { request, context in try await post(request, context, actions(request).merging.merge) }
        router.get("sessions") { request, context in try await get(request, context, actions(request).sessions.sessions)
        }
        router.post("sessions/close-others") { request, context in
            try await post(request, context, actions(request).sessions.closeOthers)
        }
        router.post("sessions/:id/close") { request, context in
            try await post(request, context) {
                try await actions(request).sessions.close($0, session: context.parameters.get("id"))
            }
        }
        router.get("verify-email") { request, context in
            try await get(request, context, actions(request).emails.verifyForm)
        }
        router.post("verify-email") { request, context in
            try await post(request, context, actions(request).emails.verify)
        }
        router.post("verify-email/send") { request, context in
            try await post(request, context, actions(request).emails.sendVerification)
        }
    }

    private func addPermissions(to router: some RouterMethods<Context>) {
        router.get("permissions/:provider") { request, context in
            try await get(request, context) {
                try await actions(request).permissions.permissions($0, provider: context.parameters.get("provider"))
            }
        }
        router.post("permissions/:provider/request") { request, context in
            try await post(request, context) {
                try await actions(request).permissions.request($0, provider: context.parameters.get("provider"))
            }
        }
        router.post("permissions/:provider/revoke") { request, context in
            try await post(request, context) {
                try await actions(request).permissions.revoke($0, provider: context.parameters.get("provider"))
            }
        }
        router.post("permissions/:provider/revoke-all") { request, context in
            try await post(request, context) {
                try actions(request).permissions.revokeAll($0, provider: context.parameters.get("provider"))
            }
        }
    }

    private func addPhones(to router: some RouterMethods<Context>) {
        for use in [PhonePage.Use.signIn, .link, .secondFactor] {
            router.get(RouterPath(use.path.text)) { request, context in
                try await get(request, context) { try await actions(request).phones.form($0, for: use) }
            }
        }
        for use in [PhonePage.Use.signIn, .link, .reauthentication, .secondFactor] {
            router.post(RouterPath(use.path.text)) { request, context in
                try await post(request, context) { try await actions(request).phones.submit($0, for: use) }
            }
        }
    }

    private func addSecondFactors(to router: some RouterMethods<Context>) {
        router.get("login/second-factor") { request, context in
            try await get(request, context, actions(request).secondFactor.secondFactorForm)
        }
        router.post("login/second-factor") { request, context in
            try await post(request, context, actions(request).secondFactor.secondFactor)
        }
        router.get("reauthenticate") { request, context in
            try await get(request, context, actions(request).reauthentication.reauthenticateForm)
        }
        router.post("reauthenticate") { request, context in
            try await post(request, context, actions(request).reauthentication.reauthenticate)
        }
        router.post("reauthenticate/:provider") { request, context in
            try await post(request, context) {
                try actions(request).reauthentication.beginReauthentication(
                    $0,
                    provider: context.parameters.get("provider")
                )
            }
        }
        router.get("second-factor") { request, context in
            try await get(request, context, actions(request).enrollment.enrollForm)
        }
        router.post("second-factor") { request, context in
            try await post(request, context, actions(request).enrollment.enroll)
        }
        router.post("second-factor/:uid/remove") { request, context in
            try await post(request, context) {
                try await actions(request).enrollment.removeFactor($0, uid: context.parameters.get("uid"))
            }
        }
        router.get("recovery-codes") { request, context in
            try await get(request, context, actions(request).enrollment.recoveryOffer)
        }
        router.post("recovery-codes") { request, context in
            try await post(request, context, actions(request).enrollment.recoveryCodes)
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
        let form = try await request.bytes(upTo: Self.longestCallback)
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
