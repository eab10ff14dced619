// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The examples of docs/guides/verify-tokens.md, and the browser login of docs/guides/sign-in-server.md.

import LimitedLogin
import LoginKeys
import LoginProviders
import LoginTokens

func startSession(for userID: String) {}

func answer(_ message: String) {}

#if HTTPClient
/// What the sign-in route of a server does with the token an app sends.
func signIn(text: String, nonce: String, facebook: LimitedLoginVerifier) async throws {
    do throws(VerificationError) {
        let token = try await facebook.verify(text, nonce: .exactly(nonce))
        startSession(for: token.profile.userID)
    } catch {
        print(error)  // for you: "token refused: expired: exp was 2025-10-09T09:52:20Z, 61 s ago (leeway 30 s)"
        answer(error.publicMessage)  // for the app: "expired: The token has expired. Sign in again."
    }
}
#endif

func signInElsewhere(
    text: String,
    keySet: JSONWebKeySet,
    nonces: some NonceStore,
    binding: NonceBinding
) async throws {
    let policy = try TokenPolicy(provider: .google, audiences: ["client-1"], hostedDomain: "example.com")
    let verifier = TokenVerifier(policy: policy, keys: KeySnapshot(provider: .google, keys: keySet))
    let token = try await verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: binding))
    print(token.provider.name, token.subject, token.boolean("email_verified") ?? false)
}

func redirect(to url: String, withCookie secret: String) {}

func showLoginPage() {}

func logIn(
    keys: any KeySource,
    transport: any HTTPTransport,
    secret: String,
    site: String,
    attempts: some AttemptStore,
    body: String,
    cookie: String?
) async throws {
    let providers = try SignInProviders(
        [.facebook(appID: "1234567890", tracking: .limited), .google(clientID: "client-1", clientSecret: secret)],
        keys: keys,
        transport: transport
    )
    let logins = try await providers.loginManager(
        for: .facebook,
        redirectURL: "\(site)/login/callback",
        attempts: attempts
    )

    let started = try await logins.begin(purpose: .signIn)
    redirect(to: started.url, withCookie: started.secret)

    let callback = LoginCallback(url: body)  // what the page at the redirect URI posted: its whole address
    switch try await logins.finish(callback, purpose: .signIn, secret: cookie) {
    case .success(let login): startSession(for: login.identity.subject)
    case .cancelled: showLoginPage()
    case .failed(let failure): answer(failure.publicMessage)
    }
}
