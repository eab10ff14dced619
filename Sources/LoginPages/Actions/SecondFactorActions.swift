// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Completes sign-ins with a second factor.
struct SecondFactorActions: Sendable {
    private static let path: LocalPath = "/login/second-factor"

    let auth: Auth
    let frames: PageFrames
    let forms: FormChecks
    let steps: SecondFactorSteps
    let problems: ProblemReplies
    let clock: any WallClock

    /// Returns the pending sign-in of the browser.
    ///
    /// - Throws: ``PageStop`` if none is pending.
    private func pendingSignIn(_ request: PageRequest) throws(PageStop) -> (
        token: String, next: PendingStep.Continuation
    ) {
        guard case .secondFactor(let token, let next) = request.pendingStep else {
            throw PageStop(reply: .redirect("/login"))
        }
        return (token, next)
    }

    func secondFactorForm(_ request: PageRequest) async throws -> PageReply {
        let resolver = try await resolver(of: request)
        let step = steps.step(
            SecondFactorPage.Selection(request.query),
            factor: request.query["factor"],
            resolver.hints
        )
        return .page(try page(request, resolver, step))
    }

    /// Returns the resolver of the pending sign-in.
    ///
    /// - Throws: ``PageStop`` if the sign-in has expired; the user begins again.
    private func resolver(of request: PageRequest) async throws -> MultiFactorResolver {
        let (token, next) = try pendingSignIn(request)
        do throws(AuthError) {
            return try await auth.resolver(for: token)
        } catch {
            guard error.code == .invalidMultiFactorSession || error.code == .missingMultiFactorSession else {
                throw error
            }
            request.refusals?.record(error)
            let page = await problems.page(of: error.code, request, returnTo: returnPath(after: next))
            throw PageStop(reply: page.pendingStep(nil))
        }
    }

    private func page(
        _ request: PageRequest,
        _ resolver: MultiFactorResolver,
        _ step: SecondFactorPage.Step,
        _ problems: [FieldProblem] = []
    ) throws(PageStop) -> SecondFactorPage {
        let minutes = (resolver.expiresAt.timeIntervalSince(clock.now) / 60).rounded()
        return SecondFactorPage(
            frame: frames.signedOut(request),
            path: Self.path,
            step: step,
            deadline: SecondFactorPage.Deadline(time: resolver.expiresAt, minutesLeft: max(1, Int(minutes))),
            signInPath: signInPath(before: try pendingSignIn(request).next),
            problems: problems
        )
    }

    /// Returns the sign-in page with the return path of a pending sign-in; nil for a merge, whose user is signed in.
    private func signInPath(before next: PendingStep.Continuation) -> LocalPath? {
        returnPath(after: next).map { LocalPath("/login").returning(to: $0) }
    }

    /// Returns the path to which a pending sign-in leads; nil for a merge.
    private func returnPath(after next: PendingStep.Continuation) -> LocalPath? {
        switch next {
        case .proceed(let path): path
        case .link(let conflict): conflict.returnTo
        case .merge: nil
        }
    }

    func secondFactor(_ request: PageRequest) async throws -> PageReply {
        let (token, next) = try pendingSignIn(request)
        if case .merge(let account) = next { _ = try request.signedIn(to: account) }
        if SecondFactorPage.Selection(request.form) == .send {
            let resolver = try await resolver(of: request)
            do {
                let challenge = try await auth.beginChallenge(
                    token,
                    factor: request.form["factor"] ?? "",
                    from: request.origin
                )
                return .page(try page(request, resolver, steps.step(after: challenge, resolver.hints)))
            } catch let error as AuthError {
                let problems = try forms.problems(of: error, SecondFactorSteps.sendFields(request), request)
                return .page(try page(request, resolver, steps.again(request), problems), status: 422)
            }
        }
        let missing = forms.missing(request, ["code": frames.text.secondFactor.codeMissing])
        guard missing.isEmpty else {
            return .page(try page(request, try await resolver(of: request), steps.again(request), missing), status: 422)
        }
        do throws(AuthError) {
            let result = try await auth.resolveSignIn(token, with: steps.assertion(request), from: request.origin)
            switch next {
            case .proceed(let path): return PageReply.redirect(path).with(result).pendingStep(nil)
            case .link(let conflict): return await conflict.link(to: result, request)
            case .merge(let account):
                let step = PendingStep.merge(session: result.tokens.sessionToken, into: account)
                return PageReply.redirect("/merge").pendingStep(step)
            }
        } catch {
            let wrong = try forms.problems(of: error, SecondFactorSteps.codeFields, request)
            let resolver = try await resolver(of: request)
            let left = frames.text.secondFactor.attemptsLeft(resolver.attemptsLeft)
            let problems = wrong.map { FieldProblem(field: $0.field, message: "\($0.message) \(left)") }
            return .page(try page(request, resolver, steps.again(request), problems), status: 422)
        }
    }
}
#endif
