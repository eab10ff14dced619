// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
public import Hummingbird
public import LoginAccounts
public import LoginTokens

/// The HTTP API for sign-in: attempts, sign-in, linking, merging, second factors and sessions.
///
/// ```swift
/// let router = Router(context: BasicLoginRequestContext.self)
/// router.addMiddleware {
///     OriginMiddleware()
///     ProblemMiddleware()
/// }
/// LoginAPI(auth: auth).addRoutes(to: router)
///
/// let own = router.group().addMiddleware {
///     SessionAuthenticator(auth)
///     SameOriginMiddleware(publicURL: "https://example.com")
/// }
/// own.get("notes") { request, context in
///     try notes(of: context.requireIdentity().accountID)
/// }
/// ```
///
/// ``openAPIDocument(title:version:publicURL:)`` is generated from the same table as the routes.
public struct LoginAPI<Context: LoginRequestContext>: Sendable {
    /// The accounts.
    let auth: Auth

    let options: LoginAPIOptions

    /// The operations, in the order of the OpenAPI document.
    let operations: [Operation<Context>]

    /// Creates an API.
    ///
    /// - Parameters:
    ///   - auth: The accounts.
    ///   - options: The options.
    public init(auth: Auth, options: LoginAPIOptions = LoginAPIOptions()) {
        self.auth = auth
        self.options = options
        let parts = LoginOperations<Context>(auth: auth, options: options)
        operations =
            parts.verification + parts.signIn + parts.account + parts.linking + parts.secondFactors + parts.sessions
            + options.extensions.flatMap { $0.operations(of: auth, options) } + parts.health
    }

    /// Adds the routes of the operations at `/v1/…`, `/healthz` and `/readyz`.
    ///
    /// Operations that use a session authenticate it themselves. The others, such as `/v1/sign-in`, ignore it, so that
    /// a client with an expired session can sign in again. Other methods at the paths get status 405.
    ///
    /// - Parameter router: The router. Add an ``OriginMiddleware`` and a ``ProblemMiddleware`` before the routes.
    public func addRoutes(to router: some RouterMethods<Context>) {
        let signedIn = router.group()
            .add(middleware: SessionAuthenticator(auth, clock: options.clock))
            .add(middleware: SameOriginMiddleware(publicURL: options.publicURL ?? ""))
        for operation in operations {
            let answer: @Sendable (Request, Context) async throws -> Response = { request, context in
                try await operation.respond(to: request, context: context)
            }
            if operation.session == .none {
                router.serve(operation.method, at: operation.path, use: answer)
            } else {
                signedIn.serve(operation.method, at: operation.path, use: answer)
            }
        }
        for (path, operations) in Dictionary(grouping: operations, by: \.path) {
            router.refuseOtherMethods(at: path, than: Set(operations.map(\.method)))
        }
    }
}

extension RouterMethods {
    /// Adds a route for a method at a path, and for HEAD if the method is GET (RFC 9110 §9.1).
    func serve(
        _ method: HTTPRequest.Method,
        at path: String,
        use answer: @escaping @Sendable (Request, Context) async throws -> Response
    ) {
        for method in method == .get ? [.get, .head] : [method] {
            on(RouterPath(path), method: method) { request, context in
                try await answer(request, context).answering(request)
            }
        }
    }

    /// Responds with status 405 to methods that a path does not support (RFC 9110 §15.5.6).
    ///
    /// A path that supports GET supports HEAD too.
    package func refuseOtherMethods(at path: String, than taken: Set<HTTPRequest.Method>) {
        // The router matches methods by name. Methods that are not in this list get status 404.
        let query = HTTPRequest.Method("QUERY").map { [$0] } ?? []
        let all: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace] + query
        let taken = taken.contains(.get) ? taken.union([.head]) : taken
        let allowed = taken.map(\.rawValue).sorted().joined(separator: ", ")
        for method in all where !taken.contains(method) {
            on(RouterPath(path), method: method) { _, _ -> Response in
                throw Problem(.methodNotAllowed, headers: [.allow: allowed])
            }
        }
    }
}

/// Operations that the module of a provider adds to a ``LoginAPI``.
package protocol LoginAPIExtension: Sendable {
    /// Returns the operations.
    ///
    /// - Parameters:
    ///   - auth: The accounts.
    ///   - options: The options of the API.
    /// - Returns: The operations, in the order of the OpenAPI document.
    func operations<Context: LoginRequestContext>(of auth: Auth, _ options: LoginAPIOptions) -> [Operation<Context>]
}

/// The options of a ``LoginAPI``.
public struct LoginAPIOptions: Sendable {
    /// The operations that the modules of providers add.
    package var extensions: [any LoginAPIExtension] = []

    /// The APIs whose access tokens the service verifies.
    ///
    /// If there are none when the ``LoginAPI`` is created, their operations are neither served nor described.
    package var configuredAPIs = ConfiguredAPIs()

    /// The public URL of the service, for example `https://login.example.com`.
    public var publicURL: String?

    /// Whether `POST /v1/sign-in/anonymous` creates an anonymous account and a session without a credential: false by
    /// default.
    ///
    /// If it does, a session proves nothing about its holder; see `Account.isAnonymous`.
    public var allowsGuests = false

    /// The checks that must succeed before the service can handle requests.
    public var readiness: [ReadinessCheck] = []

    /// The clock for the lifetime of cookies and the verification of signed requests.
    public var clock: any WallClock = .system

    /// Creates the default options.
    public init() {}
}
#endif
