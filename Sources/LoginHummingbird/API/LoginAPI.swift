// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import HTTPTypes
public import Hummingbird
public import LoginAccounts
public import LoginTokens

/// Sign-in as an HTTP API: attempts, sign-in, linking, merging, second factors and sessions.
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
/// ``openAPIDocument(title:version:publicURL:)`` describes what is served, of the same table that serves it.
public struct LoginAPI<Context: LoginRequestContext>: Sendable {
    /// Whose accounts they are.
    let auth: Auth

    let options: LoginAPIOptions

    /// What can be asked, in the order of the document.
    let operations: [Operation<Context>]

    /// An API.
    ///
    /// - Parameters:
    ///   - auth: Whose accounts they are.
    ///   - options: What else it does.
    public init(auth: Auth, options: LoginAPIOptions = LoginAPIOptions()) {
        self.auth = auth
        self.options = options
        let parts = LoginOperations<Context>(auth: auth, options: options)
        operations =
            parts.verification + parts.signIn + parts.account + parts.linking + parts.secondFactors + parts.sessions
            + options.extensions.flatMap { $0.operations(of: auth, options) } + parts.health
    }

    /// Adds the routes, each at its path: `/v1/…`.
    ///
    /// Those that need a session look for it themselves; who signs in anew may come with one that is over. What is at a path and asked
    /// by another method is answered with 405.
    ///
    /// - Parameter router: Where to. An ``OriginMiddleware`` and a ``ProblemMiddleware`` stand before it.
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
    /// Answers a method at a path, and HEAD wherever GET is answered (RFC 9110 §9.1).
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

    /// Answers 405 to methods that nothing at a path takes (RFC 9110 §15.5.6): what takes GET takes HEAD too.
    package func refuseOtherMethods(at path: String, than taken: Set<HTTPRequest.Method>) {
        // The router asks for methods by name; of those that nobody has a name for, nothing is said but that nothing is there.
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

/// What a ``LoginAPI`` does beside keeping accounts.
public struct LoginAPIOptions: Sendable {
    /// Returns the profile in the claims of a verified token, which `POST /v1/verify` responds with beside them; nil for none.
    ///
    /// For tokens of Facebook it is `{ $0.profile }`, with `import LimitedLogin`.
    public var profile: @Sendable (VerifiedToken) -> (any Encodable & Sendable)? = { _ in nil }

    /// The operations that the modules of providers add.
    package var extensions: [any LoginAPIExtension] = []

    /// Where people reach this service, for example `https://login.example.com`.
    public var publicURL: String?

    /// Whether `POST /v1/sign-in/anonymous` gives anybody an account and a session without a credential: false by default.
    ///
    /// Where it does, a session proves nothing about its holder; see `Account.isAnonymous`.
    public var allowsGuests = false

    /// What has to be there before requests are sent here.
    public var readiness: [ReadinessCheck] = []

    /// Who says what time it is.
    public var clock: any WallClock = .system

    /// Only what keeps accounts.
    public init() {}
}
#endif
