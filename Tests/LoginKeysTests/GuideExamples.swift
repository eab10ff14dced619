// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// What the articles of LoginKeys, and the first lines of the README, are made of.

#if HTTPClient
import LimitedLogin
import Logging
import LoginKeys
import LoginTokens
import ServiceLifecycle
import UnixSignals

func makeServer(_ server: some Service, logger: Logger) throws -> (LimitedLoginVerifier, ServiceGroup) {
    let keys = try KeyCache(
        providers: [.facebook, .google],
        transport: AsyncHTTPClientTransport(),
        store: KeyDirectory(path: "/var/lib/my-server/keys"),
        observers: [.logging(logger), .metrics()]
    )
    let verifier = try LimitedLoginVerifier(appIDs: ["1234567890"], keys: keys)
    let services = ServiceGroup(services: [keys, server], gracefulShutdownSignals: [.sigterm], logger: logger)
    return (verifier, services)
}

func makeCache(directory: String) throws -> KeyCache {
    try KeyCache(
        providers: [.facebook],
        transport: AsyncHTTPClientTransport(),
        store: KeyDirectory(path: directory)
    )
}

func isReady(_ keys: KeyCache) -> Bool {
    keys.statuses.allSatisfy(\.isUsable)
}

func watch(_ keys: KeyCache, page: (String) -> Void) async {
    for await event in keys.events() where [.noKeys, .keysExpired].contains(event.kind) {
        page("nobody can sign in with \(event.provider): \(event.failure?.description ?? "see the log")")
    }
}

private func startSession(for userID: String) { print(userID.count) }

private func answer(_ message: String) { print(message) }

func signIn(_ text: String, expectedNonce: String) async throws {
    let keys = try KeyCache(providers: [.facebook], transport: AsyncHTTPClientTransport())  // run it as a service
    let verifier = try LimitedLoginVerifier(appIDs: ["1234567890"], keys: keys)

    do throws(VerificationError) {
        let token = try await verifier.verify(text, nonce: .exactly(expectedNonce))
        startSession(for: token.profile.userID)
    } catch {
        print(error)  // for you: "token refused: expired: exp was 2025-10-09T09:52:20Z, 61 s ago (leeway 30 s)"
        answer(error.publicMessage)  // for the app: "expired: The token has expired. Sign in again."
    }
}
#endif
