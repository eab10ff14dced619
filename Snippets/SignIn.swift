// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// What README.md shows after its first examples.

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

func redirect(to url: String) {}

func showLoginPage() {}

func logIn(
    logins: LoginManager,
    secret: String,
    body: String,
    binding: NonceBinding
) async throws {
    let started = try await logins.begin(
        .facebook(permissions: [.email], tracking: .limited),
        purpose: .signIn,
        binding: NonceBinding(secret: secret)
    )
    redirect(to: started.url)

    let callback = LoginCallback(url: body)  // what the page at the redirect URL posted: its whole address
    switch try await logins.finish(callback, purpose: .signIn, binding: binding) {
    case .success(let login): startSession(for: login.token.subject)
    case .cancelled: showLoginPage()
    case .failed(let failure): answer(failure.publicMessage)
    }
}
