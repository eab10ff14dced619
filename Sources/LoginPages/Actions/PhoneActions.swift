// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders

/// Sends codes to phones and uses them: to sign in, link a number, reauthenticate, and enroll a second factor.
struct PhoneActions: Sendable {
    let auth: Auth
    let frames: PageFrames
    let forms: FormChecks

    private var text: SharedText { frames.text }

    /// Returns the form for the number.
    func form(_ request: PageRequest, for use: PhonePage.Use) async throws -> PageReply {
        if use == .signIn, request.session != nil { return .redirect(request.returnTo) }
        try await requireOffer(of: use, request)
        // Refused here, before a code is sent.
        if use != .signIn { try await request.signedIn().requireRecentLogin() }
        let page = try await page(request, use, .number(nil, name: nil))
        return use == .signIn ? .firstPage(page, request) : .page(page)
    }

    /// Sends a code, or uses one.
    ///
    /// The response to a code that was sent is a page and not a redirect, since the ID of the code is a secret of this
    /// form. Submitting the form again sends another code, within the limits.
    func submit(_ request: PageRequest, for use: PhonePage.Use) async throws -> PageReply {
        try await requireOffer(of: use, request)
        return try await request.form["action"] == "confirm" ? confirm(request, use) : begin(request, use)
    }

    /// Requires that the service offers a use, to the account if it is one of an account.
    ///
    /// - Throws: ``PageStop`` if it does not.
    private func requireOffer(of use: PhonePage.Use, _ request: PageRequest) async throws {
        let isOffered =
            switch use {
            case .signIn, .reauthentication: auth.allows(.phone)
            case .link: auth.offersPhoneLogin(to: try await request.signedIn().account())
            case .secondFactor: auth.offersPhoneFactor(to: try await request.signedIn().account())
            }
        guard isOffered else { throw PageStop(reply: .redirect(.home)) }
    }

    private func begin(_ request: PageRequest, _ use: PhonePage.Use) async throws -> PageReply {
        let number = try await number(request, use)
        var problems = number.isEmpty ? [FieldProblem(field: "number", message: text.phone.numberMissing)] : []
        if problems.isEmpty {
            do {
                let challenge = try await send(to: number, request, use)
                return .page(try await page(request, use, sent(challenge, to: number, request)))
            } catch let error as AuthError {
                problems = try forms.problems(of: error, fields(request, use), request)
            }
        }
        let step: PhonePage.Step =
            if let challenge = request.form["challenge"], !number.isEmpty {
                sent(challenge, to: number, request)
            } else {
                .number(number, name: request.form["name"])
            }
        return .page(try await page(request, use, step, problems), status: 422)
    }

    /// Returns the number that the user typed, or that of the account for a reauthentication.
    private func number(_ request: PageRequest, _ use: PhonePage.Use) async throws -> String {
        guard use == .reauthentication else { return request.form["number"] ?? "" }
        let methods = try await request.signedIn().account().usableSignInMethods
        guard let phone = methods.first(where: { $0.providerID == .phone }) else {
            throw PageStop(reply: .redirect("/reauthenticate"))
        }
        return phone.uid
    }

    /// Sends a code.
    ///
    /// - Returns: The ID of the code.
    private func send(to number: String, _ request: PageRequest, _ use: PhonePage.Use) async throws -> String {
        switch use {
        case .signIn: return try await auth.sendPhoneCode(to: number, from: request.origin).id
        case .link:
            let session = try request.signedIn()
            return try await auth.sendPhoneCode(to: number, for: .link(session), from: request.origin).id
        case .reauthentication:
            let session = try request.signedIn()
            return try await auth.sendPhoneCode(to: number, for: .reauthenticate(session), from: request.origin).id
        case .secondFactor:
            let name = request.form["name"].flatMap { $0.isEmpty ? nil : $0 }
            let factor = NewPhoneFactor.phone(number, displayName: name)
            return try await request.signedIn().multiFactor.beginEnrollment(factor, from: request.origin).challenge.id
        }
    }

    /// Returns the fields that errors of sending concern.
    ///
    /// While another code is requested, the form for the previous one is shown, which is still valid.
    private func fields(_ request: PageRequest, _ use: PhonePage.Use) -> [AuthError.Code: String] {
        if request.form["challenge"] != nil { return [.quotaExceeded: "code"] }
        if use == .reauthentication { return [:] }
        return [
            .invalidPhoneNumber: "number", .quotaExceeded: "number", .secondFactorAlreadyEnrolled: "number",
            .maximumSecondFactorCountExceeded: "number", .operationNotAllowed: "number",
        ]
    }

    private func confirm(_ request: PageRequest, _ use: PhonePage.Use) async throws -> PageReply {
        var problems = forms.missing(request, ["code": text.secondFactor.codeMissing])
        if problems.isEmpty {
            do {
                return try await finish(request, use)
            } catch let error as AuthError {
                problems = try forms.problems(of: error, SecondFactorSteps.codeFields, request)
            }
        }
        let step = sent(request.form["challenge"] ?? "", to: request.form["number"] ?? "", request)
        return .page(try await page(request, use, step, problems), status: 422)
    }

    /// Uses the code of a form.
    private func finish(_ request: PageRequest, _ use: PhonePage.Use) async throws -> PageReply {
        let (challenge, code) = (request.form["challenge"] ?? "", request.form["code"] ?? "")
        let credential = AuthCredential.phone(verificationID: challenge, code: code)
        switch use {
        case .signIn:
            let outcome = try await auth.signIn(with: credential, from: request.origin)
            return await outcome.reply(to: request)
        case .link:
            let result = try await request.signedIn().link(with: credential, from: request.origin)
            return PageReply.redirect(LocalPath.home.with(notice: .linked)).with(result)
        case .reauthentication:
            let result = try await request.signedIn().reauthenticate(with: credential, from: request.origin)
            return PageReply.redirect(request.returnTo.with(notice: .confirmed)).with(result)
        case .secondFactor:
            let assertion = MultiFactorAssertion.phone(challengeID: challenge, code: code)
            let enrolled = try await request.signedIn().multiFactor.confirmEnrollment(assertion)
            return await .enrolled(enrolled, notice: .phoneAdded, request)
        }
    }

    private func sent(_ challenge: String, to number: String, _ request: PageRequest) -> PhonePage.Step {
        .code(challenge: challenge, number: number, name: request.form["name"])
    }

    private func page(
        _ request: PageRequest,
        _ use: PhonePage.Use,
        _ step: PhonePage.Step,
        _ problems: [FieldProblem] = []
    ) async throws -> PhonePage {
        let frame: PageFrame
        if use == .signIn {
            frame = frames.signedOut(request)
        } else {
            frame = frames.user(request, try await request.signedIn().account())
        }
        return PhonePage(frame: frame, use: use, step: step, returnTo: request.returnTo, problems: problems)
    }
}
#endif
