// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird

/// Completes sign-ins with a second factor.
struct SecondFactorActions: Sendable {
    private static let path: LocalPath = "/login/second-factor"

    let auth: Auth
    let frames: PageFrames
    let forms: FormChecks
    let steps: SecondFactorSteps
    let problems: ProblemReplies

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
        let step = steps.step(request.query["way"], factor: request.query["factor"], resolver.hints)
        return .page(page(request, resolver, step))
    }

    /// Returns the resolver of the pending sign-in.
    ///
    /// - Throws: ``PageStop`` if the sign-in has expired; the user begins again.
    private func resolver(of request: PageRequest) async throws -> MultiFactorResolver {
        let token = try pendingSignIn(request).token
        do throws(AuthError) {
            return try await auth.resolver(for: token)
        } catch {
            guard error.code == .invalidMultiFactorSession || error.code == .missingMultiFactorSession else {
                throw error
            }
            request.refusals?.record(error)
            throw PageStop(reply: await problems.page(of: error.code, request).pendingStep(nil))
        }
    }

    private func page(
        _ request: PageRequest,
        _ resolver: MultiFactorResolver,
        _ step: SecondFactorPage.Step,
        _ problems: [FieldProblem] = []
    ) -> SecondFactorPage {
        SecondFactorPage(
            frame: frames.signedOut(request),
            path: Self.path,
            step: step,
            attemptsLeft: resolver.attemptsLeft,
            expiresAt: resolver.expiresAt,
            problems: problems
        )
    }

    func secondFactor(_ request: PageRequest) async throws -> PageReply {
        let (token, next) = try pendingSignIn(request)
        if case .merge(let account) = next { _ = try request.signedIn(to: account) }
        if request.form["way"] == "send" {
            let resolver = try await resolver(of: request)
            do throws(AuthError) {
                let challenge = try await auth.beginChallenge(
                    token,
                    factor: request.form["factor"] ?? "",
                    from: request.origin
                )
                return .page(page(request, resolver, steps.step(after: challenge, resolver.hints)))
            } catch {
                let problems = try forms.problems(of: error, SecondFactorSteps.sendFields(request), request)
                return .page(page(request, resolver, steps.again(request), problems), status: 422)
            }
        }
        var problems = forms.missing(request, ["code": frames.text.secondFactor.codeMissing])
        if problems.isEmpty {
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
                problems = try forms.problems(of: error, SecondFactorSteps.codeFields, request)
            }
        }
        let resolver = try await resolver(of: request)
        return .page(page(request, resolver, steps.again(request), problems), status: 422)
    }
}
#endif
