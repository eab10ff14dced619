// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginHummingbird

/// The second step of a sign-in.
extension PageActions {
    private static let path: LocalPath = "/login/second-factor"

    /// The sign-in that waits; who has none signs in first.
    private func waiting(_ request: PageRequest) throws -> (token: String, next: WaitingStep.Continuation) {
        guard case .secondFactor(let token, let next) = request.waiting else {
            throw PageStop(reply: .redirect("/login"))
        }
        return (token, next)
    }

    func secondFactorForm(_ request: PageRequest) async throws -> PageReply {
        let resolver = try await resolver(of: request)
        let step = step(request.query["way"], factor: request.query["factor"], resolver.hints)
        return .page(secondFactorPage(request, resolver, step))
    }

    /// What is known of the sign-in that waits; where it is over, the person begins again.
    private func resolver(of request: PageRequest) async throws -> MultiFactorResolver {
        let token = try waiting(request).token
        do throws(AuthError) {
            return try await auth.resolver(for: token)
        } catch {
            guard error.code == .invalidMultiFactorSession || error.code == .missingMultiFactorSession else {
                throw error
            }
            request.refusals?.record(error)
            throw PageStop(reply: problem(error.code, request).waiting(nil))
        }
    }

    private func secondFactorPage(
        _ request: PageRequest,
        _ resolver: MultiFactorResolver,
        _ step: SecondFactorPage.Step,
        _ problems: [FieldProblem] = []
    ) -> SecondFactorPage {
        SecondFactorPage(
            frame: strangersFrame(request),
            path: Self.path,
            step: step,
            attemptsLeft: resolver.attemptsLeft,
            expiresAt: resolver.expiresAt,
            problems: problems
        )
    }

    func secondFactor(_ request: PageRequest) async throws -> PageReply {
        let (token, next) = try waiting(request)
        // The account that the other one is to become part of.
        let account = next == .merge ? try signedIn(request).accountID : nil
        if request.form["way"] == "send" {
            let resolver = try await resolver(of: request)
            let challenge = try await auth.beginChallenge(
                token,
                factor: request.form["factor"] ?? "",
                from: request.origin
            )
            return .page(secondFactorPage(request, resolver, step(challenge, resolver.hints)))
        }
        var problems = missing(request, ["code": text.secondFactor.codeMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                let result = try await auth.resolveSignIn(token, with: assertion(request), from: request.origin)
                if let account {
                    let step = WaitingStep.merge(session: result.tokens.sessionToken, into: account)
                    return PageReply.redirect("/merge").waiting(step)
                }
                if case .link(let conflict) = next { return await link(conflict, result, request) }
                let path = if case .proceed(let path) = next { path } else { LocalPath.home }
                return PageReply.redirect(path).with(result).waiting(nil)
            } catch {
                problems = try self.problems(of: error, Self.codeFields, request)
            }
        }
        let resolver = try await resolver(of: request)
        return .page(secondFactorPage(request, resolver, stepAgain(request), problems), status: 422)
    }
}

/// What a sign-in and an open session have in common.
extension PageActions {
    /// The refusals that are about the code that was typed.
    private static let codeFields: [AuthError.Code: String] = [
        .invalidVerificationCode: "code", .invalidVerificationID: "code", .sessionExpired: "code",
        .multiFactorInfoNotFound: "code", .missingMultiFactorInfo: "code",
    ]

    /// What a query asks for; where it asks for nothing and there is one app, that.
    private func step(_ way: String?, factor: String?, _ hints: [MultiFactorInfo]) -> SecondFactorPage.Step {
        let apps = hints.filter { $0.factorID == .totp }
        switch way {
        case "recovery": return .recovery
        case "app":
            guard let uid = factor, apps.contains(where: { $0.uid == uid }) else { break }
            return .app(uid: uid)
        case nil:
            guard let app = apps.first, hints.count == 1 else { break }
            return .app(uid: app.uid)
        default: break
        }
        return .choose(
            hints.map { hint in
                switch hint.factorID {
                case .totp:
                    .init(uid: hint.uid, kind: .app(name: hint.displayName ?? text.account.app))
                case .phone:
                    .init(uid: hint.uid, kind: .phone(suffix: hint.phoneNumberSuffix ?? ""))
                }
            }
        )
    }

    /// The step after a code was sent.
    private func step(_ challenge: MultiFactorChallenge, _ hints: [MultiFactorInfo]) -> SecondFactorPage.Step {
        let suffix = hints.first { $0.uid == challenge.uid }?.phoneNumberSuffix
        return .phone(challenge: challenge.id, suffix: suffix ?? "")
    }

