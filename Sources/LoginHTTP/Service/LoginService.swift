// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
public import LoginAccounts
public import LoginKeys
public import LoginProviders
public import LoginTokens
public import Logging

/// A server with sign-in, in any framework: accounts, the JSON API, sessions, and the background services.
///
/// ```swift
/// let login = try LoginService(
///     publicURL: "https://example.com",
///     providers: [.google(clientID: "client-1", clientSecret: secret)],
///     store: SQLiteAccountStore(path: "accounts.sqlite"),
///     secrets: AccountSecrets(contentsOf: "accounts.keys"))
/// try await login.prepare()
/// let routes = LoginRoutes(login.apiRoutes() + login.pageRoutes())
/// // For each request:
/// if let response = try await routes.respond(to: request) { return Reply(response) }
/// return try await login.respond(to: request) { session, _ in … }
/// ```
///
/// The module `LoginPages` adds the pages, and `LoginHummingbird` connects it to Hummingbird.
///
/// Each request goes the same way, in this order:
///
/// 1. the client: its address behind ``trustedProxies``, and the ID of the request;
/// 2. the rate limit of its network, ``limits``, which counts a request once;
/// 3. the session or the access token, if the path uses one;
/// 4. whether a page of this site made the request, if a browser authenticates it by cookie;
/// 5. the media type of the body, and the body;
/// 6. the operation or the route;
/// 7. errors become problems (RFC 9457), or pages for browsers;
/// 8. security headers, renewed cookies, the request ID; a response to HEAD loses its body.
public struct LoginService: Sendable {
    /// The accounts.
    public let auth: Auth

    /// The cache of the providers' signing keys.
    public let keys: KeyCache

    /// The public URL, without a trailing slash.
    public let publicURL: String

    /// The options of the API.
    public var api: LoginAPIOptions

    /// The maximum numbers of requests per minute and network.
    public var limits = RequestLimits()

    /// The reverse proxies whose forwarding headers are trusted.
    ///
    /// Set it if a proxy forwards the requests. Otherwise all clients share the limits of the proxy's network.
    public var trustedProxies = TrustedProxies.none

    /// A closure that ``run()`` calls for each account event, such as a sign-in; by default it logs the event.
    public var onAccountEvent: @Sendable (AuthEvent) async throws -> Void

    /// The logger of the service and its background services.
    public let logger: Logger

    /// The pages that `LoginPages` has added.
    package let addedPages = AddedPages()

    /// The bodies that the server reads.
    let bodies = SharedPlaces.bodies()
    /// The requests that the server has counted.
    var counts = RequestCounts()
    private let outages = OutageLog()
    private let securityHeaders: SecurityHeaders
    let sameOrigin: SameOriginCheck

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
    ///   - observers: Observers of browser logins and of the providers' metadata, beside the log.
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
        observers: [LoginObserver] = [],
        logger: Logger = Logger(label: "login")
    ) throws {
        // Several client registrations with one issuer share its keys, which are fetched by the strictest of them.
        var issuers: Set<[String]> = []
        let declared = providers.filter(\.usesKeys).map(\.provider)
        let isStrict = { (provider: Provider) in !provider.allowsLoopbackHTTP && provider.cleartextHosts.isEmpty }
        let strictFirst = declared.filter(isStrict) + declared.filter { !isStrict($0) }
        let keys = try KeyCache(
            providers: strictFirst.filter { issuers.insert($0.issuers).inserted },
            transport: transport,
            observers: [.logging(logger)],
            wallClock: clock
        )
        let auth = Auth(
            store: store,
            providers: try SignInProviders(
                providers,
                keys: keys,
                transport: transport,
                clock: clock,
                observers: [.logging(logger)] + observers
            ),
            secrets: secrets,
            policy: policy,
            mail: mail,
            phoneCodes: phoneCodes,
            allowsPhoneSignIn: allowsPhoneSignIn,
            clock: clock,
            hooks: hooks
        )
        self.init(publicURL: publicURL, auth: auth, keys: keys, logger: logger)
    }

    /// Creates a service of accounts and keys that were created before, with settings of their own.
    ///
    /// The key cache may keep keys in files, have observers and providers beside those of sign-in, and the providers may
    /// have a cache of verified tokens, and settings that change while they are used.
    ///
    /// - Parameters:
    ///   - publicURL: The public URL, for example `https://example.com`. Register `/login/<provider>/callback` below it
    ///     as redirect URI.
    ///   - auth: The accounts. Its clock is that of the service.
    ///   - keys: The cache of the keys of its providers, which the service runs.
    ///   - logger: The logger of the service and its background services.
    public init(publicURL: String, auth: Auth, keys: KeyCache, logger: Logger = Logger(label: "login")) {
        let publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        self.auth = auth.loggingUnusableClaims(to: logger)
        (self.publicURL, self.keys, self.logger) = (publicURL, keys, logger)
        securityHeaders = SecurityHeaders(publicURL: publicURL)
        sameOrigin = SameOriginCheck(publicURL: publicURL)
        api = LoginAPIOptions()
        api.readiness = [.store(of: auth), .keys(keys)]
        onAccountEvent = { event in
            var metadata: Logger.Metadata = ["account.action": "\(event.action)"]
            if let account = event.accountID { metadata["account.id"] = "\(account.rawValue)" }
            logger.info("account event", metadata: metadata)
        }
    }

    /// Sets the number of connections of a server that limits how many of them wait for their clients.
    ///
    /// Of few connections, a network may use fewer for bodies, and the connections bound the total, which is 400 otherwise.
    ///
    /// - Parameter connections: The maximum number of connections, 1 or more; nil if there is none.
    package func limitBodies(ofConnections connections: Int?) { bodies.resize(toConnections: connections) }
}

