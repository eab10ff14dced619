// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP

extension SignInOutcome {
    /// Returns the reply to a sign-in with any credential.
    ///
    /// A pending login of a conflict is linked to the account.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - notice: The notice if the user is signed in and no login is linked; nil for none.
    /// - Returns: The reply.
    func reply(to request: PageRequest, notice: Notice? = nil) async -> PageReply {
        switch self {
        case .signedIn(let result):
            if case .conflict(let conflict) = request.pendingStep { return await conflict.link(to: result, request) }
            let path = request.returnTo
            return PageReply.redirect(notice.map { path.with(notice: $0) } ?? path).with(result)
        case .secondFactorRequired(let resolver):
            // The pending login of a conflict is linked after the second factor.
            let next: PendingStep.Continuation =
                if case .conflict(let conflict) = request.pendingStep { .link(conflict) } else {
                    .proceed(to: request.returnTo)
                }
            return .redirect("/login/second-factor").pendingStep(.secondFactor(resolver: resolver.token, then: next))
        case .accountExists(let conflict):
            request.refusals?.record(conflict)
            return .conflict(of: conflict.pendingCredential, request)
        }
    }
}

extension PendingStep.Conflict {
    /// Links the pending login to the account that the user has signed in to, and redirects to the return path.
    ///
    /// - Parameters:
    ///   - result: The result of the sign-in.
    ///   - request: The request.
    /// - Returns: The reply.
    func link(to result: AuthDataResult, _ request: PageRequest) async -> PageReply {
        do throws(AuthError) {
            let linked = try await result.session.link(with: pending.credential, from: request.origin)
            return PageReply.redirect(returnTo.with(notice: .linked)).with(linked).pendingStep(nil)
        } catch {
            // The sign-in itself succeeded. The pending login may have expired, or belong to another account.
            request.refusals?.record(error)
            return PageReply.redirect(returnTo.with(notice: .notLinked)).with(result).pendingStep(nil)
        }
    }
}
#endif
