// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders

/// Resets forgotten passwords, and changes known ones.
struct PasswordActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let forms: FormChecks

    func forgottenPassword(_ request: PageRequest) throws -> PageReply {
        guard auth.passwordMinimum != nil else { return .redirect("/login") }
        let isSent = request.query["sent"] != nil
        return .page(
            PasswordPage(frame: frames.signedOut(request), step: isSent ? .sent : .forgotten(email: nil))
        )
    }

    func sendPasswordReset(_ request: PageRequest) async throws -> PageReply {
        let email = request.form["email"] ?? ""
        var problems = forms.missing(request, ["email": frames.text.login.emailMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                try await auth.sendPasswordReset(to: email, from: request.origin)
                return .redirect(LocalPath("/forgotten-password").with("sent", "yes"))
            } catch {
                problems = try forms.problems(of: error, [.invalidEmail: "email"], request)
            }
        }
        let page = PasswordPage(frame: frames.signedOut(request), step: .forgotten(email: email), problems: problems)
        return .page(page, status: 422)
    }

    func newPassword(_ request: PageRequest) throws -> PageReply {
        guard let minimum = auth.passwordMinimum else { return .redirect("/login") }
        let step = PasswordPage.Step.new(token: request.query["token"] ?? "", minimum: minimum)
        return .page(PasswordPage(frame: frames.signedOut(request), step: step))
    }

    func changeForm(_ request: PageRequest) async throws -> PageReply {
        guard let minimum = auth.passwordMinimum else { return .redirect(.home) }
        let session = try request.signedIn()
        try await session.requireRecentLogin()
        return .page(changePage(request, try await session.account(), minimum))
    }

    /// Adds a password to the account, or changes it; or links the password of another account.
    func change(_ request: PageRequest) async throws -> PageReply {
        guard let minimum = auth.passwordMinimum else { return .redirect(.home) }
        let session = try request.signedIn()
        let account = try await session.account()
        if request.form["action"] == "join" { return try await join(request, session, account, minimum) }
        var problems =
            account.hasPassword ? [] : forms.missing(request, ["email": frames.text.login.emailMissing])
        problems += forms.missing(request, ["password": frames.text.login.passwordMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                let result = try await session.setPassword(
                    request.form["password"] ?? "",
                    email: account.hasPassword ? nil : request.form["email"],
                    from: request.origin
                )
                return PageReply.redirect(LocalPath.home.with(notice: .passwordSaved)).with(result)
            } catch {
                let fields: [AuthError.Code: String] = [
                    .weakPassword: "password", .invalidEmail: "email", .emailAlreadyInUse: "email",
                ]
                problems = try forms.problems(of: error, fields, request)
            }
        }
        return .page(changePage(request, account, minimum, problems), status: 422)
    }

    /// Links the password of another account.
    ///
    /// If it is right, the user has both accounts, and the link is the conflict whose page offers to merge them.
    ///
    /// - Throws: ``AuthError``: `credential-already-in-use` with a pending credential; others if the guess is refused.
    private func join(
        _ request: PageRequest,
        _ session: Session,
        _ account: Account,
        _ minimum: Int
    ) async throws -> PageReply {
        let texts = frames.text.login
        var problems = forms.missing(
            request,
            ["other-email": texts.emailMissing, "other-password": texts.passwordMissing]
        )
        if problems.isEmpty {
            let credential = AuthCredential.password(
                email: request.form["other-email"] ?? "",
                password: request.form["other-password"] ?? ""
            )
            do throws(AuthError) {
                let result = try await session.link(with: credential, from: request.origin)
                return PageReply.redirect(LocalPath.home.with(notice: .linked)).with(result)
            } catch {
                let fields: [AuthError.Code: String] = [
                    .wrongPassword: "other-password", .invalidEmail: "other-email",
                ]
                problems = try forms.problems(of: error, fields, request)
            }
        }
        return .page(changePage(request, account, minimum, problems), status: 422)
    }

    private func changePage(
        _ request: PageRequest,
        _ account: Account,
        _ minimum: Int,
        _ problems: [FieldProblem] = []
    ) -> PasswordPage {
        let step: PasswordPage.Step =
            if let login = account.passwordLogin {
                .change(minimum: minimum, email: login.shownName)
            } else {
                .add(
                    minimum: minimum,
                    email: request.form["email"] ?? account.email,
                    otherEmail: request.form["other-email"]
                )
            }
        return PasswordPage(frame: frames.user(request, account), step: step, problems: problems)
    }

    func setNewPassword(_ request: PageRequest) async throws -> PageReply {
        let token = request.form["token"] ?? ""
        var problems = forms.missing(request, ["password": frames.text.login.passwordMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                try await auth.resetPassword(
                    token: token,
                    to: request.form["password"] ?? "",
                    from: request.origin
                )
                var reply = PageReply.redirect(LocalPath("/login").with(notice: .passwordChanged))
                reply.session = .clear
                return reply
            } catch {
                problems = try forms.problems(of: error, [.weakPassword: "password"], request)
            }
        }
        let step = PasswordPage.Step.new(token: token, minimum: auth.passwordMinimum ?? 0)
        return .page(PasswordPage(frame: frames.signedOut(request), step: step, problems: problems), status: 422)
    }
}

extension Account {
    /// The login with a password; nil if there is none.
    var passwordLogin: UserInfo? { providerData.first { $0.providerID == .password } }

    /// Whether the account has a login with a password.
    var hasPassword: Bool { passwordLogin != nil }
}
#endif
