// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The server of docs/guides/protect-an-api.md: an API with a route for each of two scopes, and its metadata.

#if Hummingbird
import Hummingbird
import LoginAccounts
import LoginHTTP
import LoginHummingbird
import LoginKeys
import LoginTokens

// snippet.server
let issuer = AccessTokenIssuer.rfc9068(issuers: ["https://login.example"])
let keys = try KeyCache(providers: [issuer.provider], transport: AsyncHTTPClientTransport())
let policy = try AccessTokenPolicy(issuer: issuer, audiences: ["https://api.example"])
let orders = try ProtectedResource(
    "https://api.example",  // the public URL of the API
    verifier: AccessTokenVerifier(policy: policy, keys: keys, cache: VerifiedTokenCache()),
    scopes: ["orders:read", "orders:write"],
    dpop: DPoPVerifier(ledger: InMemoryDPoPLedger())
)

let router = Router(context: BasicLoginRequestContext.self)
orders.addMetadata(to: router)
router.group().add(middleware: orders.requireScopes("orders:read")).get("orders") { _, context in
    "the orders of \(try context.token.subject)\n"
}
router.group().add(middleware: orders.requireScopes("orders:write")).post("orders") { _, context in
    "ordered for \(try context.token.subject)\n"
}
try await Application(router: router, services: [keys]).runService()
// snippet.end

// snippet.limited
func limitedOrders(_ verifier: AccessTokenVerifier) throws -> ProtectedResource {
    try ProtectedResource("https://api.example", verifier: verifier, requestsPerMinute: 600)
}
// snippet.end

// snippet.stepup
func addPayments(to router: Router<BasicLoginRequestContext>, _ orders: ProtectedResource) {
    let recent = orders.requireToken(
        scopes: ["orders:pay"],
        maximumAuthenticationAge: .seconds(300),
        acceptedACRs: ["phr"]
    )
    router.group().add(middleware: recent).post("payments") { _, context in
        "paid by \(try context.token.subject)\n"
    }
}
// snippet.end

// snippet.bound
func boundOrders(_ verifier: AccessTokenVerifier, nonceSecret: [UInt8]) throws -> ProtectedResource {
    let proofs = try DPoPPolicy(nonces: DPoPNonces(secret: nonceSecret), requiresBoundTokens: true)
    return try ProtectedResource(
        "https://api.example",
        verifier: verifier,
        dpop: DPoPVerifier(policy: proofs, ledger: InMemoryDPoPLedger()),
        clientCertificates: .clientCert,  // `Client-Cert`, from the proxy
        trustedProxies: TrustedProxies(["10.0.0.2"].compactMap { IPNetwork($0) })
    )
}
// snippet.end

// snippet.shared
func sharedOrders(_ verifier: AccessTokenVerifier, store: any AccountStore) throws -> ProtectedResource {
    try ProtectedResource(
        "https://api.example",
        verifier: verifier,
        dpop: DPoPVerifier(ledger: StoredDPoPLedger(store: store))
    )
}
// snippet.end

// snippet.origins
func browserOrders(_ verifier: AccessTokenVerifier) throws -> Router<BasicLoginRequestContext> {
    let orders = try ProtectedResource(
        "https://api.example",
        verifier: verifier,
        allowedOrigins: AllowedOrigins(["https://app.example.com", "http://localhost:3000"])
    )
    let router = Router(context: BasicLoginRequestContext.self)
    router.add(middleware: orders.answerPreflights())
    router.group().add(middleware: orders.requireScopes("orders:read")).get("orders") { _, context in
        "the orders of \(try context.token.subject)\n"
    }
    return router
}
// snippet.end

// snippet.introspected
func introspectedOrders(secret: String, transport: any HTTPTransport) throws -> ProtectedResource {
    let policy = try IntrospectionPolicy(issuers: ["https://login.example"], audiences: ["https://api.example"])
    let introspector = try TokenIntrospector(
        endpoint: EndpointURL("https://login.example/introspect"),
        clientID: "orders-api",
        clientSecret: secret,
        policy: policy,
        transport: transport
    )
    return try ProtectedResource("https://api.example", verifier: introspector, requestsPerMinute: 600)
}
// snippet.end

// snippet.context
struct OrdersContext: LoginRequestContext {
    var coreContext: CoreRequestContextStorage
    var login: RequestLogin
    var shop = "main"

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        login = RequestLogin(source: source)
    }
}

func addOrders(to router: Router<OrdersContext>, _ orders: ProtectedResource) {
    let reading = RequireAccessToken<OrdersContext>(orders, RouteRequirements(scopes: ["orders:read"]))
    router.group().add(middleware: reading).get("orders") { _, context in
        "the orders of \(try context.token.subject) in the shop \(context.shop)\n"
    }
}
// snippet.end
#endif
