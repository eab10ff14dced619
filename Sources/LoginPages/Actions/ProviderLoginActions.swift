// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders

/// The return from a provider.
struct ProviderLoginActions: Sendable {
    let problems: ProblemReplies

    /// Returns the reply to a login at a provider that has ended.
    func finished(_ outcome: BrowserLogin.Outcome, _ request: PageRequest) async -> PageReply {
        switch outcome {
        case .cancelled(.signIn, let returnTo):
            // Another way to sign in to the account is chosen where this one was.
            if case .conflict = request.waiting { return .redirect(LocalPath("/conflict").saying(.cancelled)) }
            let path = returnTo.flatMap { LocalPath($0) } ?? .home
            return .redirect(LocalPath("/login").returning(to: path).saying(.cancelled))
        case .cancelled(.link, _):
            return .redirect(LocalPath.home.saying(.cancelled))
        case .cancelled(.reauthenticate, let returnTo):
            let path = returnTo.flatMap { LocalPath($0) } ?? .home
            return .redirect(LocalPath("/reauthenticate").returning(to: path).saying(.cancelled))
        case .signIn(let outcome, let returnTo):
            return await outcome.reply(to: request.coming(for: returnTo))
        case .linked(let result):
            return PageReply.redirect(LocalPath.home.saying(.linked)).with(result)
        case .reauthenticated(let result, let returnTo):
            let path = returnTo.flatMap { LocalPath($0) } ?? .home
            return PageReply.redirect(path.saying(.confirmed)).with(result)
        }
    }

    /// Returns the reply to a login at a provider that has failed.
    ///
    /// If the user can do something about it, they come back to the path that they came for.
    ///
    /// - Throws: The error or problem, for ``ProblemReplies/run(_:_:)``.
    func failed(_ failure: BrowserLogin.Failure, _ request: PageRequest) throws -> PageReply {
        guard let error = failure.error, error.code.httpStatus < 500 else { throw failure.error ?? failure.problem }
        request.refusals?.record(error)
        let request = request.coming(for: failure.returnTo)
        if failure.purpose == .reauthenticate, error.code == .requiresRecentLogin {
            return .redirect(LocalPath("/reauthenticate").returning(to: request.returnTo).saying(.notRecent))
        }
        return problems.reply(to: error, request)
    }
}
#endif
