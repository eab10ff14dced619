// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import HummingbirdCore
public import LoginAccounts
public import LoginKeys
public import LoginProviders
public import LoginTokens
public import Logging
internal import ServiceLifecycle

/// A server with sign-in: accounts, the JSON API, and the background services.
///
/// The module `LoginPages` adds the pages to it.
///
/// ```swift
/// let login = try LoginService(
///     publicURL: "https://example.com",
///     providers: [.google(clientID: "client-1", clientSecret: secret)],
///     store: SQLiteAccountStore(path: "accounts.sqlite"),
///     secrets: AccountSecrets(contentsOf: "accounts.keys"))
/// let router = Router(context: BasicLoginRequestContext.self)
/// login.addAPI(to: router)
/// login.addPages(to: router)
/// router.group().add(middleware: login.requireSession).get("notes") { _, context in
///     "the notes of \(try context.session.accountID)"
/// }
/// try await login.application(router: router).runService()
/// ```
///
/// Its parts can be used separately: ``LoginAPI``, ``RequireSession``, `Auth` and `SignInProviders`.
public struct LoginService: Sendable {
    /// The accounts.
    public let auth: Auth

    /// The cache of the providers' signing keys.
    public let keys: KeyCache

    /// The public URL, without a trailing slash.
    public let publicURL: String

    /// The options of the API.
    public var api: LoginAPIOptions

    /// The limits of the server's connections.
    ///
    /// Without a `maximum`, at most 400 bodies are read at a time.
    public var connections = ConnectionLimits()

    /// The maximum number of requests per minute and network.
    ///
    /// It applies separately to the API, to the pages, and to each group of routes behind ``requireSession``.
    public var requestsPerMinute = 600

    /// The reverse proxies whose forwarding headers are trusted.
    public var trustedProxies = TrustedProxies.none

    /// The bodies that the server reads, for all groups of routes together.
    let bodies = SharedPlaces.bodies(connections: nil)

    /// The pages that `LoginPages` has added.
    package let addedPages = AddedPages()

    private let logger: Logger

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - publicURL: The public URL, for example `https://example.com`. Register `/login/<provider>/callback` below it
    ///     as redirect URI.
    ///   - providers: The identity providers.
    ///   - store: The store of accounts. It is migrated before the server listens.
    ///   - secrets: The encryption and HMAC keys for stored data, the same on every server.
    ///   - policy: The policies for linking, sessions, passwords and factors.
    ///   - mail: The sender of e-mail messages for sign-in by e-mail address and password; nil disables passwords.
    ///   - phoneCodes: The sender of codes to phones, which makes phones second factors; nil disables phones.
    ///   - allowsPhoneSignIn: Whether a code sent to a phone is sufficient to sign in.
    ///   - hooks: The application's own writes in the transactions of sign-ins, links and merges.
    ///   - transport: The transport for requests to providers.
    ///   - clock: The clock for expiry checks.
    ///   - logger: The logger of the server and its background services.
    /// - Throws: `KeyCacheError` and `LoginManagerError` if the declaration of a provider is invalid.
    public init<Store: AccountStore>(
        publicURL: String,
        providers: [SignInProvider],
        store: Store,
        secrets: AccountSecrets,
        policy: AuthPolicy = AuthPolicy(),
        mail: (any EmailSender)? = nil,
        phoneCodes: (any PhoneCodeSender)? = nil,
        allowsPhoneSignIn: Bool = false,
        hooks: AuthHooks<Store.Transaction> = AuthHooks(),
        transport: any HTTPTransport = AsyncHTTPClientTransport(),
        clock: any WallClock = .system,
        logger: Logger = Logger(label: "login")
    ) throws {
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        // Several client registrations with one issuer share its keys, which are fetched by the strictest of them.
        var issuers: Set<[String]> = []
        let declared = providers.map(\.provider)
        let strictFirst = declared.filter { !$0.allowsLoopbackHTTP } + declared.filter(\.allowsLoopbackHTTP)
        keys = try KeyCache(
            providers: strictFirst.filter { issuers.insert($0.issuers).inserted },
            transport: transport,
            observers: [.logging(logger)],
            wallClock: clock
        )
        auth = Auth(
            store: store,
            providers: try SignInProviders(
                providers,
                keys: keys,
                transport: transport,
                clock: clock,
                onAvailability: OutageLog.metadata(to: logger)
            ),
            secrets: secrets,
            policy: policy,
            mail: mail,
            phoneCodes: phoneCodes,
            allowsPhoneSignIn: allowsPhoneSignIn,
            clock: clock,
            hooks: hooks
        )
        api = LoginAPIOptions()
        api.publicURL = self.publicURL
        api.clock = clock
        api.readiness = [.store(of: auth), .keys(keys)]
        self.logger = logger
    }

