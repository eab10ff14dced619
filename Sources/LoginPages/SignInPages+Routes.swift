// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import Logging
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders
internal import LoginTokens

extension SignInPages {
    /// Returns the routes of the pages and of the files that they load.
    func routes(of login: LoginService) -> [LoginRoute] {
        var paths: [String] = []
        var handlers: [String: [(HTTPRequest.Method, LoginService.PageHandler)]] = [:]
        for (path, method, handler) in signIn + account + permissions + secondFactors + phones + [language] {
            if handlers[path] == nil { paths.append(path) }
            handlers[path, default: []].append((method, handler))
        }
        return paths.map { path in
            // An application may accept other methods at the path of the account page.
            login.pageRoute(
                path,
                handlers[path] ?? [],
                refusesOtherMethods: path != "/",
                // Only the callback changes anything when it is requested with GET.
                refusesSpeculation: path == Self.callbackPath
            )
        } + (PageAsset.all + logos.all).map { asset in file(asset, of: login) }
    }

    private func file(_ asset: PageAsset, of login: LoginService) -> LoginRoute {
        let body = ServerResponse.Body(asset.bytes, isReused: true)
        return login.fileRoute(asset.route) { request in
            let isCurrent = request.query == "v=\(asset.version)"
            return ServerResponse(status: .ok, headers: headers.file(asset, isCurrent: isCurrent), body: body)
        }
    }

    private var language: Entry {
        form("/language") { actions, asked in
            guard let language = languages.index(of: asked.form["language"] ?? "") else {
                throw Problem(.invalidRequest)
            }
            var reply = PageReply.redirect(asked.returnTo)
            reply.language = languages.choices[language].tag
            return reply
        }
    }

    private var signIn: [Entry] {
        [
            page("/login") { try await $0.signIn.login($1) },
            form("/login/password") { try await $0.signIn.passwordLogin($1) },
            form("/login/{provider}") { try $0.signIn.beginLogin($1, provider: $2) },
            (Self.callbackPath, .get, finishRequested), (Self.callbackPath, .post, finishPosted),
            form("/guest") { try await $0.signIn.guest($1) },
            page("/sign-up") { try $0.signIn.signUpForm($1) },
            form("/sign-up") { try await $0.signIn.signUp($1) },
            page("/conflict") { try await $0.conflicts.conflict($1) },
            form("/conflict") { try await $0.conflicts.decide($1) },
            form("/sign-out") { try await $0.signIn.signOut($1) },
            page("/signed-out") { $0.signIn.signedOut($1) },
            page("/forgotten-password") { try $0.passwords.forgottenPassword($1) },
            form("/forgotten-password") { try await $0.passwords.sendPasswordReset($1) },
            page("/new-password") { try $0.passwords.newPassword($1) },
            form("/new-password") { try await $0.passwords.setNewPassword($1) },
        ]
    }

    private var account: [Entry] {
        [
            page("/") { try await $0.account.account($1) },
            page("/account/data") { try await $0.account.data($1) },
            page("/password") { try await $0.passwords.changeForm($1) },
            form("/password") { try await $0.passwords.change($1) },
            page("/account/delete") { try await $0.account.deletionForm($1) },
            form("/account/delete") { try await $0.account.delete($1) },
            form("/link/{provider}") { try await $0.linking.beginLink($1, provider: $2) },
            form("/unlink") { try await $0.linking.unlink($1) },
            page("/merge") { try await $0.merging.mergeForm($1) },
            form("/merge") { try await $0.merging.merge($1) },
            page("/sessions") { try await $0.sessions.sessions($1) },
            form("/sessions/close-others") { try await $0.sessions.closeOthers($1) },
            form("/sessions/{id}/close") { try await $0.sessions.close($1, session: $2) },
            page("/verify-email") { try await $0.emails.verifyForm($1) },
            form("/verify-email") { try await $0.emails.verify($1) },
            form("/verify-email/send") { try await $0.emails.sendVerification($1) },
        ]
    }

    private var permissions: [Entry] {
        [
            page("/permissions/{provider}") { try await $0.permissions.permissions($1, provider: $2) },
            form("/permissions/{provider}/request") { try await $0.permissions.request($1, provider: $2) },
            form("/permissions/{provider}/revoke") { try await $0.permissions.revoke($1, provider: $2) },
            form("/permissions/{provider}/revoke-all") { try $0.permissions.revokeAll($1, provider: $2) },
        ]
    }

    private var phones: [Entry] {
        [PhonePage.Use.signIn, .link, .secondFactor].map { use in
            page(use.path.text) { try await $0.phones.form($1, for: use) }
        }
            + [PhonePage.Use.signIn, .link, .reauthentication, .secondFactor].map { use in
                form(use.path.text) { try await $0.phones.submit($1, for: use) }
            }
    }