/// The way of each request.
extension LoginService {
    /// Returns a request with its ID and the address of its client.
    ///
    /// - Parameter request: The request.
    /// - Returns: The request with its ID and its client, before any check.
    public func visit(_ request: ServerRequest) -> Visit {
        var visit = Visit(request, proxies: trustedProxies, bodies: bodies)
        visit.service = addedPages
        return visit
    }

    /// Returns a visit in which another service has found nothing: its sessions are not those of this one.
    func taken(_ visit: Visit) -> Visit {
        guard visit.service !== addedPages else { return visit }
        var visit = visit
        (visit.session, visit.transport, visit.sessionCookies) = (nil, nil, [:])
        (visit.service, visit.bodies) = (addedPages, bodies)
        visit.identify(by: trustedProxies)
        return visit
    }

    /// Counts a request, unless it was counted already.
    ///
    /// - Throws: ``Problem`` with the code `too-many-requests`.
    func count(_ visit: inout Visit, in group: RequestGroup) throws(Problem) {
        let network = visit.origin.addressPrefix
        try counts.count(&visit, of: network, in: group, perMinute: limits.perMinute(of: group))
    }

    var authenticator: SessionAuthenticator { SessionAuthenticator(auth: auth, outages: outages) }

    /// Responds to a request to a path of the service.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - group: The limit that counts it.
    ///   - isPage: Whether every error becomes a page.
    ///   - respond: A function that responds after the rate limit.
    /// - Returns: The complete response, to errors too.
    /// - Throws: `CancellationError`.
    func serve(
        _ request: ServerRequest,
        in group: RequestGroup = .requests,
        isPage: Bool = false,
        _ respond: (inout Visit) async throws -> ServerResponse
    ) async throws(CancellationError) -> ServerResponse {
        var visit = self.visit(request)
        do {
            try count(&visit, in: group)
            let response = try await RequestLogger.$current.withValue(visit.logger) { try await respond(&visit) }
            return complete(response, visit)
        } catch {
            return try await answer(to: error, of: visit, isPage: isPage)
        }
    }

    /// Responds to a request to a path that neither the service nor the application has: with status 404.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response: a page if the service has pages and the client prefers HTML, a problem otherwise.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func refuseUnknownPath(of request: ServerRequest) async throws(CancellationError) -> ServerResponse {
        try await serve(request, isPage: request.prefersHTML) { _ in throw Problem(.notFound) }
    }

    /// Logs an error, and returns the response to it.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - visit: The request.
    ///   - isPage: Whether every error becomes a page, if the service has pages. Otherwise, a browser gets one only for
    ///     an exceeded rate limit, before a route could respond in its own way.
    /// - Returns: The complete response.
    /// - Throws: `CancellationError` if the error is one.
    // The connections of other requests do not keep its frame.
    @inline(never)
    func answer(
        to error: any Error,
        of visit: Visit,
        isPage: Bool
    ) async throws(CancellationError) -> ServerResponse {
        if let cancellation = error.cancellation { throw cancellation }
        let problem = Problem(of: error)
        if let pages = addedPages.functions,
            isPage || (problem.status == .tooManyRequests && visit.request.prefersHTML)
        {
            problem.log(error, "page failed", to: visit.logger, outages)
            do {
                return complete(try await pages.page(problem, visit), visit)
            } catch {
                if let cancellation = error.cancellation { throw cancellation }
                Problem(of: error).log(error, "page failed", to: visit.logger, outages)
            }
        } else {
            problem.log(error, "request failed", to: visit.logger, outages)
        }
        return complete(problem.response(requestID: visit.requestID, base: publicURL), visit)
    }

    /// Returns the response that refuses a request for its header fields alone: it is neither counted nor logged.
    func refuse(_ problem: Problem, _ request: ServerRequest) -> ServerResponse {
        let visit = visit(request)
        return complete(problem.response(requestID: visit.requestID, base: publicURL), visit)
    }

    private func complete(_ response: ServerResponse, _ visit: Visit) -> ServerResponse {
        var response = response
        securityHeaders.complete(&response.headers)
        visit.finish(&response.headers)
        return response.answering(visit.request)
    }
}
#endif
