// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The code of the articles of LoginKeys, and of the README.

#if HTTPClient
import LoginTestServers
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

func makeVerifiers(
    _ server: some Service,
    logger: Logger
) throws -> (LimitedLoginVerifier, TokenVerifier, ServiceGroup) {
    let keys = try KeyCache(providers: [.facebook, .google], transport: AsyncHTTPClientTransport())
    let facebook = try LimitedLoginVerifier(appIDs: ["1234567890"], keys: keys)
    let google = TokenVerifier(policy: try TokenPolicy(provider: .google, audiences: ["client-1"]), keys: keys)
    let services = ServiceGroup(services: [keys, server], gracefulShutdownSignals: [.sigterm], logger: logger)
    return (facebook, google, services)
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
#endif
