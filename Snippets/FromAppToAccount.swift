// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The code of the guide "From app to account".

import Foundation
import LimitedLogin
import LoginKeys
import LoginTesting
import LoginTokens

/// The start of an attempt, reduced to what the guide needs.
struct Begun: Encodable {
    var configuration: LoginConfiguration
    var secret: String
}

/// The same in the app, which uses Facebook's SDK and nothing of this package.
struct BegunLogin: Decodable {
    struct Configuration: Decodable {
        var requestedPermissions: [String]
        var tracking: String  // "enabled" or "limited"
        var nonce: String
        var messengerPageID: String?
        var authType: String?  // "rerequest" or "reauthorize"
        var appSwitch: String  // "enabled" or "disabled"
        var codeVerifier: String
    }

    var configuration: Configuration
    var secret: String  // kept in memory, and sent with the token
}

func begin(_ nonces: some NonceStore) async throws -> Begun {
    let secret = Nonce.random()
    let configuration = try await LoginConfiguration.issuing(
        from: nonces,
        purpose: .signIn,
        binding: NonceBinding(secret: secret),
        permissions: [.email, .userAgeRange],
        tracking: .limited
    )
    return Begun(configuration: configuration, secret: secret)
}

#if HTTPClient
func makeVerifier() throws -> (LimitedLoginVerifier, KeyCache) {
    let keys = try KeyCache(providers: [.facebook], transport: AsyncHTTPClientTransport())
    return (try LimitedLoginVerifier(appIDs: ["1234567890"], keys: keys), keys)
}

func run(_ keys: KeyCache, serve: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await keys.run() }  // or as a service, in the ServiceGroup of your server
        try await serve()
        group.cancelAll()
    }
}
#endif

enum Answer {
    case signedIn(AccountKey)
    case unauthorized(String)
    case tryAgain(String)
}

func end(_ text: String, secret: String, verifier: LimitedLoginVerifier, nonces: some NonceStore) async -> Answer {
    let binding = NonceBinding(secret: secret)
    do {
        let nonce = SingleUseNonce.singleUse(nonces, purpose: .signIn, binding: binding)
        let token = try await verifier.verify(text, nonce: nonce)
        return .signedIn(AccountKey(token.verified))
    } catch let error as VerificationError {
        print(error)  // "token refused: expired: exp was 2025-10-09T09:52:20Z, 61 s ago (leeway 30 s)"
        switch error {
        case .refused(let refusal): return .unauthorized(refusal.publicMessage)
        case .undecided(let unavailable): return .tryAgain(unavailable.publicMessage)
        }
    } catch {
        print("the store of nonces:", error)
        return .tryAgain("Begin again in a moment.")
    }
}

func show(_ text: String, nonce: SingleUseNonce, verifier: LimitedLoginVerifier) async throws -> AuthenticationToken {
    try await verifier.verify(text, nonce: nonce) { report in
        print(report.check, report.outcome, report.detail)
    }
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

func read(_ profile: Profile) {
    let greeting = profile.firstName ?? profile.name ?? "there"
    let mayEnter = profile.isAtLeast(18, on: Date())  // .yes, .no or .unknown
    for note in profile.notes { print("Facebook sent something unexpected:", note) }
    print("Hello \(greeting)", mayEnter)
}

func tryNonces() async throws {
    let facebook = TestIssuer.facebook(appID: "1234567890")
    let verifier = try LimitedLoginVerifier(appIDs: ["1234567890"], keys: facebook.keys, clock: facebook.clock)
    let nonces = InMemoryNonceStore(clock: facebook.clock)
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
    let text = facebook.token(nonce: nonce)
    let codes = try await [code(of: text), code(of: text)]
    assert(codes == [nil, "replayed"])

    let late = try await nonces.issue(purpose: .signIn, binding: binding)
    facebook.clock.advance(by: .seconds(600))
    let expired = try await code(of: facebook.token(nonce: late))
    assert(expired == "nonce")  // "the nonce … has expired"; the token is new
}

func respond(as token: AuthenticationToken, page: @Sendable () async throws -> String) async throws -> String {
    try await withIdentity(token, accessToken: nil, profile: token.profile) {
        try await page()  // reads Profile.current
    }
}
