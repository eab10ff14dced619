// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird

/// Signing in, signing up, and signing out.
extension PageActions {
    func login(_ request: PageRequest) async throws -> PageReply {
        guard request.session == nil else { return .redirect(request.returnTo) }
        return anew(loginPage(request), request)
    }

    /// A page with which somebody begins.
    ///
    /// That is perhaps somebody else at the same machine: what waited before is not linked to their account.
    private func anew(_ page: any Page, _ request: PageRequest) -> PageReply {
        request.waiting == nil ? .page(page) : PageReply.page(page).waiting(nil)
    }

    private func loginPage(_ request: PageRequest, _ problems: [FieldProblem] = []) -> LoginPage {
        LoginPage(
            frame: strangersFrame(request),
            providers: choices,
            passwordMinimum: passwordMinimum,
            email: request.form["email"],
            returnTo: request.returnTo,
            problems: problems
        )
    }

    func beginLogin(_ request: PageRequest, provider name: String?) throws -> PageReply {
        let provider = try provider(named: name)
        // A login that waits is linked after the sign-in, which requires a recent one.
        let isRecent = if case .conflict = request.waiting { true } else { false }
        return PageReply(body: .provider(provider, .signIn, returnTo: request.returnTo, isRecent: isRecent))
    }

    func passwordLogin(_ request: PageRequest) async throws -> PageReply {
        var problems = missing(
            request,
            ["email": text.login.emailMissing, "password": text.login.passwordMissing]
        )
        if problems.isEmpty {
            let credential = AuthCredential.password(
                email: request.form["email"] ?? "",
                password: request.form["password"] ?? ""
            )
            do throws(AuthError) {
                let outcome = try await auth.signIn(with: credential, from: request.origin)
                return await reply(to: outcome, request)
            } catch {
                problems = try self.problems(of: error, [.wrongPassword: "password", .invalidEmail: "email"], request)
            }
        }
        return .page(loginPage(request, problems), status: 422)
    }

    func signUpForm(_ request: PageRequest) throws -> PageReply {
        guard request.session == nil else { return .redirect(request.returnTo) }
        return anew(try signUpPage(request), request)
    }

    private func signUpPage(_ request: PageRequest, _ problems: [FieldProblem] = []) throws -> SignUpPage {
        guard let passwordMinimum else { throw PageStop(reply: .redirect("/login")) }
        return SignUpPage(
            frame: strangersFrame(request),
            passwordMinimum: passwordMinimum,
            email: request.form["email"],
            returnTo: request.returnTo,
            problems: problems
        )
    }

    func signUp(_ request: PageRequest) async throws -> PageReply {
        var problems = missing(
            request,
            ["email": text.login.emailMissing, "password": text.login.passwordMissing]
        )
        if problems.isEmpty {
            do throws(AuthError) {
                let result = try await auth.createAccount(
                    email: request.form["email"] ?? "",
                    password: request.form["password"] ?? "",
                    from: request.origin
                )
                return await reply(to: .signedIn(result), request)
            } catch {
                let fields: [AuthError.Code: String] = [
                    .invalidEmail: "email", .emailAlreadyInUse: "email", .weakPassword: "password",
                ]
                problems = try self.problems(of: error, fields, request)
            }
        }
        return .page(try signUpPage(request, problems), status: 422)
    }

    /// Continues after a sign-in, whatever its credential; a login that waits for the account is linked to it.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the sign-in.
    ///   - request: The request.
    /// - Returns: The reply.
    func reply(to outcome: SignInOutcome, _ request: PageRequest) async -> PageReply {
        switch outcome {
        case .signedIn(let result):
            if case .conflict(let conflict) = request.waiting { return await link(conflict, result, request) }
            return PageReply.redirect(request.returnTo).with(result)
        case .secondFactorRequired(let resolver):
            // The login that waits for this sign-in still waits after the second factor.
            let next: WaitingStep.Continuation =
                if case .conflict(let conflict) = request.waiting { .link(conflict) } else {
                    .proceed(to: request.returnTo)
                }
            return .redirect("/login/second-factor").waiting(.secondFactor(resolver: resolver.token, then: next))
        case .accountExists(let conflict):
            request.refusals?.record(conflict)
            return .conflict(of: conflict.pendingCredential, request)
        }
    }

