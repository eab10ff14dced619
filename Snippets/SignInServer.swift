// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// A server with sign-in and a route of its own. The README shows it; a test starts it and signs somebody in.

#if Hummingbird && SQLite
import Foundation
import Hummingbird
import LoginAccounts
import LoginHummingbird
import LoginKeys
import LoginProviders
import LoginStoreSQLite
import LoginTokens
import ServiceLifecycle

// snippet.server
let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8080
let publicURL = "http://localhost:\(port)"  // as browsers reach it

let store = try SQLiteAccountStore(path: environment["STORE"] ?? "accounts.sqlite")
try await store.migrate()

let provider = Provider.openID(issuers: [environment["ISSUER"] ?? "https://accounts.example.com"])
var keyOptions = KeyCacheConfiguration()
keyOptions.allowsLoopbackHTTP = environment["ISSUER"] != nil  // to try it with a provider on this machine
let keys = try KeyCache(providers: [provider], transport: AsyncHTTPClientTransport(), configuration: keyOptions)
let policy = try TokenPolicy(provider: provider, audiences: ["client-1"])
let auth = Auth(
    store: store,
    providers: [.openID(ProviderID("example"), verifier: TokenVerifier(policy: policy, keys: keys))],
    secrets: try AccountSecrets(contentsOf: environment["SECRETS"] ?? "accounts.keys")
)

let router = Router(context: BasicLoginRequestContext.self)
router.addMiddleware {
    OriginMiddleware()
    ProblemMiddleware(publicURL: publicURL)
    RateLimitMiddleware { 600 }
}
var options = LoginAPIOptions()
options.publicURL = publicURL  // the origin of pages that may change something by cookie
LoginAPI(auth: auth, options: options).addRoutes(to: router)  // /v1/attempts, /v1/sign-in, /v1/link, /v1/sessions …

let own = router.group().addMiddleware {
    SessionAuthenticator(auth)
    SameOriginMiddleware(publicURL: publicURL)
}
own.get("notes") { _, context in
    let session = try context.requireIdentity()  // 401, and why, where nobody is signed in
    return "the notes of \(session.accountID)\n"
}

var server = Application(
    router: router,
    server: .http1(configuration: .guarded()),  // deadlines for slow clients, and a limit per network
    configuration: .init(address: .hostname("127.0.0.1", port: port))
)
let logger = server.logger
let maintenance = ClosureService {  // removes what has expired, and delivers the events of accounts
    await cancelWhenGracefulShutdown {
        await auth.maintain { event in logger.info("account event", metadata: ["action": "\(event.action)"]) }
    }
}
server.addServices(keys, maintenance)
try await server.runService()  // SIGTERM: what is under way is answered, then it ends
await store.shutdown()
// snippet.end
#endif
