// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders

/// The reauthentication of a signed-in user: by a login, by the password, or by a second factor.
struct ReauthenticationActions: Sendable {
    let frames: PageFrames
    let choices: ProviderChoices
    let forms: FormChecks
    let steps: SecondFactorSteps

    private var text: SharedText { frames.text }

    func reauthenticateForm(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let account = try await session.account()
        if let selection = SecondFactorPage.Selection(request.query) {
            // Without a factor there is nothing to confirm; enrolling the first one raises the level as well.
            guard !account.enrolledFactors.isEmpty else {
                return .redirect(LocalPath("/second-factor").returning(to: request.returnTo))
            }
            return .page(stepUpPage(request, account, selection, factor: request.query["factor"]))
        }
        return .page(reauthenticatePage(request, account))
    }

    private func reauthenticatePage(_ request: PageRequest, _ account: Account, _ problems: [FieldProblem] = [])
        -> ReauthenticatePage
    {
        let methods = account.usableSignInMethods
        let offered = Set(methods.map(\.providerID))
        return ReauthenticatePage(
            frame: frames.user(request, account),
            providers: choices.offered.filter { offered.contains(ProviderID(rawValue: $0.id)) },
            email: methods.first { $0.providerID == .password }?.uid,
            phone: methods.first { $0.providerID == .phone }?.uid,
            returnTo: request.returnTo,
            problems: problems
        )
    }

    func beginReauthentication(_ request: PageRequest, provider name: String?) throws -> PageReply {
        let session = try request.signedIn()
        return PageReply(
            body: .provider(try choices.provider(named: name), .reauthenticate(session), returnTo: request.returnTo)
        )
    }

    func reauthenticate(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        if SecondFactorPage.Selection(request.form) != nil { return try await stepUp(request, session) }
        var problems = forms.missing(request, ["password": text.login.passwordMissing])
        if problems.isEmpty {
            let credential = AuthCredential.password(
                email: request.form["email"] ?? "",
                password: request.form["password"] ?? ""
            )
            do throws(AuthError) {
                let result = try await session.reauthenticate(with: credential, from: request.origin)
                return PageReply.redirect(request.returnTo.with(notice: .confirmed)).with(result)
            } catch {
                problems = try forms.problems(of: error, [.wrongPassword: "password"], request)
            }
        }
        let account = try await session.account()
        return .page(reauthenticatePage(request, account, problems), status: 422)
    }

    private func stepUpPage(
        _ request: PageRequest,
        _ account: Account,
        _ selection: SecondFactorPage.Selection,
        factor: String?
    ) -> SecondFactorPage {
        SecondFactorPage(
            frame: frames.user(request, account),
            path: "/reauthenticate",
            step: steps.step(selection, factor: factor, account.enrolledFactors),
            reason: text.reauthenticate.code,
            returnTo: request.returnTo
        )
    }

    private func stepUp(_ request: PageRequest, _ session: Session) async throws -> PageReply {
        let account = try await session.account()
        var page = stepUpPage(request, account, .confirm, factor: nil)
        if SecondFactorPage.Selection(request.form) == .send {
            do throws(AuthError) {
                let challenge = try await session.beginChallenge(
                    factor: request.form["factor"] ?? "",
                    from: request.origin
                )
                page.step = steps.step(after: challenge, account.enrolledFactors)
                return .page(page)
            } catch {
                page.problems = try forms.problems(of: error, SecondFactorSteps.sendFields(request), request)
                page.step = steps.again(request)
                return .page(page, status: 422)
            }
        }
        page.problems = forms.missing(request, ["code": text.secondFactor.codeMissing])
        if page.problems.isEmpty {
            do throws(AuthError) {
                let result = try await session.stepUp(with: steps.assertion(request), from: request.origin)
                return PageReply.redirect(request.returnTo.with(notice: .confirmed)).with(result)
            } catch {
                page.problems = try forms.problems(of: error, SecondFactorSteps.codeFields, request)
            }
        }
        page.step = steps.again(request)
        return .page(page, status: 422)
    }
}
#endif
