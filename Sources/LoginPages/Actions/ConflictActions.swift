// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders

/// Resolves conflicts with logins of another account.
struct ConflictActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let choices: ProviderChoices

    func conflict(_ request: PageRequest) async throws -> PageReply {
        switch request.pendingStep {
        case .conflict(let conflict):
            let pending = conflict.pending
            // All providers are offered but the refused one. The page does not reveal which of them the account has; a
            // wrong one only creates another account.
            let situation = ConflictPage.Situation.address(
                email: pending.email,
                ways: choices.offered.filter { ProviderID(rawValue: $0.id) != pending.provider },
                hasPassword: auth.passwordMinimum != nil && pending.provider != .password
            )
            let page = ConflictPage(
                frame: frames.signedOut(request),
                situation: situation,
                provider: choices.name(of: pending.provider)
            )
            return .page(page)
        case .otherAccount(let pending, let account):
            let account = try await request.signedIn(to: account).account()
            return .page(
                ConflictPage(
                    frame: frames.user(request, account),
                    situation: .otherAccount(than: account.shownName(frames.text)),
                    provider: choices.name(of: pending.provider)
                )
            )
        case .merge: return .redirect("/merge")
        case .secondFactor, nil: return .redirect(.home)
        }
    }

    func decide(_ request: PageRequest) async throws -> PageReply {
        guard request.form["action"] == "join", case .otherAccount(let pending, let account) = request.pendingStep
        else {
            return PageReply.redirect(.home).pendingStep(nil)
        }
        _ = try request.signedIn(to: account)
        switch try await auth.signIn(with: pending.credential, from: request.origin) {
        case .signedIn(let other):
            return PageReply.redirect("/merge").pendingStep(.merge(session: other.tokens.sessionToken, into: account))
        case .secondFactorRequired(let resolver):
            let step = PendingStep.secondFactor(resolver: resolver.token, then: .merge(into: account))
            return PageReply.redirect("/login/second-factor").pendingStep(step)
        case .accountExists(let conflict):
            // The login was unlinked from its account meanwhile, and its e-mail address belongs to a third account.
            request.refusals?.record(conflict)
            return .conflict(of: conflict.pendingCredential, request)
        }
    }
}
#endif
