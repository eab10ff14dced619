// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The sections on logins of apps and devices, on the account and on the status, of the guide "An HTTP client".

import Foundation
import LoginClient
import LoginKeys
import LoginProviders
import LoginTokens

func show(_ text: String) { print(text) }

// snippet.status
func showStatus(of session: ClientSession) async {
    for await status in await session.statuses() {
        switch status {
        case .signedOut: show("signed out")
        case .stored(let user): show("welcome back, \(user.accountID)")
        case .signingIn: show("signing in")
        case .secondFactorRequired(let resolver): show("enter a code of one of \(resolver.hints.count) factors")
        case .signedIn(let user): show("signed in, tokens of \(user.refreshDate ?? .now)")
        case .expired: show("sign in again")
        }
    }
}
// snippet.end

// snippet.account
/// Links another login to the account, or merges its account into this one.
func link(
    _ provider: String,
    to session: ClientSession,
    idToken: (_ nonce: String) async throws -> String,  // signs the user in at the provider
    other: () throws -> ClientSession  // a new session, with a storage of its own
) async throws {
    let attempt = try await session.user.begin(.link, with: provider)
    do {
        let credential = ClientCredential.idToken(try await idToken(attempt.nonce), attempt: attempt)
        let result = try await session.user.link(with: credential)
        show("\(result.outcome.rawValue), \(result.account.logins.count) logins")
    } catch let error as LoginClientError where error.code == .credentialAlreadyInUse {
        guard let pending = error.pendingCredential else { throw error }
        let source = try other()
        guard case .signedIn = try await source.signIn(with: .pending(pending)) else { return }
        let preview = try await session.user.previewMerge(from: source)
        guard preview.obstacles.isEmpty else { return show("not possible: \(preview.obstacles[0].rawValue)") }
        show("\(preview.moves.count) logins move to this account")  // ask the user
        _ = try await session.user.merge(from: source)
    }
}
// snippet.end

// snippet.token
func keepToken(_ token: String, for session: ClientSession) async throws {
    try await session.keep(ClientProviderToken(token, expiresAt: Date.now + 3600), of: "club")
    if let kept = await session.providerToken(of: "club") { show("valid until \(kept.expiresAt ?? .distantFuture)") }
}
// snippet.end

#if HTTPClient
// snippet.native
func logIn(nonce: String) async throws -> String? {
    let (provider, transport) = (Provider.openID(issuers: ["https://login.corp.example"]), AsyncHTTPClientTransport())
    let metadata = try await ProviderMetadata.fetch(provider: provider, transport: transport)
    let outcome = try await LoopbackListener.run { listener in
        let login = try NativeAppLogin(
            provider: provider,
            metadata: metadata,
            clientID: "tool",
            redirectURL: listener.redirectURL,
            nonce: nonce
        )
        print("Open this URL in a browser on this machine:\n\(login.url)")
        return try await listener.response { query in
            try await login.outcome(of: LoginCallback(query: query), transport: transport)
        }
    }
    guard case .idToken(let idToken, _)? = outcome else { return nil }  // cancelled, or not in time
    return idToken
}
// snippet.end

// snippet.device
func logInDevice() async throws -> VerifiedToken? {
    let (provider, transport) = (Provider.openID(issuers: ["https://login.corp.example"]), AsyncHTTPClientTransport())
    let login = try DeviceLogin(
        metadata: try await ProviderMetadata.fetch(provider: provider, transport: transport),
        clientID: "tv",
        verifier: try TokenVerifier(issuer: provider, audience: "tv"),
        transport: transport
    )
    let code = try await login.begin()
    print("Open \(code.verificationURL) on your phone, and enter \(code.userCode).")
    print("Enter a code only if you see it on the device in front of you.")
    guard case .success(let success) = try await login.finish(code) else { return nil }  // the user declined
    return success.token
}
// snippet.end
#endif
