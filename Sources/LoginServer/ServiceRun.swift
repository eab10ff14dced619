// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders
internal import LoginTokens
internal import Logging
internal import Metrics
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import SystemPackage
internal import UnixSignals

/// Everything that runs, in the order in which it begins; what begins last ends first, so that requests end before what they need.
struct ServiceRun: Sendable {
    /// How long requests may go on after the service was told to end: as long as the slowest may take.
    private static let graceful = Duration.seconds(30)

    let parts: ServiceParts
    let file: WatchedFile?
    let reader: ConfigurationFileReader

    /// Is called with the port that the public listener has, and with that of operators: for tests.
    var onPublic: @Sendable (Int) async -> Void = { _ in }
    var onAdmin: @Sendable (Int) async -> Void = { _ in }

    /// Runs until the process is told to end.
    func run() async throws {
        // A program that reads mail may end before it has read all.
        signal(SIGPIPE, SIG_IGN)
        if parts.mail != nil { CommandMailer.prepare() }
        var group = ServiceGroupConfiguration(
            services: try services(),
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: parts.logger
        )
        group.maximumGracefulShutdownDuration = Self.graceful
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let failure as OperationFailure {
            throw failure
        } catch {
            throw OperationFailure("cannot serve: \(error)")
        }
    }

    /// All of it, made and not begun: what can be wrong with the configuration shows here.
    ///
    /// - Throws: ``ConfigurationFault``
    func services() throws -> [any Service] {
        var services: [any Service] = [
            parts.keys, parts.settings.tweaks, Maintenance(parts: parts), Discovery(providers: parts.providers),
        ]
        if let mail = parts.mail { services.append(mail) }
        if let file { services.append(file.provider) }
        services.append(ConfigurationReloader(parts: parts, file: file, reader: reader))
        if let admin = parts.configuration.admin {
            services.append(Listener(key: .adminListen, address: admin.listen, service: try adminListener(admin)))
        }
        let listener = OnEventLoops(service: try publicListener())
        services.append(Listener(key: .listen, address: parts.configuration.listen, service: listener))
        return services
    }

    private func publicListener() throws -> any Service {
        let http = HTTPServerBuilder.http1(
            configuration: .guarded(by: parts.configuration.connectionLimits, metrics: parts.metrics)
        )
        var application = Application(
            router: publicRouter(parts),
            server: try parts.configuration.tls.map { try HTTPServerBuilder.tls(http, tlsConfiguration: $0.tls()) }
                ?? http,
            configuration: ApplicationConfiguration(
                address: parts.configuration.listen.bind,
                backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(parts.configuration.connections)
            ),
            onServerRunning: { channel in await onPublic(channel.localAddress?.port ?? 0) },
            logger: parts.logger
        )
        // An unreachable provider does not keep the service from starting: each has five seconds.
        application.beforeServerStarts { await parts.providers.prepare() }
        return application
    }

    private func adminListener(_ admin: ServiceConfiguration.AdminSettings) throws -> any Service {
        let token = try admin.token()
        let socket = admin.socket
        try socket?.check()
        let routes = AdminRoutes(
            tweaks: parts.settings.tweaks,
            metrics: parts.metrics,
            sessions: AdminSessions(token: socket == nil ? token : nil, clock: .system),
            needsToken: socket == nil,
            hosts: admin.allowedHosts
        )
        return Application(
            router: routes.router,
            server: .http1(configuration: .guarded()),
            configuration: ApplicationConfiguration(address: admin.listen.bind),
            onServerRunning: { channel in
                // Nobody else could open it before: what the process makes is its owner's from its first moment.
                if let socket {
                    try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: socket.path)
                }
                await onAdmin(channel.localAddress?.port ?? 0)
            },
            logger: parts.logger
        )
    }
}

extension ServiceConfiguration.AdminSettings {
    /// What operators show; nil where the socket alone says who may.
    fileprivate func token() throws(ConfigurationFault) -> String? {
        guard let tokenFile else { return nil }
        let token = try SecretFile.read(tokenFile, key: ConfigurationKey.adminToken.name)
        guard token.utf8.count >= 32 else {
            throw ConfigurationFault("admin.token-file: a token has 32 characters at least")
        }
        return token
    }
}

extension ServiceConfiguration.ListenAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    fileprivate var bind: BindAddress {
        switch self {
        case .host(let host, let port): .hostname(host, port: port)
        case .unix(let path): .unixDomainSocket(path: path)
        }
    }
}

extension ServiceConfiguration.TLSFiles {
    /// What the listener speaks: TLS 1.2 at least.
    fileprivate func tls() throws(ConfigurationFault) -> TLSConfiguration {
        // Whether somebody else could read it is asked before it is.
        let pem = try SecretFile.read(key, key: ConfigurationKey.certificateKey.name)
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            let privateKey = try NIOSSLPrivateKey(bytes: Array(pem.utf8), format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain,
                privateKey: .privateKey(privateKey)
            )
            tls.minimumTLSVersion = .tlsv12
            // The listener makes one too, later: so a key that is another certificate's is found here.
            _ = try NIOSSLContext(configuration: tls)
            return tls
        } catch {
            throw ConfigurationFault(
                "tls.certificate-file, tls.key-file: they are no certificate and key in PEM that belong together"
            )
        }
    }
}

/// One of the two listeners: where it cannot listen, it says of which key that is.
private struct Listener: Service {
    let key: ConfigurationKey
    let address: ServiceConfiguration.ListenAddress
    let service: any Service

    func run() async throws {
        do {
            try await service.run()
        } catch let error as IOError {
            let reason = Errno(rawValue: error.errnoCode)
            throw OperationFailure("cannot serve: \(key.name): \(printable("\(address)")): \(reason)")
        }
    }
}

/// Sweeps the store, and counts what happens to accounts.
private struct Maintenance: Service {
    private let auth: Auth
    private let counters: [AuditAction: Counter]

    /// - Parameter parts: Whose accounts they are, and who counts: from the first moment, so that a rise can be seen.
    init(parts: ServiceParts) {
        auth = parts.auth
        let counters = AuditAction.all.map { action in
            let labels = [("action", action.rawValue)]
            return (action, Counter(label: "login_account_events_total", dimensions: labels, factory: parts.metrics))
        }
        self.counters = Dictionary(counters) { first, _ in first }
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            await auth.maintain { event in counters[event.action]?.increment() }
        }
    }
}

/// Renews the metadata of the providers.
private struct Discovery: Service {
    let providers: SignInProviders

    func run() async {
        await cancelWhenGracefulShutdown { await providers.run() }
    }
}
#endif