    /// Adds the operations of ``LoginAPI`` at `/v1/…`, the OpenAPI document at `/openapi.json`, and the explanations of
    /// problems.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - title: The title of the OpenAPI document.
    ///   - version: The version of your service in that document.
    public func addAPI<Context: LoginRequestContext>(
        to router: Router<Context>,
        title: String = "Sign-in",
        version: String = "1"
    ) {
        let group = router.group()
            .add(middleware: origin())
            .add(middleware: ProblemMiddleware(publicURL: publicURL))
            .add(middleware: limit())
        let routes = LoginAPI<Context>(auth: auth, options: api)
        routes.addRoutes(to: group)
        routes.addDocumentation(to: group, title: title, version: version)
    }

    /// Returns the first middleware of one group of routes.
    package func origin<Context: LoginRequestContext>() -> OriginMiddleware<Context> {
        OriginMiddleware(trustedProxies: trustedProxies, bodies: bodies)
    }

    /// Returns a rate limit for one group of routes.
    func limit<Context: LoginRequestContext>() -> RateLimitMiddleware<Context> {
        let requestsPerMinute = requestsPerMinute
        return RateLimitMiddleware { requestsPerMinute }
    }

    /// The middleware for routes that need a signed-in user, with a limit of ``requestsPerMinute``.
    ///
    /// If the pages of `LoginPages` are added to the service, before or after these routes, it redirects browsers that
    /// lack a session to the sign-in page; see ``RequireSession``.
    public var requireSession: RequireSession<BasicLoginRequestContext> { RequireSession(self) }

    /// Returns the middleware for routes that need a signed-in user with a second factor.
    ///
    /// - Parameter level: The required level of the session: 2 for a second factor; 1 is ``requireSession``.
    /// - Returns: The middleware, with a limit of ``requestsPerMinute``.
    public func requireSession(level: Int) -> RequireSession<BasicLoginRequestContext> {
        RequireSession(self, level: level)
    }

    /// Returns the application: the server and its background services.
    ///
    /// Before the server listens, it migrates the store, compares the secrets with those of earlier runs, and fetches
    /// the providers' metadata for at most five seconds. The background services renew the keys and the metadata of the
    /// providers, and maintain the accounts.
    ///
    /// Set ``trustedProxies`` if a proxy on this machine forwards the requests. Otherwise all clients share the limits
    /// of the proxy's network.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - address: The address to listen on.
    /// - Returns: The application, for `runService()`.
    public func application<Context: LoginRequestContext>(
        router: Router<Context>,
        address: BindAddress = .hostname("127.0.0.1", port: 8080)
    ) -> Application<RouterResponder<Context>> {
        var limits = connections
        limits.trustedProxies = trustedProxies
        bodies.resize(toConnections: limits.maximum)
        var application = Application(
            router: router,
            server: .http1(configuration: .guarded(by: limits)),
            configuration: ApplicationConfiguration(
                address: address,
                availableConnectionsDelegate: limits.maximum.map { MaximumAvailableConnections($0) }
            ),
            logger: logger
        )
        let (auth, logger) = (auth, logger)
        application.beforeServerStarts {
            try await auth.store.migrate()
            try await auth.checkSecrets()
            await auth.providers.prepare()
        }
        application.addServices(
            StoreShutdown(store: auth.store),
            keys,
            Work { await auth.providers.run() },
            Work {
                // The services start together with the server, whose migration may still be running.
                _ = try? await auth.store.migrate()
                await auth.maintain { event in
                    var metadata: Logger.Metadata = ["account.action": "\(event.action)"]
                    if let account = event.accountID { metadata["account.id"] = "\(account.rawValue)" }
                    logger.info("account event", metadata: metadata)
                }
            }
        )
        return application
    }
}

/// Closes the store after the server and all other services have ended: services shut down in reverse order.
private struct StoreShutdown: Service {
    let store: any AccountStore

    func run() async {
        try? await gracefulShutdown()
        await store.shutdown()
    }
}

/// A background service that is cancelled at graceful shutdown.
private struct Work: Service {
    let work: @Sendable () async -> Void

    func run() async { await cancelWhenGracefulShutdown { await work() } }
}
#endif
