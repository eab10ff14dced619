// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders

/// Logins that belong to another account.
struct ConflictActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let choices: ProviderChoices

    func conflict(_ request: PageRequest) async throws -> PageReply {
        switch request.waiting {
        case .conflict(let conflict):
            let pending = conflict.pending
            // All providers are offered but the one that was just refused. Which of them the account has, nobody learns here: a
            // wrong one only opens another account.
            let situation = ConflictPage.Situation.address(
                email: pending.email,
                ways: choices.offered.filter { ProviderID(rawValue: $0.id) != pending.provider },
                hasPassword: auth.passwordMinimum != nil && pending.provider != .password
            )
            let page = ConflictPage(
                frame: frames.stranger(request),
                situation: situation,
                provider: choices.name(of: pending.provider)
            )
            return .page(page)
        case .otherAccount(let pending, let account):
            let account = try await request.signedIn(to: account).account()
            return .page(
                ConflictPage(
                    frame: frames.user(request, account),
                    situation: .otherAccount,
                    provider: choices.name(of: pending.provider)
                )
            )
        case .merge: return .redirect("/merge")
        case .secondFactor, nil: return .redirect(.home)
        }
    }

    func decide(_ request: PageRequest) async throws -> PageReply {
        guard request.form["action"] == "join", case .otherAccount(let pending, let account) = request.waiting
        else {
            return PageReply.redirect(.home).waiting(nil)
        }
        _ = try request.signedIn(to: account)
        switch try await auth.signIn(with: pending.credential, from: request.origin) {
        case .signedIn(let other):
            return PageReply.redirect("/merge").waiting(.merge(session: other.tokens.sessionToken, into: account))
        case .secondFactorRequired(let resolver):
            let waiting = WaitingStep.secondFactor(resolver: resolver.token, then: .merge)
            return PageReply.redirect("/login/second-factor").waiting(waiting)
        case .accountExists(let conflict):
            // The login has left its account since, and its address belongs to a third one.
            request.refusals?.record(conflict)
            return .conflict(of: conflict.pendingCredential, request)
        }
    }
}
#endif