    /// The step that a form came from.
    private func stepAgain(_ request: PageRequest) -> SecondFactorPage.Step {
        switch request.form["way"] {
        case "app": .app(uid: request.form["factor"] ?? "")
        case "phone": .phone(challenge: request.form["challenge"] ?? "", suffix: request.form["suffix"] ?? "")
        default: .recovery
        }
    }

    private func assertion(_ request: PageRequest) -> MultiFactorAssertion {
        let code = request.form["code"] ?? ""
        return switch request.form["way"] {
        case "app": .totp(request.form["factor"] ?? "", code: code)
        case "phone": .phone(challengeID: request.form["challenge"] ?? "", code: code)
        default: .recoveryCode(code)
        }
    }

    func stepUpPage(_ request: PageRequest, _ account: Account, way: String, factor: String?) -> SecondFactorPage {
        // "choose" is what a refusal leads to: with one app there is nothing to choose.
        let hints = account.enrolledFactors
        let isOneApp = way == "choose" && hints.count == 1 && request.query["factor"] == nil
        return SecondFactorPage(
            frame: frame(request, account),
            path: "/reauthenticate",
            step: step(isOneApp ? nil : way, factor: factor, hints),
            reason: text.reauthenticate.code,
            returnTo: request.returnTo
        )
    }

    func stepUp(_ request: PageRequest, _ session: Session) async throws -> PageReply {
        let account = try await session.account()
        var page = stepUpPage(request, account, way: "choose", factor: nil)
        if request.form["way"] == "send" {
            let challenge = try await session.beginChallenge(
                factor: request.form["factor"] ?? "",
                from: request.origin
            )
            page.step = step(challenge, account.enrolledFactors)
            return .page(page)
        }
        page.problems = missing(request, ["code": text.secondFactor.codeMissing])
        if page.problems.isEmpty {
            do throws(AuthError) {
                let result = try await session.stepUp(with: assertion(request), from: request.origin)
                return PageReply.redirect(request.returnTo.saying(.confirmed)).with(result)
            } catch {
                page.problems = try problems(of: error, Self.codeFields, request)
            }
        }
        page.step = stepAgain(request)
        return .page(page, status: 422)
    }
}

/// Enrolling and removing.
extension PageActions {
    func enrollForm(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        // Refused here, and not after the person has fetched the phone.
        try await session.requireRecentLogin()
        return .page(EnrollPage(frame: frame(request, try await session.account()), step: .begin(name: nil)))
    }

    /// Begins, or confirms.
    ///
    /// What begins is answered by a page and not by a redirect, since the key can be shown only once; sent once more, it makes another
    /// key, and the one before is void.
    func enroll(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        let account = try await session.account()
        guard request.form["action"] == "confirm" else {
            let name = request.form["name"].flatMap { $0.isEmpty ? nil : $0 }
            let factor = NewTOTPFactor.totp(issuer: text.frame.service, displayName: name)
            let started = try await session.multiFactor.beginEnrollment(factor)
            let step = EnrollPage.Step.key(uid: started.uid, secret: started.secret, address: started.uri)
            return .page(EnrollPage(frame: frame(request, account), step: step))
        }
        let uid = request.form["factor"] ?? ""
        var problems = missing(request, ["code": text.secondFactor.codeMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                let assertion = MultiFactorAssertion.totp(uid, code: request.form["code"] ?? "")
                let enrolled = try await session.multiFactor.confirmEnrollment(assertion)
                var reply = PageReply.redirect(LocalPath.home.saying(.factorAdded))
                if let tokens = enrolled.tokens {
                    reply.session = .set(PageReply.Signed(session: enrolled.session, tokens: tokens))
                }
                return reply
            } catch {
                problems = try self.problems(of: error, Self.codeFields, request)
            }
        }
        return .page(EnrollPage(frame: frame(request, account), step: .code(uid: uid), problems: problems), status: 422)
    }

    func removeFactor(_ request: PageRequest, uid: String?) async throws -> PageReply {
        try await signedIn(request).multiFactor.unenroll(uid ?? "")
        return .redirect(LocalPath.home.saying(.factorRemoved))
    }

    /// Makes recovery codes, and shows them in the answer: they can be shown only once.
    ///
    /// Sent once more, it makes others, and those on the page before are void.
    func recoveryCodes(_ request: PageRequest) async throws -> PageReply {
        let session = try signedIn(request)
        let account = try await session.account()
        let codes = try await session.multiFactor.generateRecoveryCodes()
        return .page(RecoveryCodesPage(frame: frame(request, account), codes: codes))
    }
}
#endif
