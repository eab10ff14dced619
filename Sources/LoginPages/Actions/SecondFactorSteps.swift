// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts

/// The steps of a second factor, for sign-ins and for open sessions.
struct SecondFactorSteps: Sendable {
    /// The texts of the pages.
    let text: SharedText

    /// The error codes that concern the field of the code.
    static let codeFields: [AuthError.Code: String] = [
        .invalidVerificationCode: "code", .invalidVerificationID: "code", .sessionExpired: "code",
        .multiFactorInfoNotFound: "code", .missingMultiFactorInfo: "code",
    ]

    /// Returns the fields that errors of sending a code concern.
    ///
    /// While another code is requested, the form for the previous one is shown, which is still valid.
    static func sendFields(_ request: PageRequest) -> [AuthError.Code: String] {
        request.form["challenge"] == nil ? [:] : [.quotaExceeded: "code"]
    }

    /// Returns the step that a query selects.
    ///
    /// Without a selection, and with `confirm`, by which other pages ask for a second factor, a single app is the step.
    func step(_ selection: SecondFactorPage.Selection?, factor: String?, _ hints: [MultiFactorInfo])
        -> SecondFactorPage.Step
    {
        let apps = hints.filter { $0.factorID == .totp }
        switch selection {
        case .recovery: return .recovery
        case .app:
            guard let uid = factor, apps.contains(where: { $0.uid == uid }) else { break }
            return .app(uid: uid)
        case .confirm, nil:
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
                    .init(uid: hint.uid, kind: .phone(name: hint.displayName, suffix: hint.phoneNumberSuffix ?? ""))
                }
            }
        )
    }

    /// Returns the step after a code was sent.
    func step(after challenge: MultiFactorChallenge, _ hints: [MultiFactorInfo]) -> SecondFactorPage.Step {
        let suffix = hints.first { $0.uid == challenge.uid }?.phoneNumberSuffix
        return .phone(uid: challenge.uid, challenge: challenge.id, suffix: suffix ?? "")
    }

    /// Returns the step of a posted form.
    func again(_ request: PageRequest) -> SecondFactorPage.Step {
        switch SecondFactorPage.Selection(request.form) {
        case .app: .app(uid: request.form["factor"] ?? "")
        case .phone, .send:
            .phone(
                uid: request.form["factor"] ?? "",
                challenge: request.form["challenge"] ?? "",
                suffix: request.form["suffix"] ?? ""
            )
        default: .recovery
        }
    }

    /// Returns the second factor in a form.
    func assertion(_ request: PageRequest) -> MultiFactorAssertion {
        let code = request.form["code"] ?? ""
        return switch SecondFactorPage.Selection(request.form) {
        case .app: .totp(request.form["factor"] ?? "", code: code)
        case .phone: .phone(challengeID: request.form["challenge"] ?? "", code: code)
        default: .recoveryCode(code)
        }
    }
}
#endif
