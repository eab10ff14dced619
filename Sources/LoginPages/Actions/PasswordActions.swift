// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
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

    /// Adds a password to the account, or changes it.
    func change(_ request: PageRequest) async throws -> PageReply {
        guard let minimum = auth.passwordMinimum else { return .redirect(.home) }
        let session = try request.signedIn()
        let account = try await session.account()
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
                if error.code == .emailAlreadyInUse { try await requireOtherPassword(request, session) }
                let fields: [AuthError.Code: String] = [
                    .weakPassword: "password", .invalidEmail: "email", .emailAlreadyInUse: "email",
                ]
                problems = try forms.problems(of: error, fields, request)
            }
        }
        return .page(changePage(request, account, minimum, problems), status: 422)
    }

    /// Requires that the typed password is not that of the account with the typed address.
    ///
    /// Otherwise the user has both accounts. Linking the password is then the conflict whose page offers to merge them.
    ///
    /// - Throws: ``AuthError``: `credential-already-in-use` with a pending credential; others if the guess is refused.
    private func requireOtherPassword(_ request: PageRequest, _ session: Session) async throws(AuthError) {
        let credential = AuthCredential.password(
            email: request.form["email"] ?? "",
            password: request.form["password"] ?? ""
        )
        do throws(AuthError) {
            _ = try await session.link(with: credential, from: request.origin)
        } catch {
            guard error.code == .wrongPassword else { throw error }
        }
    }

    private func changePage(
        _ request: PageRequest,
        _ account: Account,
        _ minimum: Int,
        _ problems: [FieldProblem] = []
    ) -> PasswordPage {
        let email = request.form["email"] ?? account.email
        return PasswordPage(
            frame: frames.user(request, account),
            step: .change(minimum: minimum, isFirst: !account.hasPassword, email: email),
            problems: problems
        )
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
    /// Whether the account has a login with a password.
    var hasPassword: Bool { providerData.contains { $0.providerID == .password } }
}
#endif
