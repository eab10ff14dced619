// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// A server with sign-in and a route of its own. The README shows it; a test starts it and signs somebody in.

#if Hummingbird && SQLite
import Foundation
import Hummingbird
import LoginAccounts
import LoginHummingbird
import LoginPages
import LoginProviders
import LoginStoreSQLite

// snippet.server
let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8080
let example = SignInProvider.openID(
    "example",
    issuer: environment["ISSUER"] ?? "https://login.example.com",
    clientID: "client-1"
)

let login = try LoginService(
    publicURL: "http://localhost:\(port)",  // as browsers reach it
    providers: [example.with { $0.allowsLoopbackHTTP = true }],  // to try it with a provider on this machine
    store: SQLiteAccountStore(path: environment["STORE"] ?? "accounts.sqlite"),
    secrets: AccountSecrets(contentsOf: environment["SECRETS"] ?? "accounts.keys")
)
let router = Router(context: BasicLoginRequestContext.self)
login.addAPI(to: router)  // /v1/attempts, /v1/sign-in, /v1/link, /v1/sessions …
login.addPages(to: router)  // /login, the account, and the providers' callbacks
router.group().add(middleware: login.requireSession).get("notes") { _, context in
    "the notes of \(try context.session.accountID)\n"  // nobody else comes here: status 401, and why
}
try await login.application(router: router, address: .hostname("127.0.0.1", port: port)).runService()
// snippet.end
#endif
