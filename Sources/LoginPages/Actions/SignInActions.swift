// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHTTP

/// Signs users in, up and out.
struct SignInActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let choices: ProviderChoices
    let forms: FormChecks

    /// Whether visitors can continue without a login.
    let allowsGuests: Bool

    private var text: SharedText { frames.text }

    func login(_ request: PageRequest) async throws -> PageReply {
        guard request.session == nil else { return .redirect(request.returnTo) }
        return .firstPage(loginPage(request), request)
    }

    private func loginPage(_ request: PageRequest, _ problems: [FieldProblem] = []) -> LoginPage {
        LoginPage(
            frame: frames.signedOut(request),
            providers: choices.offered,
            passwordMinimum: auth.passwordMinimum,
            email: request.form["email"],
            offersPhone: auth.allows(.phone),
            allowsGuests: allowsGuests,
            returnTo: request.returnTo,
            problems: problems
        )
    }

    /// Opens the session of a guest, unless the visitor is signed in.
    func guest(_ request: PageRequest) async throws -> PageReply {
        guard allowsGuests else { throw Problem(.notFound) }
        guard request.session == nil else { return .redirect(request.returnTo) }
        let result = try await auth.signInAnonymously(from: request.origin)
        return PageReply.redirect(request.returnTo).with(result)
    }

    func beginLogin(_ request: PageRequest, provider name: String?) throws -> PageReply {
        let provider = try choices.provider(named: name)
        // A pending login is linked after the sign-in, and linking requires a recent authentication.
        let isRecent = if case .conflict = request.pendingStep { true } else { false }
        return PageReply(body: .provider(provider, .signIn, returnTo: request.returnTo, isRecent: isRecent))
    }

    func passwordLogin(_ request: PageRequest) async throws -> PageReply {
        var problems = missingFields(request)
        if problems.isEmpty {
            let credential = AuthCredential.password(
                email: request.form["email"] ?? "",
                password: request.form["password"] ?? ""
            )
            do throws(AuthError) {
                return await (try await auth.signIn(with: credential, from: request.origin)).reply(to: request)
            } catch {
                problems = try forms.problems(of: error, [.wrongPassword: "password", .invalidEmail: "email"], request)
            }
        }
        return .page(loginPage(request, problems), status: 422)
    }

    private func missingFields(_ request: PageRequest) -> [FieldProblem] {
        forms.missing(request, ["email": text.login.emailMissing, "password": text.login.passwordMissing])
    }

    func signUpForm(_ request: PageRequest) throws -> PageReply {
        guard request.session == nil else { return .redirect(request.returnTo) }
        return .firstPage(try signUpPage(request), request)
    }

    private func signUpPage(_ request: PageRequest, _ problems: [FieldProblem] = []) throws -> SignUpPage {
        guard let minimum = auth.passwordMinimum else { throw PageStop(reply: .redirect("/login")) }
        return SignUpPage(
            frame: frames.signedOut(request),
            providers: choices.offered,
            offersPhone: auth.allows(.phone),
            passwordMinimum: minimum,
            email: request.form["email"],
            returnTo: request.returnTo,
            problems: problems
        )
    }

    func signUp(_ request: PageRequest) async throws -> PageReply {
        var problems = missingFields(request)
        if problems.isEmpty {
            do throws(AuthError) {
                let result = try await auth.createAccount(
                    email: request.form["email"] ?? "",
                    password: request.form["password"] ?? "",
                    from: request.origin
                )
                return await SignInOutcome.signedIn(result).reply(to: request, notice: .signedUp)
            } catch {
                let fields: [AuthError.Code: String] = [
                    .invalidEmail: "email", .emailAlreadyInUse: "email", .weakPassword: "password",
                ]
                problems = try forms.problems(of: error, fields, request)
            }
        }
        return .page(try signUpPage(request, problems), status: 422)
    }

    /// Closes the session; asks first if it is that of a guest, whose account is then lost.
    func signOut(_ request: PageRequest) async throws -> PageReply {
        if request.form["sure"] == nil, let account = try await accountIfUsable(request), account.isAnonymous {
            return .page(
                ConfirmationPage(
                    frame: frames.user(request, account),
                    title: text.confirm.signOutTitle,
                    effect: Phrase(stringLiteral: text.confirm.signOut),
                    label: Phrase(stringLiteral: text.frame.signOut),
                    path: "/sign-out"
                )
            )
        }
        try await request.session?.signOut()
        var reply = PageReply.redirect("/signed-out").pendingStep(nil)
        reply.session = .clear
        return reply
    }

    /// Returns the account; nil if it cannot be used, since its user can sign out nevertheless.
    private func accountIfUsable(_ request: PageRequest) async throws(AuthError) -> Account? {
        do throws(AuthError) {
            return try await request.session?.account()
        } catch {
            // While the store is unavailable, a guest would lose the account unasked.
            if ProblemCode(error.code).status.code >= 500 { throw error }
            return nil
        }
    }

    func signedOut(_ request: PageRequest) -> PageReply {
        .page(SignedOutPage(frame: frames.signedOut(request), isDeleted: request.query["account"] == "deleted"))
    }
}

extension PageReply {
    /// Returns the first page of a sign-in or sign-up, and clears the pending step.
    ///
    /// It may be another user of the same browser, whose account must not get a pending login.
    static func firstPage(_ page: any Page, _ request: PageRequest) -> Self {
        request.pendingStep == nil ? .page(page) : PageReply.page(page).pendingStep(nil)
    }
}

extension Auth {
    /// The minimum length of a password, in bytes of UTF-8; nil if passwords are not offered.
    var passwordMinimum: Int? { providerIDs.contains(.password) ? policy.passwords.minimumBytes : nil }
}
#endif
