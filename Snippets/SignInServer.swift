// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The server of docs/guides/sign-in-server.md: two providers, the API, the pages, and a route and a table of its own. The
// service test Tests/service/example.py starts it and signs in with a browser.

#if Hummingbird && SQLite
import Foundation
import Hummingbird
import LoginAccounts
import LoginHTTP
import LoginHummingbird
import LoginPages
import LoginProviders
import LoginStoreSQLite

let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8080
let corp = environment["CORP_ISSUER"] ?? "https://login.corp.example"
let corpSecret = environment["CORP_SECRET"]
let club = environment["CLUB_ISSUER"] ?? "https://login.club.example"
let clubSecret = environment["CLUB_SECRET"]
let secretsFile = environment["SECRETS"] ?? "accounts.keys"
let store = try SQLiteAccountStore(path: environment["STORE"] ?? "accounts.sqlite")

// snippet.hook
try await store.withTransaction { database in
    let columns = "account TEXT, provider TEXT, name TEXT, email TEXT, PRIMARY KEY (account, provider)"
    try database.execute("CREATE TABLE IF NOT EXISTS profile (\(columns))", [])
}
func storeProfile(of result: AuthDataResult, in database: SQLiteTransaction) throws {
    guard let identity = result.identity, let claims = identity.claims else { return }
    let key: [StoreValue] = [.text(result.account.id.rawValue), .text(identity.providerID.rawValue)]
    let values = ["name", "email"].map { claims[$0]?.string.map(StoreValue.text) ?? .null }
    try database.execute("INSERT OR REPLACE INTO profile VALUES ($1, $2, $3, $4)", key + values)
}
let hooks = AuthHooks(onSignIn: storeProfile, onLink: storeProfile)
// snippet.end

// snippet.read
func storedName(of account: AccountID, in store: SQLiteAccountStore) async throws -> String? {
    try await store.withTransaction { database in
        let statement = "SELECT name FROM profile WHERE account = $1 AND name IS NOT NULL"
        return try database.execute(statement, [.text(account.rawValue)]).first?["name"].text
    }
}
// snippet.end

// snippet.server
let login = try LoginService(
    publicURL: "http://localhost:\(port)",  // the URL that browsers use
    providers: [
        .openID("corp", issuer: corp, clientID: "web", clientSecret: corpSecret).with {
            $0.emailTrust = .verifiedClaim(domains: ["corp.example"])  // a second factor needs a proven address
            $0.provider.allowsLoopbackHTTP = true  // to try it with a provider on this machine
        },
        .openID("club", issuer: club, clientID: "web", clientSecret: clubSecret).with {
            $0.provider.allowsLoopbackHTTP = true
        },
    ],
    store: store,
    secrets: AccountSecrets(contentsOf: secretsFile),
    hooks: hooks
)
let router = Router(context: BasicLoginRequestContext.self)
login.addAPI(to: router)  // /v1/attempts, /v1/sign-in, /v1/link, /v1/sessions …
login.addPages(to: router)  // /login, the account, and the providers' callbacks
router.group().add(middleware: login.requireSession).get("notes") { _, context in
    // Only signed-in users reach this route. Browsers are redirected to /login and back; others get status 401.
    "the notes of \(try context.session.accountID)\n"
}
try await login.application(router: router, address: .hostname("127.0.0.1", port: port)).runService()
// snippet.end
#endif