    private var secondFactors: [Entry] {
        [
            page("/login/second-factor") { try await $0.secondFactor.secondFactorForm($1) },
            form("/login/second-factor") { try await $0.secondFactor.secondFactor($1) },
            page("/reauthenticate") { try await $0.reauthentication.reauthenticateForm($1) },
            form("/reauthenticate") { try await $0.reauthentication.reauthenticate($1) },
            form("/reauthenticate/{provider}") { try $0.reauthentication.beginReauthentication($1, provider: $2) },
            page("/second-factor") { try await $0.enrollment.enrollForm($1) },
            form("/second-factor") { try await $0.enrollment.enroll($1) },
            form("/second-factor/{uid}/remove") { try await $0.enrollment.removeFactor($1, uid: $2) },
            page("/recovery-codes") { try await $0.enrollment.recoveryOffer($1) },
            form("/recovery-codes") { try await $0.enrollment.recoveryCodes($1) },
        ]
    }
}

/// The entries of the table of routes.
extension SignInPages {
    /// A path, a method, and its handler.
    private typealias Entry = (path: String, method: HTTPRequest.Method, respond: LoginService.PageHandler)

    private typealias Action = @Sendable (PageActions, PageRequest) async throws -> PageReply

    /// An action with the only parameter of the path.
    private typealias ParameterAction = @Sendable (PageActions, PageRequest, String?) async throws -> PageReply

    /// Returns the entry of a page that an action returns.
    private func page(_ path: String, _ action: @escaping Action) -> Entry {
        page(path) { actions, asked, _ in try await action(actions, asked) }
    }

    /// Returns the entry of a page that an action returns for a parameter of the path.
    private func page(_ path: String, _ action: @escaping ParameterAction) -> Entry {
        (
            path, .get,
            { visit, parameters in
                try await get(visit) { try await action(actions(visit), $0, parameters.first?.value) }
            }
        )
    }

    /// Returns the entry of an action for the forms of pages.
    private func form(_ path: String, _ action: @escaping Action) -> Entry {
        form(path) { actions, asked, _ in try await action(actions, asked) }
    }

    /// Returns the entry of an action for the forms of pages, with a parameter of the path.
    private func form(_ path: String, _ action: @escaping ParameterAction) -> Entry {
        (
            path, .post,
            { visit, parameters in
                try await post(visit) { try await action(actions(visit), $0, parameters.first?.value) }
            }
        )
    }
}

/// The second half of a login at a provider.
extension SignInPages {
    /// The path of callbacks.
    private static var callbackPath: String { "/login/{provider}/callback" }

    /// The maximum length of a form that a provider has the browser post, in bytes.
    private static var longestCallback: Int { 32 * 1024 }

    /// The field of the query that names the login whose posted callback the cookie has.
    private static var loginField: StaticString { "login" }

    /// Finishes a login with the query of a redirect, or with a form that was posted before.
    @Sendable private func finishRequested(
        _ visit: Visit,
        _ parameters: [String: String]
    ) async throws -> ServerResponse {
        // A HEAD request, as of a link preview, must not use up the login.
        guard visit.request.method == .get else { throw Problem(.methodNotAllowed, headers: [.allow: "GET, POST"]) }
        let (query, provider) = (visit.request.query ?? "", parameters["provider"] ?? "")
        switch responseMode(of: provider) {
        case .fragment where query.isEmpty:
            return try await get(visit, actions(visit).providers.fragmentPage)
        case .formPost where query.hasPrefix("\(Self.loginField)="):
            let tag = String(query.dropFirst("\(Self.loginField)=".count))
            guard case .pending(let login) = logins(of: visit)[tag] else {
                return try await finish(visit, provider, LoginCallback(form: []), tag)
            }
            return try await finish(visit, provider, LoginCallback(form: Array((login.callback ?? "").utf8)), tag)
        default:
            let callback = LoginCallback(query: query)
            return try await finish(visit, provider, callback, PendingLogins.tag(of: callback))
        }
    }

    /// Finishes a login with a form that the provider, or the script of ``FragmentPage``, had the browser post.
    ///
    /// Only a provider with `response_mode=form_post` posts from another site.
    ///
    /// Browsers send no cookie with `SameSite=Lax` with a cross-site POST, so the request of a provider has neither the
    /// session nor a pending conflict. The callback is stored in the cookie of the login for the next request, a GET,
    /// which has both. In a URL, the code would appear in logs and in the history. A callback of a sign-in that is too
    /// long for a cookie is completed at once; a pending conflict is then not linked.
    @Sendable private func finishPosted(
        _ visit: Visit,
        _ parameters: [String: String]
    ) async throws -> ServerResponse {
        let provider = parameters["provider"] ?? ""
        try visit.request.requireType("application/x-www-form-urlencoded")
        let isFromProvider = responseMode(of: provider) == .formPost
        guard isFromProvider || guardian.isSameOrigin(visit.request) else {
            RefusalLog(visit.logger).recordForm(
                ProblemCode.crossSite.rawValue,
                reason: FormGuard.Fault.otherSite.rawValue
            )
            throw Problem(.crossSite)
        }
        let form = try await visit.body(upTo: Self.longestCallback)
        let callback = LoginCallback(form: form)
        let tag = PendingLogins.tag(of: callback)
        if isFromProvider, visit.session == nil, let tag, let login = logins(of: visit)[tag],
            let response = try postponed(login, form, tag, visit)
        {
            return response
        }
        return try await finish(visit, provider, callback, tag)
    }

