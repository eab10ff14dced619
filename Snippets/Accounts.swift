// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The accounts of docs/guides/sign-in-server.md, and the article "A person's data".

import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTokens

func answer(_ account: AccountID, _ tokens: SessionTokens) {}
func ask(for hints: [MultiFactorInfo], _ token: String) {}
func offer(_ pending: PendingCredential) {}

func signIn(
    store: any AccountStore,
    keys: any KeySource,
    transport: any HTTPTransport,
    secrets: AccountSecrets,
    jwt: String
) async throws {
    // snippet.signIn
    let providers = try SignInProviders(
        [.facebook(appID: "1234567890", tracking: .limited)],
        keys: keys,
        transport: transport
    )
    let auth = Auth(store: store, providers: providers, secrets: secrets)

    let attempt = try await auth.begin(.signIn, with: .facebook)  // the nonce goes to the app, the token comes back
    switch try await auth.signIn(with: .idToken(jwt, attempt: attempt.token)) {
    case .signedIn(let result): answer(result.account.id, result.tokens)
    case .secondFactorRequired(let resolver): ask(for: resolver.hints, resolver.token)
    case .accountExists(let conflict): offer(conflict.pendingCredential)  // linked once the user has signed in
    }
    // snippet.end
}

// snippet.export
func export(for session: Session) async throws(AuthError) -> [UInt8] {
    try await session.exportPersonalData()
}
// snippet.end

// snippet.delete
func deleteAccount(of session: Session) async throws(AuthError) {
    try await session.deleteAccount()
}
// snippet.end

// snippet.forget
func forget(_ userID: String, _ auth: Auth) async throws(AuthError) {
    try await auth.delete(auth.account(providerID: .facebook, uid: userID).id)
}
// snippet.end

// snippet.sweep
func sweep(_ auth: Auth) async throws(AuthError) {
    while try await auth.sweep(auditOlderThan: .seconds(400 * 86400)).isMore {}
}
// snippet.end

// snippet.maintain
func serve(
    _ server: @escaping @Sendable () async throws -> Void,
    with auth: Auth,
    telling listener: @escaping @Sendable (AuthEvent) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server() }
        group.addTask { await auth.maintain(auditOlderThan: .seconds(400 * 86400), deliveringTo: listener) }
        try await group.next()
        group.cancelAll()
    }
}
// snippet.end
