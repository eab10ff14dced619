// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

@testable import LoginProviders

/// The secret of an attempt, and the values derived from it.
@Suite struct AttemptSecretTests {
    private static let known = "lla_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    private static func derived(from secret: AttemptSecret) -> [String] {
        [secret.appNonce, secret.browserNonce, secret.state, secret.codeVerifier.value]
    }

    @Test func `nonces, state and code verifier of a secret are different and deterministic`() throws {
        let secret = AttemptSecret()
        let derived = Self.derived(from: secret)
        #expect(Set(derived).count == derived.count)
        #expect(derived.allSatisfy { $0.utf8.count == 43 && !secret.text.contains($0) && !$0.contains(secret.text) })
        let again = try #require(AttemptSecret(secret.text))
        #expect(Self.derived(from: again) == derived)
        #expect(Set(Self.derived(from: AttemptSecret())).isDisjoint(with: derived))
    }

    @Test func `each derived value is one block of HKDF-Expand with its own label`() throws {
        let secret = try #require(AttemptSecret(Self.known))
        // Computed with another implementation of HMAC with SHA-256, of the bytes 0 … 31.
        #expect(secret.appNonce == "iWh8fUyl8MdtcQ1f7f3KsG2tnZnMzMagx8NsVt_3ExU")
        #expect(secret.browserNonce == "GPuUECTNjzYrOR5kSTQJPleL6QV__CDhhQ9cYYDwAUY")
        #expect(secret.state == "1F5503WP777gHV03w53ciUrw6_Gdl0CbTrmjyh-qVdA")
        #expect(secret.codeVerifier.value == "DhKOtCLPb0wJ9ejQqJ-zgIsxUz34yBLjOdQBBi4V1FM")
    }

    @Test func `a new secret has 47 characters and is unique`() {
        let texts = (0..<100).map { _ in AttemptSecret().text }
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.utf8.count == 47 && $0.hasPrefix("lla_") })
    }

    @Test(arguments: [
        "", "lla_", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "llr_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "LLA_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "lla_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh",
        "lla_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8A", "lla_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9",
        "lla_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", " lla_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "lla_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", "lla_+AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "lla_" + String(repeating: "é", count: 43), "lla_" + String(repeating: "A", count: 1 << 20),
    ])
    func `a malformed secret is refused`(text: String) {
        #expect(AttemptSecret(text) == nil)
    }

    @Test func `stores contain the SHA-256 of a secret, and no text shows it`() throws {
        let secret = try #require(AttemptSecret(Self.known))
        #expect(secret.hash == NonceBinding(secret: Self.known).bytes)
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] { #expect(!text.contains("AAECAw")) }
    }

    @Test func `content decrypts only with its secret and its context`() throws {
        let (secret, other) = (AttemptSecret(), AttemptSecret())
        let content = AttemptContent(
            client: "client-1",
            redirectURL: LoginBench.redirectURL,
            scopes: ["openid"],
            variant: nil,
            maximumAuthenticationAge: 300,
            returnTo: "/orders",
            expectedUser: nil
        )
        let sealed = try secret.seal(content, context: [1])
        #expect(secret.open(sealed, context: [1])?.returnTo == "/orders")
        #expect(secret.open(sealed, context: [2]) == nil)
        #expect(other.open(sealed, context: [1]) == nil)
        for index in [0, sealed.count / 2, sealed.count - 1] {
            var changed = sealed
            changed[index] ^= 1
            #expect(secret.open(changed, context: [1]) == nil)
        }
        #expect(try secret.seal(content, context: [1]) != sealed)
    }

    @Test func `authorization request and attempt are derived from the secret`() async throws {
        let store = RecordingStore()
        let bench = try LoginBench(attempts: store)
        let request = try LoginRequest.facebook(tracking: .enabled)
        let started = try await bench.logins.begin(request, purpose: .link(session: "A"), lifetime: .seconds(60))
        let secret = try #require(AttemptSecret(started.secret))
        let seen = try parameters(of: started.url)
        #expect(seen["state"] == secret.state)
        #expect(seen["nonce"] == secret.browserNonce)
        #expect(seen["code_challenge"] == secret.codeVerifier.challenge)
        let attempt = try #require(store.attempts.first)
        #expect(attempt.id == SignInAttempt.ID(state: secret.state))
        #expect(attempt.provider == .facebook)
        #expect(attempt.purpose == .link(session: "A"))
        #expect(attempt.binding == NonceBinding(secret: started.secret))
        #expect(attempt.lifetime == .seconds(60))
        #expect(store.attempts.count == 1)
    }

    @Test func `a token with the nonce for apps completes no browser login`() async throws {
        let bench = try LoginBench()
        let started = try await bench.logins.begin(try .facebook(tracking: .limited), purpose: .signIn)
        let secret = try #require(AttemptSecret(started.secret))
        let nonce = secret.appNonce
        bench.facebook.settings.changeIDToken = { $0.claims["nonce"] = .string(nonce) }
        let callback = try bench.answer(to: started.url).callback
        let result = try await bench.logins.finish(callback, purpose: .signIn, secret: started.secret)
        #expect(expectFailure(.token, result, hiding: [started.secret])?.refusal?.code == .nonce)
    }
}

/// A store that records attempts for the test.
private final class RecordingStore: AttemptStore {
    private let kept = Mutex<[SignInAttempt]>([])

    var attempts: [SignInAttempt] { kept.withLock { $0 } }

    func insert(_ attempt: SignInAttempt) async { kept.withLock { $0.append(attempt) } }

    func claim(_ id: SignInAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async -> AttemptClaim { .unknown }
}
