// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// What the guide "Verify a Limited Login token on your server" is made of.

import Foundation
import LimitedLogin
import LoginTokens

/// A sign-in attempt of your server: here only what the guide needs of it.
struct Attempt {
    var nonce: String
}

func begin() -> Attempt {
    Attempt(nonce: Nonce.random())
}

struct KeyFile: KeySource {
    let url: URL

    func snapshot(for issuer: String) async throws(KeysUnavailable) -> KeySnapshot {
        do {
            let keySet = try JSONWebKeySet(json: Data(contentsOf: url))
            return KeySnapshot(provider: .facebook, keys: keySet)
        } catch {
            throw KeysUnavailable(detail: "the key file: \(error)")
        }
    }

    func refreshed(for issuer: String, unknownKeyID: String) async throws(KeysUnavailable) -> KeySnapshot {
        try await snapshot(for: issuer)
    }
}

func makeVerifier(keyFile: URL) throws -> LimitedLoginVerifier {
    try LimitedLoginVerifier(appIDs: ["1234567890"], keys: KeyFile(url: keyFile))
}

enum Answer {
    case signedIn(provider: String, userID: String)
    case unauthorized(String)
    case tryAgain(String)
}

func signIn(tokenString: String, attempt: Attempt, verifier: LimitedLoginVerifier) async -> Answer {
    do throws(VerificationError) {
        let token = try await verifier.verify(tokenString, nonce: .exactly(attempt.nonce))
        return .signedIn(provider: token.verified.provider.name, userID: token.profile.userID)
    } catch {
        print(error)  // "token refused: expired: exp was 2025-10-09T09:52:20Z, 61 s ago (leeway 30 s)"
        switch error {
        case .refused(let refusal): return .unauthorized(refusal.publicMessage)
        case .undecided(let unavailable): return .tryAgain(unavailable.publicMessage)
        }
    }
}

func explain(tokenString: String, attempt: Attempt, verifier: LimitedLoginVerifier) async {
    _ = try? await verifier.verify(tokenString, nonce: .exactly(attempt.nonce)) { report in
        print(report.check, report.outcome, report.detail)
    }
}

func read(_ profile: Profile) {
    let greeting = profile.firstName ?? profile.name ?? "there"
    let mayEnter = profile.isAtLeast(18, on: Date())  // .yes, .no or .unknown
    for note in profile.notes { print("Facebook sent something unexpected:", note) }
    print("Hello \(greeting)", mayEnter)
}
