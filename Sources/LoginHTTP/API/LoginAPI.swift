// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens

/// The HTTP API for sign-in: attempts, sign-in, linking, merging, second factors and sessions.
extension LoginService {
    /// Returns the routes of the API: operations at `/v1/…`, `/healthz` and `/readyz`, the OpenAPI document at
    /// `/openapi.json`, and the explanation of each code at `/problems/{code}`.
    ///
    /// They have the settings that the service has now. Operations that use a session authenticate it themselves. The
    /// others, such as `/v1/sign-in`, ignore it, so that a client with an expired session can sign in again.
    ///
    /// - Parameters:
    ///   - title: The title of the OpenAPI document.
    ///   - version: The version of your service in that document.
    /// - Returns: The routes.
    public func apiRoutes(title: String = "Sign-in", version: String = "1") -> [LoginRoute] {
        let operations = operations
        var seen: Set<String> = []
        let paths = operations.map(\.path).filter { seen.insert($0).inserted }
        return paths.map { path in route(path, operations.filter { $0.path == path }) }
            + [documentRoute(title: title, version: version), explanationRoute]
    }

    /// Adds the routes of ``apiRoutes(title:version:)`` to a framework's router.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - title: The title of the OpenAPI document.
    ///   - version: The version of your service in that document.
    public func addAPI(to router: some LoginRouter, title: String = "Sign-in", version: String = "1") {
        for route in apiRoutes(title: title, version: version) { router.add(route) }
    }

    /// The operations, in the order of the OpenAPI document.
    var operations: [Operation] {
        let parts = LoginOperations(login: self)
        return parts.verification + parts.signIn + parts.account + parts.linking + parts.secondFactors + parts.sessions
            + api.extensions.flatMap { $0.operations(of: self) } + parts.health
    }

    /// The maximum size of a JSON body in bytes: four times that of the largest accepted token, 64 KiB by default.
    private var longestBody: Int {
        let limits = auth.providers.all.map(\.limits.tokenBytes) + [api.resources.tokenBytes]
        return 4 * (limits.max() ?? Limits.tokenBytes)
    }

    private func route(_ path: String, _ operations: [Operation]) -> LoginRoute {
        LoginRoute(
            path,
            operations.map { ($0.method, handler(of: $0)) },
            storeUse: operations[0].storeUse,
            of: self
        )
    }

    private func handler(of operation: Operation) -> LoginRoute.Handler {
        { request, parameters throws(CancellationError) in
            try await serve(request, in: operation.group) { visit in
                if operation.session == .none {
                    return try await operation.respond(to: visit, parameters: parameters, longestBody: longestBody)
                }
                return try await respond(&visit, in: operation, parameters)
            }
        }
    }

    /// Responds to a request that may have a session.
    ///
    /// It is a function of its own, whose frame the connections of other requests do not keep.
    @inline(never)
    private func respond(
        _ visit: inout Visit,
        in operation: Operation,
        _ parameters: [String: String]
    ) async throws -> ServerResponse {
        let navigation = operation.name == "forwardAuth" ? ForwardedNavigation(visit, of: trustedProxies) : nil
        do {
            try await authenticator.authenticate(&visit, staleCookie: navigation == nil ? .refuse : .forget)
            try sameOrigin.check(visit)
            return try await withIdentity(visit.session) { [visit] in
                try await operation.respond(to: visit, parameters: parameters, longestBody: longestBody)
            }
        } catch {
            guard let navigation, let response = redirect(navigation, after: error, visit) else { throw error }
            return response
        }
    }
}

/// Operations that the module of a provider adds to the API.
package protocol LoginAPIExtension: Sendable {
    /// Returns the operations, in the order of the OpenAPI document.
    func operations(of login: LoginService) -> [Operation]
}

/// The options of the API.
public struct LoginAPIOptions: Sendable {
    /// The operations that the modules of providers add.
    package var extensions: [any LoginAPIExtension] = []

    /// The APIs of other servers whose access tokens the service verifies, with `POST /v1/verify` and forward-auth.
    ///
    /// If there are none when the routes are made, their operations are neither served nor described.
    public var resources = ConfiguredAPIs()

    /// Whether `POST /v1/sign-in/anonymous` creates an anonymous account and a session without a credential: false by
    /// default.
    ///
    /// If it does, a session proves nothing about its holder; see `Account.isAnonymous`.
    public var allowsGuests = false

    /// The checks that must succeed before the service can handle requests: the store and the keys.
    public var readiness: [ReadinessCheck] = []

    init() {}
}
#endif
