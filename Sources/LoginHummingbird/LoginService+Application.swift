// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import HummingbirdCore
public import LoginHTTP

extension LoginService {
    /// Returns the application: the server and the background services.
    ///
    /// ```swift
    /// let router = Router(context: BasicLoginRequestContext.self)
    /// login.addAPI(to: router)
    /// login.addPages(to: router)
    /// router.group().add(middleware: login.requireSession).get("notes") { _, context in
    ///     "the notes of \(try context.session.accountID)"
    /// }
    /// try await login.application(router: router).runService()
    /// ```
    ///
    /// Before the server listens, it prepares the service; see `LoginService.prepare()`.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - address: The address to listen on.
    ///   - connections: The limits of the server's connections. Its trusted proxies are those of the service. Without a
    ///     `maximum`, at most 400 bodies are read at a time.
    /// - Returns: The application, for `runService()`.
    public func application<Context: LoginRequestContext>(
        router: Router<Context>,
        address: BindAddress = .hostname("127.0.0.1", port: 8080),
        connections: ConnectionLimits = ConnectionLimits()
    ) -> Application<RouterResponder<Context>> {
        var application = Application(
            router: router,
            server: .http1(configuration: .guarded(by: connectionLimits(connections))),
            configuration: ApplicationConfiguration(
                address: address,
                availableConnectionsDelegate: connections.maximum.map { MaximumAvailableConnections($0) }
            ),
            logger: logger
        )
        application.beforeServerStarts { try await prepare() }
        application.addServices(self)
        return application
    }

    /// Returns the limits of the connections of a server of this service, with its trusted proxies.
    ///
    /// - Parameter connections: The limits.
    /// - Returns: The limits, for `HTTP1Channel.Configuration.guarded(by:metrics:)`.
    public func connectionLimits(_ connections: ConnectionLimits) -> ConnectionLimits {
        var connections = connections
        connections.trustedProxies = trustedProxies
        limitBodies(ofConnections: connections.maximum)
        return connections
    }
}
#endif
