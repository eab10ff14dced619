// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The code of the guide "Verify tokens of any provider".

import Foundation
import LoginTesting
import LoginTokens

func makePolicies() throws -> [TokenPolicy] {
    let ours = Provider(
        name: "example",
        issuers: ["https://issuer.example"],
        keySetURL: "https://issuer.example/keys",
        requiresKeyID: true
    )
    return [
        // Android tokens are for the server, and name the app in azp.
        try TokenPolicy(
            provider: .google,
            audiences: ["server.apps.googleusercontent.com"],
            authorizedParties: ["android.apps.googleusercontent.com"]
        ),
        // The bundle ID of the app, and the services ID of the site.
        try TokenPolicy(provider: .apple, audiences: ["com.example.app", "com.example.site"]),
        try TokenPolicy(
            provider: .microsoft(tenantID: "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"),
            audiences: ["a5b0c9d2-41f6-4e0e-8a62-d0b2b1f3c7e4"]
        ),
        try TokenPolicy(provider: ours, audiences: ["client-1"], algorithms: [.es256]),
    ]
}

struct ProviderKeys: KeySource {
    let provider: Provider
    let file: URL

    func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot {
        do {
            let keySet = try JSONWebKeySet(json: Data(contentsOf: file))
            return KeySnapshot(provider: provider, keys: keySet)
        } catch {
            throw VerificationUnavailable(detail: "the keys of \(provider.name): \(error)")
        }
    }

    func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
        try await snapshot(for: issuer)
    }
}

func makeVerifier(_ policy: TokenPolicy, keyFile: URL) -> TokenVerifier {
    TokenVerifier(policy: policy, keys: ProviderKeys(provider: policy.provider, file: keyFile))
}

func verifiers(of channelID: String, secret channelSecret: String, keys: any KeySource) throws -> (
    web: TokenVerifier, app: TokenVerifier
) {
    let secret = try SharedSecret(channelSecret, algorithm: .hs256)
    let web = try TokenVerifier(policy: TokenPolicy(provider: .line, audiences: [channelID]), secret: secret)
    let policy = try TokenPolicy(provider: .line, audiences: [channelID], algorithms: [.es256])
    let app = TokenVerifier(policy: policy, keys: keys)
    return (web, app)
}

func report(on keySet: JSONWebKeySet) {
    for key in keySet.unusableKeys {
        print(key)  // "key "old-1" is unusable: weak: the modulus has 1024 bits, not 2048...8192"
    }
}

struct Begun {
    var nonce: String
    var setCookie: String
}

func begin(_ nonces: some NonceStore) async throws -> Begun {
    let secret = Nonce.random()
    let nonce = try await nonces.issue(purpose: .signIn, binding: NonceBinding(secret: secret))
    return Begun(
        nonce: nonce,
        setCookie: "__Host-attempt=\(secret); Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600"
    )
}

enum Answer {
    case signedIn(AccountKey)
    case unauthorized(String)
    case tryAgain(String)
}

func end(_ text: String, cookie: String?, verifier: TokenVerifier, nonces: some NonceStore) async -> Answer {
    let binding = NonceBinding(secret: cookie ?? "")
    do {
        let nonce = SingleUseNonce.singleUse(nonces, purpose: .signIn, binding: binding)
        let token = try await verifier.verify(text, nonce: nonce)
        return .signedIn(AccountKey(token))
    } catch let error as VerificationError {
        print(error)
        switch error {
        case .refused(let refusal): return .unauthorized(refusal.publicMessage)
        case .undecided(let unavailable): return .tryAgain(unavailable.publicMessage)
        }
    } catch {
        print("the store of nonces:", error)
        return .tryAgain("Begin again in a moment.")
    }
}

func beginLinking(session: String, secret: String, nonces: some NonceStore) async throws -> String {
    try await nonces.issue(purpose: .link(session: session), binding: NonceBinding(secret: secret))
}

