// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts

/// The verification of an account's e-mail address.
struct EmailActions: Sendable {
    let frames: PageFrames

    func sendVerification(_ request: PageRequest) async throws -> PageReply {
        try await request.signedIn().sendEmailVerification(from: request.origin)
        return .redirect(LocalPath.home.with(notice: .messageSent))
    }

    func verifyForm(_ request: PageRequest) async throws -> PageReply {
        let account = try await request.signedIn().account()
        let step = PasswordPage.Step.verify(token: request.query["token"] ?? "")
        return .page(PasswordPage(frame: frames.user(request, account), step: step))
    }

    func verify(_ request: PageRequest) async throws -> PageReply {
        let result = try await request.signedIn().verifyEmail(token: request.form["token"] ?? "")
        return PageReply.redirect(LocalPath.home.with(notice: .emailVerified)).with(result)
    }
}
#endif
