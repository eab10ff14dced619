// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The section "From Swift" of the guide "An HTTP client", and the overview of LoginClient.

import Foundation
import LoginClient
import LoginClientURLSession

// snippet.session
func makeSession(storedAt path: String) throws -> ClientSession {
    ClientSession(
        transport: try URLSessionTransport("https://login.example.com", userAgent: "MyTool/1.0 (Linux)"),
        caching: TokenFile(path: path)
    ) { state, error in
        print("the session is \(state)", error.map { "because of \($0)" } ?? "")
    }
}

func openSession(
    storedAt path: String,
    idToken: (_ nonce: String) async throws -> String,  // signs the user in at the provider
    code: () -> String  // asks the user for a code
) async throws -> ClientSession {
    var session = try makeSession(storedAt: path)
    do {
        if try await session.load() == .createdTokenLoaded {
            try await session.open()
            return session
        }
    } catch let error as LoginClientError where error.endsSession {
        session = try makeSession(storedAt: path)  // the cached tokens are no longer valid: sign in again
    }
    let attempt = try await session.begin(provider: "corp")
    switch try await session.signIn(with: .idToken(idToken(attempt.nonce), attempt: attempt)) {
    case .signedIn(let result):
        print("signed in as \(result.account.id)")
    case .secondFactorRequired(let resolver):
        let factor = ClientSecondFactor.totp(uid: resolver.hints[0].uid, code: code())
        _ = try await session.complete(resolver, with: factor)
    case .accountExists(let pending):
        print("sign in as before, and link \(pending.providerID) then")
    }
    return session
}

func showNotes(_ session: ClientSession) async throws {
    let response = try await session.send(LoginClientRequest("GET", "/notes"))  // refreshes expired tokens
    print(String(decoding: response.body, as: UTF8.self))
}
// snippet.end

protocol SecretStore: Sendable {
    func setValue(_ value: Data, for key: String) async throws
    func value(for key: String) async throws -> Data?
    func removeValue(for key: String) async throws
}

// snippet.strategy
struct StoredTokens: TokenCachingStrategy {
    let store: any SecretStore  // for example the secrets of your server, encrypted
    let device: String

    func cache(_ tokens: CachedTokens) async throws {
        try await store.setValue(JSONEncoder().encode(tokens), for: device)
    }

    func fetch() async throws -> CachedTokens? {
        guard let value = try await store.value(for: device) else { return nil }
        return try JSONDecoder().decode(CachedTokens.self, from: value)
    }

    func clear() async throws {
        try await store.removeValue(for: device)
    }
}
// snippet.end