    /// Returns the redirect to the request that finishes a login with the callback in its cookie, or that finds it
    /// finished; nil if the callback is too long for a cookie, and needs no session.
    private func postponed(
        _ login: PendingLogins.Login,
        _ form: [UInt8],
        _ tag: String,
        _ visit: Visit
    ) throws -> ServerResponse? {
        guard let path = LocalPath(visit.request.path) else { throw Problem(.invalidRequest) }
        var response = redirect(to: path.with(Self.loginField, tag).text)
        if case .pending(let pending) = login {
            guard let stored = pending.storing(form) else {
                guard pending.purpose == .signIn else { throw Problem(.invalidRequest) }
                return nil
            }
            // A form of another site may arrive before the provider's.
            logins(of: visit).set(.pending(stored), tag, in: &response, isSentAcrossSites: true)
        }
        return response
    }

    /// Finishes a login with the callback of a provider.
    ///
    /// - Parameters:
    ///   - visit: The request.
    ///   - provider: The name of the provider in the path of the request.
    ///   - callback: The callback.
    ///   - tag: The tag of the attempt that the callback names; nil if it names none.
    /// - Returns: The response.
    /// - Throws: Errors that the user cannot resolve.
    private func finish(
        _ visit: Visit,
        _ provider: String,
        _ callback: LoginCallback,
        _ tag: String?
    ) async throws -> ServerResponse {
        let token = guardian.token(for: visit)
        var asked = pageRequest(visit, token)
        // The query of a callback has the provider's parameters.
        asked.query = [:]
        asked.path = .home
        let meaning = CallbackMeaning(of: tag.flatMap { logins(of: visit)[$0] }, in: visit.session?.id)
        // The form of another site shows neither the session nor the visitor, which the next form has.
        let isForeign = visit.request.method == .post && !guardian.isSameOrigin(visit.request)
        var isOver = false
        let reply = try await actions(visit).problems.run(asked) { asked in
            do {
                let outcome: BrowserLogin.Outcome
                switch meaning {
                case .finishedHere(let path): return .redirect(path)
                case .finishedBefore(let path): throw try browser.finishedBefore(at: provider, returnTo: path)
                case .continues(let login): outcome = try await finish(callback, provider, login, visit)
                case .unknown: outcome = try await finish(callback, provider, nil, visit)
                }
                isOver = true
                return await actions(visit).providers.finished(outcome, asked)
            } catch let failure as BrowserLogin.Failure {
                // A replayed callback sets no cookie: the response to the first one, which does, may arrive before.
                isOver = failure.endsAttempt
                if let reason = failure.reason {
                    log(reason, provider, visit)
                } else if failure.error == nil {
                    asked.refusals?.record(failure.problem.code.rawValue, provider: provider)
                }
                let newLogin = isForeign ? nil : provider
                return try await actions(visit).providers.failed(failure, asked, newLoginAt: newLogin)
            }
        }
        var response = try await response(to: reply, visit, token)
        // A request that another site makes up claims no attempt, and does not end the pending login.
        if isOver, let tag, case .continues(let login) = meaning {
            logins(of: visit).set(
                .finished(FinishedLogin(login, reply)),
                tag,
                in: &response,
                isSentAcrossSites: responseMode(of: provider) == .formPost
            )
        }
        return response
    }

    private func finish(
        _ callback: LoginCallback,
        _ provider: String,
        _ login: PendingLogin?,
        _ visit: Visit
    ) async throws -> BrowserLogin.Outcome {
        try await browser.finish(callback, at: provider, login, session: visit.session, from: visit.origin)
    }

    /// Logs the reason for a failed login at a provider.
    ///
    /// Errors such as a wrong client secret appear only here.
    private func log(_ failure: LoginFailure, _ provider: String, _ visit: Visit) {
        visit.logger.log(
            level: failure.endsAttempt ? .warning : .info,
            "login failed",
            metadata: [
                "provider": "\(provider)", "error.code": "\(failure.code)",
                "error.detail": "\(failure)",
            ]
        )
    }

    /// Returns the response mode of the provider in the path of the request; nil for its default, or if there is none.
    private func responseMode(of provider: String) -> LoginRequest.ResponseMode? {
        auth.providers.offeringBrowserLogin(named: provider)?.request.responseMode
    }
}

extension FinishedLogin {
    /// Creates the end of a login from the reply to its callback.
    ///
    /// Without a session, the return path is for another login.
    init(_ login: PendingLogin, _ reply: PageReply) {
        if case .set(let signed) = reply.session, case .redirect(let path) = reply.body {
            self.init(session: signed.session.id, returnTo: path)
        } else {
            self.init(session: nil, returnTo: login.returnTo)
        }
    }
}
#endif