func makeStrictPolicy() throws -> TokenPolicy {
    try TokenPolicy(
        provider: .openID(issuers: ["https://issuer.example"]),
        audiences: ["client-1"],
        maximumAuthenticationAge: .seconds(300),
        acceptedACRs: ["urn:example:two-factor"]
    )
}

func makeWorkspacePolicy() throws -> TokenPolicy {
    try TokenPolicy(provider: .google, audiences: ["client-1"], hostedDomain: "example.com")
}

func verifyFromTokenEndpoint(
    _ text: String,
    accessToken: String,
    nonce: String,
    verifier: TokenVerifier
) async throws(VerificationError) -> VerifiedToken {
    try await verifier.verify(text, nonce: .exactly(nonce), accessToken: .ifPresent(accessToken))
}

func verifyFromBrowser(
    _ text: String,
    code: String,
    nonce: String,
    verifier: TokenVerifier
) async throws(VerificationError) -> VerifiedToken {
    try await verifier.verify(text, nonce: .exactly(nonce), code: .required(code))
}

func renew(
    _ text: String,
    of original: OriginalAuthentication,
    verifier: TokenVerifier
) async throws(VerificationError) -> VerifiedToken {
    try await verifier.verifyRefreshed(text, of: original)
}

struct AccountKey: Hashable {
    var provider: String
    var tenant: String?
    var subject: String

    init(_ token: VerifiedToken) {
        provider = token.provider.name
        tenant = token.tenantID
        subject = token.subject
    }
}

func read(_ token: VerifiedToken) {
    let email = token.claims["email"]?.string
    let isVerified = token.boolean("email_verified") ?? false
    let means = token.claims.authenticationMethods  // for example pwd and otp
    print("e-mail:", email == nil ? "none" : isVerified ? "verified" : "not verified", "by:", means)
}

struct Profile: Decodable {
    var name: String?
    var picture: String?
}

func readProfile(_ token: VerifiedToken) throws -> Profile {
    try token.decode(Profile.self)
}

func tryOut() async throws {
    let apple = TestIssuer(provider: .apple, audience: "com.example.app")
    let policy = try TokenPolicy(provider: .apple, audiences: ["com.example.app"])
    let verifier = TokenVerifier(policy: policy, keys: apple.keys, clock: apple.clock)

    let text = apple.token(nonce: "n-1") { $0.claims["email_verified"] = "true" }
    let token = try await verifier.verify(text, nonce: .exactly("n-1"))
    assert(token.boolean("email_verified") == true)
}

func tryNonces() async throws {
    let google = TestIssuer(provider: .google, audience: "client-1")
    let policy = try TokenPolicy(provider: .google, audiences: ["client-1"])
    let verifier = TokenVerifier(policy: policy, keys: google.keys, clock: google.clock)
    let nonces = InMemoryNonceStore(clock: google.clock)
    let binding = NonceBinding(secret: "s-1")

    func code(of text: String) async throws -> String? {
        do {
            _ = try await verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: binding))
            return nil
        } catch let error as VerificationError {
            return error.code.rawValue
        }
    }

    let nonce = try await nonces.issue(purpose: .signIn, binding: binding)
    let text = google.token(nonce: nonce)
    let codes = try await [code(of: text), code(of: text)]
    assert(codes == [nil, "replayed"])

    let late = try await nonces.issue(purpose: .signIn, binding: binding)
    google.clock.advance(by: .seconds(600))
    let expired = try await code(of: google.token(nonce: late))
    assert(expired == "nonce")  // "the nonce … has expired"; the token is new
}

func tryOutTenants() async throws {
    let tenant = "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"
    let microsoft = TestIssuer(provider: .microsoftAnyTenant, tenant: tenant)
    let policy = try TokenPolicy(provider: .microsoftAnyTenant, audiences: ["client-1"])
    let verifier = TokenVerifier(policy: policy, keys: microsoft.keys, clock: microsoft.clock)

    let token = try await verifier.verify(microsoft.token(nonce: "n-1"), nonce: .exactly("n-1"))
    assert(AccountKey(token).tenant == tenant)
}
