// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders

/// Logins that belong to another account, and accounts that become one.
extension PageActions {
    func conflict(_ request: PageRequest) async throws -> PageReply {
        switch request.waiting {
        case .conflict(let conflict):
            let pending = conflict.pending
            // All providers are offered but the one that was just refused. Which of them the account has, nobody learns here: a
            // wrong one only opens another account.
            let situation = ConflictPage.Situation.address(
                email: pending.email,
                ways: choices.filter { ProviderID(rawValue: $0.id) != pending.provider },
                hasPassword: passwordMinimum != nil && pending.provider != .password
            )
            let page = ConflictPage(
                frame: strangersFrame(request),
                situation: situation,
                provider: name(of: pending.provider)
            )
            return .page(page)
        case .otherAccount(let pending, let account):
            let account = try await session(request, of: account).account()
            return .page(
                ConflictPage(
                    frame: frame(request, account),
                    situation: .otherAccount,
                    provider: name(of: pending.provider)
                )
            )
        case .merge: return .redirect("/merge")
        case .secondFactor, nil: return .redirect(.home)
        }
    }

    func decideConflict(_ request: PageRequest) async throws -> PageReply {
        guard request.form["action"] == "join", case .otherAccount(let pending, let account) = request.waiting
        else {
            return PageReply.redirect(.home).waiting(nil)
        }
        _ = try session(request, of: account)
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

    /// The session of who is signed in: of the account for which something waits, and of no other.
    ///
    /// Whoever gets hold of what waits in a browser does nothing with it in a session of their own.
    private func session(_ request: PageRequest, of account: AccountID) throws -> Session {
        let session = try signedIn(request)
        guard session.accountID == account else { throw PageStop(reply: PageReply.redirect(.home).waiting(nil)) }
        return session
    }

    /// The session of the account that is to become part of this one; where it is over, there is nothing to join.
    private func otherSession(_ request: PageRequest) async throws -> Session {
        guard case .merge(let token, let account) = request.waiting else { throw PageStop(reply: .redirect(.home)) }
        _ = try session(request, of: account)
        do throws(AuthError) {
            return try await auth.session(token)
        } catch {
            throw PageStop(reply: problem(error.code, request).waiting(nil))
        }
    }

    func mergeForm(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        return .page(try await mergePage(request, session, try await otherSession(request)))
    }

    private func mergePage(
        _ request: PageRequest,
        _ session: Session,
        _ other: Session,
        _ problems: [FieldProblem] = []
    ) async throws -> MergePage {
        let preview = try await auth.previewMerge(from: other, into: session)
        func phrase(_ info: UserInfo) -> Phrase { text.account.loginAs(name(of: info.providerID), shownName(of: info)) }
        return MergePage(
            frame: frame(request, try await session.account()),
            moves: preview.moves.map(phrase),
            drops: preview.drops.map(phrase),
            clashes: preview.conflicts.map(name),
            hasFactors: !preview.factors.isEmpty,
            obstacles: preview.obstacles.map { text.problem.explanation(ProblemCode($0)) },
            problems: problems
        )
    }

    func merge(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        let other = try await otherSession(request)
        guard request.form["action"] == "merge" else {
            try await other.signOut()
            return PageReply.redirect(.home).waiting(nil)
        }
        let choice = request.form["keep"].flatMap { MergePage.Choice(rawValue: $0) }
        let conflicts: MergeConflicts =
            switch choice {
            case .this: .keepTarget
            case .other: .keepSource
            case nil: .refuse
            }
        do throws(AuthError) {
            let result = try await auth.merge(from: other, into: session, conflicts: conflicts)
            return PageReply.redirect(LocalPath.home.saying(.merged)).with(result).waiting(nil)
        } catch {
            guard error.code == .mergeConflict else { throw error }
            let problems = [FieldProblem(field: "keep", message: text.merge.keepMissing)]
            return .page(try await mergePage(request, session, other, problems), status: 422)
        }
    }
}
#endif
