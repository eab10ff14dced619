// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP

/// Merges another account into the signed-in one.
struct MergeActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let choices: ProviderChoices
    let problems: ProblemReplies

    private var text: SharedText { frames.text }

    /// Returns the session of the source account of the pending merge.
    ///
    /// - Throws: ``PageStop`` if that session has ended, or no merge is pending.
    private func otherSession(_ request: PageRequest) async throws(PageStop) -> Session {
        guard case .merge(let token, let account) = request.pendingStep else { throw PageStop(reply: .redirect(.home)) }
        _ = try request.signedIn(to: account)
        do throws(AuthError) {
            return try await auth.session(token)
        } catch {
            throw PageStop(reply: await problems.page(of: error.code, request).pendingStep(nil))
        }
    }

    func mergeForm(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        return .page(try await page(request, session, try await otherSession(request)))
    }

    private func page(
        _ request: PageRequest,
        _ session: Session,
        _ other: Session,
        _ problems: [FieldProblem] = []
    ) async throws -> MergePage {
        let preview = try await auth.previewMerge(from: other, into: session)
        func phrase(_ info: UserInfo) -> Phrase {
            text.account.loginAs(choices.name(of: info.providerID), info.shownName)
        }
        let (account, otherAccount) = (try await session.account(), try await other.account())
        return MergePage(
            frame: frames.user(request, account),
            this: account.shownName(text),
            other: otherAccount.loginName(text),
            moves: preview.moves.map(phrase),
            drops: preview.drops.map(phrase),
            clashes: preview.conflicts.map(choices.name),
            hasFactors: !preview.factors.isEmpty,
            obstacles: preview.obstacles.map { text.problem.explanation(ProblemCode($0)) },
            remedy: preview.obstacles.compactMap(remedy).first,
            problems: problems
        )
    }

    /// Returns the page with the step of the user that removes an obstacle; nil if no step does.
    private func remedy(for obstacle: AuthError.Code) -> LocalPath? {
        switch obstacle {
        case .requiresRecentLogin: .page(of: .reauthenticate, returningTo: "/merge")
        case .secondFactorRequired: .page(of: .stepUp, returningTo: "/merge")
        default: nil
        }
    }

    func merge(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let other = try await otherSession(request)
        guard request.form["action"] == "merge" else {
            try await other.signOut()
            return PageReply.redirect(.home).pendingStep(nil)
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
            return PageReply.redirect(LocalPath.home.with(notice: .merged)).with(result).pendingStep(nil)
        } catch {
            guard error.code == .mergeConflict else { throw error }
            let problems = [FieldProblem(field: "keep", message: text.merge.keepMissing)]
            return .page(try await page(request, session, other, problems), status: 422)
        }
    }
}
#endif
