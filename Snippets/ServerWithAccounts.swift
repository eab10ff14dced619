// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The guide "A server with accounts".

import LimitedLogin
import LoginAccounts
import LoginKeys
import LoginProviders
import LoginStoreSQLite
import LoginTokens

#if HTTPClient && SQLite
// snippet.make
func makeAuth() async throws -> (Auth, KeyCache, SQLiteAccountStore) {
    let store = try SQLiteAccountStore(path: "/var/lib/my-server/accounts.sqlite")
    try await store.migrate()
    let providers: [SignInProvider] = try [
        .facebook(appID: "1234567890", tracking: .limited), .google(clientID: "client-1"),
    ]
    let transport = AsyncHTTPClientTransport()
    let keys = try KeyCache(providers: providers.map(\.provider), transport: transport)
    let auth = Auth(
        store: store,
        providers: try SignInProviders(providers, keys: keys, transport: transport),
        secrets: try AccountSecrets(contentsOf: "/etc/my-server/accounts.keys")
    )
    return (auth, keys, store)
}
// snippet.end

// snippet.run
func run(_ auth: Auth, _ keys: KeyCache, serving server: @escaping @Sendable () async throws -> Void) async throws {
    try await auth.checkSecrets()  // throws if the store was written with other keys
    await auth.providers.prepare()  // waits at most five seconds for the providers' metadata
    do {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await keys.run() }  // fetches keys ahead of time
            group.addTask { await auth.providers.run() }  // renews the metadata once a day
            group.addTask { await auth.maintain { print("account event: \($0.action)") } }  // deletes what has expired
            group.addTask { try await server() }
            try await group.next()
            group.cancelAll()
        }
    } catch {
        await auth.store.shutdown()
        throw error
    }
    await auth.store.shutdown()  // closes the store; a SQLite file can be copied then
}
// snippet.end

// snippet.hooks
func makeAuth(
    _ store: SQLiteAccountStore,
    _ providers: SignInProviders,
    _ secrets: AccountSecrets
) -> Auth {
    let hooks = AuthHooks<SQLiteTransaction>(
        onSignIn: { signIn, database in
            guard signIn.isNewUser else { return }
            try database.execute("INSERT INTO reader (id) VALUES ($1)", [.text(signIn.account.id.rawValue)])
        },
        onMerge: { merge, database in
            let accounts: [StoreValue] = [.text(merge.source.rawValue), .text(merge.target.rawValue)]
            try database.execute("UPDATE note SET owner = $2 WHERE owner = $1", accounts)
        }
    )
    return Auth(store: store, providers: providers, secrets: secrets, hooks: hooks)
}
// snippet.end
#endif

// snippet.routes
func begin(_ auth: Auth) async throws(AuthError) -> AuthAttempt {
    try await auth.begin(.signIn, with: .google)  // .nonce and .token, both for the app
}

func signIn(_ jwt: String, _ attempt: String, from origin: RequestOrigin, _ auth: Auth) async throws(AuthError)
    -> SessionTokens
{
    try await auth.signIn(with: .idToken(jwt, attempt: attempt), from: origin).get().tokens
}

func whoAsks(_ sessionToken: String, _ auth: Auth) async throws(AuthError) -> AccountID {
    try await auth.session(sessionToken).accountID
}

func refresh(_ refreshToken: String, _ auth: Auth) async throws(AuthError) -> SessionTokens {
    try await auth.refresh(refreshToken).tokens
}

func signOut(_ sessionToken: String, _ auth: Auth) async throws(AuthError) {
    try await auth.session(sessionToken).signOut()
}
// snippet.end

// snippet.secondFactor
func enroll(_ sessionToken: String, _ auth: Auth) async throws(AuthError) -> TOTPEnrollment {
    // The app shows its .uri as a QR code, and keeps its .uid for the next request.
    try await auth.session(sessionToken).multiFactor.beginEnrollment(.totp(issuer: "Notes"))
}

func confirm(_ uid: String, _ code: String, _ sessionToken: String, _ auth: Auth) async throws(AuthError)
    -> (SessionTokens?, recoveryCodes: [String])
{
    let session = try await auth.session(sessionToken)
    let enrolled = try await session.multiFactor.confirmEnrollment(.totp(uid, code: code))
    // From here on, use the returned session: it is at level 2 and has new tokens.
    return (enrolled.tokens, try await enrolled.session.multiFactor.generateRecoveryCodes())
}
// snippet.end

// snippet.conflict
/// The answer to the app.
enum Answer {
    case signedIn(SessionTokens)
    case confirm(MultiFactorResolver)
    case signInAsBefore(PendingCredential)
}

func signInOrAsk(_ jwt: String, _ attempt: String, _ auth: Auth) async throws(AuthError) -> Answer {
    switch try await auth.signIn(with: .idToken(jwt, attempt: attempt)) {
    case .signedIn(let result): .signedIn(result.tokens)
    case .secondFactorRequired(let resolver): .confirm(resolver)
    case .accountExists(let conflict): .signInAsBefore(conflict.pendingCredential)
    }
}

/// Links the login, once the user has signed in to the account that has its address.
func link(_ pending: PendingCredential, to session: Session) async throws(AuthError) -> SessionTokens {
    try await session.link(with: .pending(pending)).tokens
}
// snippet.end
