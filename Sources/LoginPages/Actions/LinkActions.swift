// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginProviders

/// Linking logins to the account, and unlinking them.
struct LinkActions: Sendable {
    let choices: ProviderChoices

    func beginLink(_ request: PageRequest, provider name: String?) async throws -> PageReply {
        let session = try request.signedIn()
        // Refused here, and not after the user has logged in at the provider.
        try await session.requireRecentLogin()
        return PageReply(body: .provider(try choices.pressed(name), .link(session), returnTo: .home))
    }

    func unlink(_ request: PageRequest) async throws -> PageReply {
        let session = try request.signedIn()
        let result = try await session.unlink(
            fromProvider: ProviderID(rawValue: request.form["provider"] ?? ""),
            uid: request.form["uid"]
        )
        return PageReply.redirect(LocalPath.home.saying(.unlinked)).with(result)
    }
}
#endif
