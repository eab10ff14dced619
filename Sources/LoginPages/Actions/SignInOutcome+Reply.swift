// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird

extension SignInOutcome {
    /// Returns the reply to a sign-in, whatever its credential.
    ///
    /// A login that waits for the account is linked to it.
    ///
    /// - Parameter request: The request.
    /// - Returns: The reply.
    func reply(to request: PageRequest) async -> PageReply {
        switch self {
        case .signedIn(let result):
            if case .conflict(let conflict) = request.waiting { return await conflict.link(to: result, request) }
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
}

extension WaitingStep.Conflict {
    /// Links the login that waits to the account that its user has signed in to, and replies with the path that the user came for.
    ///
    /// - Parameters:
    ///   - result: The result of the sign-in.
    ///   - request: The request.
    /// - Returns: The reply.
    func link(to result: AuthDataResult, _ request: PageRequest) async -> PageReply {
        do throws(AuthError) {
            let linked = try await result.session.link(with: pending.credential, from: request.origin)
            return PageReply.redirect(returnTo.saying(.linked)).with(linked).waiting(nil)
        } catch {
            // The user is signed in, which is what was asked for last. The login that waited may have expired, or be another
            // account's.
            request.refusals?.record(error)
            return PageReply.redirect(returnTo.saying(.notLinked)).with(result).waiting(nil)
        }
    }
}
#endif
