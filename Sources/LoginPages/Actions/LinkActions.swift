// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginProviders

/// Links logins to the account, and unlinks them.
struct LinkActions: Sendable {
    let choices: ProviderChoices

    func beginLink(_ request: PageRequest, provider name: String?) async throws -> PageReply {
        let session = try request.signedIn()
        // Refused here, before the user logs in at the provider.
        try await session.requireRecentLogin()
        return PageReply(body: .provider(try choices.provider(named: name), .link(session), returnTo: .home))
    }

    func unlink(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let result = try await session.unlink(
            fromProvider: ProviderID(rawValue: request.form["provider"] ?? ""),
            uid: request.form["uid"]
        )
        return PageReply.redirect(LocalPath.home.with(notice: .unlinked)).with(result)
    }
}
#endif