    /// Links the login that has waited for this sign-in, and goes where the user wanted to go at first.
    func link(_ conflict: WaitingStep.Conflict, _ result: AuthDataResult, _ request: PageRequest) async -> PageReply {
        do throws(AuthError) {
            let linked = try await result.session.link(with: conflict.pending.credential, from: request.origin)
            return PageReply.redirect(conflict.returnTo.saying(.linked)).with(linked).waiting(nil)
        } catch {
            // The user is signed in, which is what was asked for last. The login that waited may have expired, or be another
            // account's.
            request.refusals?.record(error)
            return PageReply.redirect(conflict.returnTo.saying(.notLinked)).with(result).waiting(nil)
        }
    }

    func signOut(_ request: PageRequest) async throws -> PageReply {
        try await request.session?.signOut()
        var reply = PageReply.redirect("/signed-out").waiting(nil)
        reply.session = .clear
        return reply
    }

    func signedOut(_ request: PageRequest) -> PageReply {
        .page(SignedOutPage(frame: strangersFrame(request), isDeleted: request.query["account"] == "deleted"))
    }
}

/// Passwords that were forgotten, and addresses that are to be proven.
extension PageActions {
    func forgottenPassword(_ request: PageRequest) throws -> PageReply {
        guard passwordMinimum != nil else { return .redirect("/login") }
        let isSent = request.query["sent"] != nil
        return .page(
            PasswordPage(frame: strangersFrame(request), step: isSent ? .sent : .forgotten(email: nil))
        )
    }

    func sendPasswordReset(_ request: PageRequest) async throws -> PageReply {
        let email = request.form["email"] ?? ""
        var problems = missing(request, ["email": text.login.emailMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                try await auth.sendPasswordReset(to: email, from: request.origin)
                return .redirect(LocalPath("/forgotten-password").with("sent", "yes"))
            } catch {
                problems = try self.problems(of: error, [.invalidEmail: "email"], request)
            }
        }
        let page = PasswordPage(frame: strangersFrame(request), step: .forgotten(email: email), problems: problems)
        return .page(page, status: 422)
    }

    func newPassword(_ request: PageRequest) throws -> PageReply {
        guard let passwordMinimum else { return .redirect("/login") }
        let step = PasswordPage.Step.new(token: request.query["token"] ?? "", minimum: passwordMinimum)
        return .page(PasswordPage(frame: strangersFrame(request), step: step))
    }

    func setNewPassword(_ request: PageRequest) async throws -> PageReply {
        let token = request.form["token"] ?? ""
        var problems = missing(request, ["password": text.login.passwordMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                try await auth.resetPassword(
                    token: token,
                    to: request.form["password"] ?? "",
                    from: request.origin
                )
                var reply = PageReply.redirect(LocalPath("/login").saying(.passwordChanged))
                reply.session = .clear
                return reply
            } catch {
                problems = try self.problems(of: error, [.weakPassword: "password"], request)
            }
        }
        let step = PasswordPage.Step.new(token: token, minimum: passwordMinimum ?? 0)
        return .page(PasswordPage(frame: strangersFrame(request), step: step, problems: problems), status: 422)
    }

    func sendVerification(_ request: PageRequest) async throws -> PageReply {
        try await signedIn(request).sendEmailVerification(from: request.origin)
        return .redirect(LocalPath.home.saying(.messageSent))
    }

    func verifyForm(_ request: PageRequest) async throws -> PageReply {
        let account = try await signedIn(request).account()
        let step = PasswordPage.Step.verify(token: request.query["token"] ?? "")
        return .page(PasswordPage(frame: frame(request, account), step: step))
    }

    func verify(_ request: PageRequest) async throws -> PageReply {
        let result = try await signedIn(request).verifyEmail(token: request.form["token"] ?? "")
        return PageReply.redirect(LocalPath.home.saying(.emailProven)).with(result)
    }
}
#endif
