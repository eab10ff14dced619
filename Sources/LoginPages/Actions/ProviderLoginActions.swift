// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders

/// Handles the callbacks of providers.
struct ProviderLoginActions: Sendable {
    let problems: ProblemReplies

    /// Returns the page that posts the response of a provider from the fragment of the URL.
    func fragmentPage(_ request: PageRequest) -> PageReply {
        .page(FragmentPage(frame: problems.frames.signedOut(request)))
    }

    /// Returns the reply to a login at a provider that succeeded or was cancelled.
    func finished(_ outcome: BrowserLogin.Outcome, _ request: PageRequest) async -> PageReply {
        switch outcome {
        case .cancelled(.signIn, let returnTo):
            // The conflict page offers other ways to sign in to the account.
            if case .conflict = request.pendingStep {
                return .redirect(LocalPath("/conflict").with(notice: .cancelled))
            }
            let path = LocalPath(returnTo: returnTo)
            return .redirect(.page(of: .signIn, returningTo: path).with(notice: .cancelled))
        case .cancelled(.link, _):
            return .redirect(LocalPath.home.with(notice: .cancelled))
        case .cancelled(.reauthenticate, let returnTo):
            let path = LocalPath(returnTo: returnTo)
            return .redirect(.page(of: .reauthenticate, returningTo: path).with(notice: .cancelled))
        case .cancelled(.permissions, let returnTo):
            return .redirect(LocalPath(returnTo: returnTo).with(notice: .cancelled))
        case .signIn(let outcome, let returnTo):
            return await outcome.reply(to: request.returning(to: LocalPath(returnTo: returnTo)))
        case .linked(let result):
            return PageReply.redirect(LocalPath.home.with(notice: .linked)).with(result)
        case .reauthenticated(let result, let returnTo):
            return PageReply.redirect(LocalPath(returnTo: returnTo).with(notice: .confirmed)).with(result)
        case .permissionsChanged(let change, let result, let returnTo):
            let path = LocalPath(returnTo: returnTo).with(notice: notice(of: change, result))
            return PageReply.redirect(path).with(result)
        }
    }

    private func notice(of change: PermissionChange, _ result: AuthDataResult) -> Notice {
        switch change {
        case .request:
            switch result.outcome {
            case .permissionsDeclined: .permissionDeclined
            case .permissionsUnknown: .permissionUnknown
            default: .permissionGranted
            }
        case .revoke: .permissionRevoked
        case .revokeAll: .loginRevoked
        }
    }

    /// Returns the reply to a login at a provider that has failed.
    ///
    /// If the user can resolve the error, the reply returns to the path of the login.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - request: The request.
    ///   - provider: The provider for another login, if the page of this response can begin one.
    /// - Returns: The reply.
    /// - Throws: The error or problem, for ``ProblemReplies/run(_:_:)``.
    func failed(
        _ failure: BrowserLogin.Failure,
        _ request: PageRequest,
        newLoginAt provider: String? = nil
    ) async throws -> PageReply {
        if let stray = failure.stray {
            if let error = failure.error { request.refusals?.record(error) }
            return await problems.page(
                of: failure.problem,
                request.returning(to: LocalPath(returnTo: failure.returnTo)),
                explanation: explanation(of: stray),
                newLoginAt: provider
            )
        }
        if let words = failure.reason.flatMap(explanation(of:)) {
            return await problems.page(of: failure.problem, request, explanation: words)
        }
        guard let error = failure.error, ProblemCode(error.code).status.code < 500 else {
            throw failure.error ?? failure.problem
        }
        request.refusals?.record(error)
        let request = request.returning(to: LocalPath(returnTo: failure.returnTo))
        if failure.purpose == .reauthenticate, error.code == .requiresRecentLogin {
            return .redirect(.page(of: .reauthenticate, returningTo: request.returnTo).with(notice: .notRecent))
        }
        return await problems.reply(to: error, request)
    }

    private func explanation(of stray: BrowserLogin.Stray) -> String {
        switch stray {
        case .unknown: problems.frames.text.problem.unknownLogin
        case .finished: problems.frames.text.problem.finishedLogin
        }
    }

    /// Returns the explanation of a failure at the provider that is more precise than that of its code; nil if there is
    /// none.
    private func explanation(of reason: LoginFailure) -> String? {
        let text = problems.frames.text
        if reason.isMisconfigured { return text.problem.misconfigured }
        return reason.code == .providerError ? text.problem.providerFailed : nil
    }
}
#endif
