// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders

/// Links logins to the account, and unlinks them.
struct LinkActions: Sendable {
    let frames: PageFrames
    let choices: ProviderChoices

    private var text: SharedText { frames.text }

    func beginLink(_ request: PageRequest, provider name: String?) async throws -> PageReply {
        let session = try request.signedIn()
        // Refused here, before the user logs in at the provider.
        try await session.requireRecentLogin()
        return PageReply(body: .provider(try choices.provider(named: name), .link(session), returnTo: .home))
    }

    /// Unlinks a login, once the user has confirmed it.
    func unlink(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let provider = ProviderID(rawValue: request.form["provider"] ?? "")
        guard request.form["sure"] != nil else {
            try await session.requireRecentLogin()
            let name = choices.name(of: provider)
            let account = try await session.account()
            let logins = account.providerData.filter { $0.providerID == provider }
            let login = logins.first { $0.uid == request.form["uid"] } ?? logins.first
            return .page(
                ConfirmationPage(
                    frame: frames.user(request, account),
                    title: text.account.unlink(login.map { "\(name): \($0.shownName)" } ?? name).plainText,
                    effect: text.confirm.unlink(name),
                    label: text.account.unlink(name),
                    path: "/unlink",
                    fields: ["provider", "uid"].compactMap { name in request.form[name].map { (name, $0) } }
                )
            )
        }
        let result = try await session.unlink(fromProvider: provider, uid: request.form["uid"])
        return PageReply.redirect(LocalPath.home.with(notice: .unlinked)).with(result)
    }
}
#endif
