// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts

/// Enrolls and removes second factors, and generates recovery codes.
struct EnrollmentActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let forms: FormChecks

    private var text: SharedText { frames.text }

    func enrollForm(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        // Refused here, before the user fetches the phone.
        try await session.requireRecentLogin()
        return .page(page(request, try await session.account(), .begin))
    }

    /// Begins or confirms an enrollment.
    ///
    /// The response to the beginning is a page and not a redirect, since the key can be shown only once. Submitting the
    /// form again generates another key, and invalidates the previous one.
    func enroll(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let account = try await session.account()
        guard request.form["action"] == "confirm" else {
            let name = request.form["name"].flatMap { $0.isEmpty ? nil : $0 }
            let factor = NewTOTPFactor.totp(issuer: text.frame.service, displayName: name)
            let started = try await session.multiFactor.beginEnrollment(factor)
            let step = EnrollPage.Step.key(uid: started.uid, secret: started.secret, address: started.uri)
            return .page(page(request, account, step))
        }
        let uid = request.form["factor"] ?? ""
        var problems = forms.missing(request, ["code": text.secondFactor.codeMissing])
        if problems.isEmpty {
            do throws(AuthError) {
                let assertion = MultiFactorAssertion.totp(uid, code: request.form["code"] ?? "")
                let enrolled = try await session.multiFactor.confirmEnrollment(assertion)
                return await .enrolled(enrolled, notice: .factorAdded, request)
            } catch {
                problems = try forms.problems(of: error, SecondFactorSteps.codeFields, request)
            }
        }
        return .page(page(request, account, .code(uid: uid), problems), status: 422)
    }

    private func page(
        _ request: PageRequest,
        _ account: Account,
        _ step: EnrollPage.Step,
        _ problems: [FieldProblem] = []
    ) -> EnrollPage {
        EnrollPage(
            frame: frames.user(request, account),
            step: step,
            name: request.form["name"],
            offersPhone: auth.offersPhoneFactor(to: account),
            returnTo: request.returnTo,
            problems: problems
        )
    }

    /// Removes a second factor, once the user has confirmed it.
    func removeFactor(_ request: PageRequest, uid: String?) async throws -> PageReply {
        let session = try request.signedIn()
        if request.form["sure"] == nil {
            try await session.requireRecentLogin()
            let account = try await session.account()
            if let factor = account.enrolledFactors.first(where: { $0.uid == uid }) {
                return .page(confirmation(of: factor, request, account))
            }
        }
        try await session.multiFactor.unenroll(uid ?? "")
        return .redirect(LocalPath.home.with(notice: .factorRemoved))
    }

    /// Returns the page that asks before a second factor is removed.
    private func confirmation(of factor: MultiFactorInfo, _ request: PageRequest, _ account: Account)
        -> ConfirmationPage
    {
        let label = text.account.removeFactor(factor.shownName(text).plainText)
        let isLast = account.enrolledFactors.count == 1
        return ConfirmationPage(
            frame: frames.user(request, account),
            title: label.plainText,
            effect: Phrase(stringLiteral: isLast ? text.confirm.removeLastFactor : text.confirm.removeFactor),
            label: label,
            path: LocalPath("/second-factor").appending(factor.uid).appending("remove")
        )
    }

    /// Offers recovery codes on the way back from an enrollment; redirects back if the account has no second factor, or
    /// has codes.
    func recoveryOffer(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let account = try await session.account()
        guard !account.enrolledFactors.isEmpty, try await session.multiFactor.remainingRecoveryCodes() == 0 else {
            return .redirect(request.returnTo)
        }
        return .page(RecoveryOfferPage(frame: frames.user(request, account), returnTo: request.returnTo))
    }

    /// Generates recovery codes, and shows them in the response, since they can be shown only once; asks first if the
    /// account has codes.
    ///
    /// Submitting the form again generates other codes, and invalidates the previous ones.
    func recoveryCodes(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let account = try await session.account()
        let replacesOthers = try await session.multiFactor.remainingRecoveryCodes() > 0
        if replacesOthers, request.form["sure"] == nil {
            try await session.multiFactor.requireRecoveryCodesAllowed()
            return .page(
                ConfirmationPage(
                    frame: frames.user(request, account),
                    title: text.account.makeCodes,
                    effect: Phrase(stringLiteral: text.confirm.makeCodes),
                    label: Phrase(stringLiteral: text.account.makeCodes),
                    path: "/recovery-codes",
                    returnTo: request.returnTo
                )
            )
        }
        let codes = try await session.multiFactor.generateRecoveryCodes()
        return .page(
            RecoveryCodesPage(
                frame: frames.user(request, account),
                codes: codes,
                replacesOthers: replacesOthers,
                returnTo: request.returnTo
            )
        )
    }
}

extension PageReply {
    /// Returns the redirect after an enrollment, with the session's new tokens if it has any: to the offer of recovery
    /// codes if the account has none, else back.
    static func enrolled(
        _ factor: EnrolledFactor,
        notice: Notice,
        _ request: PageRequest
    ) async -> Self {
        let offer: LocalPath = "/recovery-codes"
        // The previous tokens may be invalid, so the browser gets the new ones even if the codes cannot be counted.
        let codes = (try? await factor.session.multiFactor.remainingRecoveryCodes()) ?? 0
        let next = codes > 0 ? request.returnTo : offer.returning(to: request.returnTo)
        var reply = PageReply.redirect(next.with(notice: notice))
        if let tokens = factor.tokens { reply.session = .set(Signed(session: factor.session, tokens: tokens)) }
        return reply
    }
}
#endif
