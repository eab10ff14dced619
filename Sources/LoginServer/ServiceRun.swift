// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import LoginAccounts
internal import LoginHTTP
internal import LoginHummingbird
internal import LoginPages
internal import LoginProviders
internal import LoginTokens
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import SystemPackage
internal import Tweaks
internal import TweaksHummingbird
internal import UnixSignals

/// The services of the process, in the order in which they start.
///
/// They stop in reverse order, so that requests finish before the services that they depend on.
struct ServiceRun: Sendable {
    /// The maximum duration of a graceful shutdown, which is enough for the slowest request.
    private static let graceful = Duration.seconds(30)

    let parts: ServiceParts
    let file: WatchedFile?
    let reader: ConfigurationFileReader

    /// Called with the port of the public listener, for tests.
    var onPublic: @Sendable (Int) async -> Void = { _ in }
    /// Called with the port of the admin listener, for tests.
    var onAdmin: @Sendable (Int) async -> Void = { _ in }

    /// Runs the services until SIGTERM or SIGINT.
    func run() async throws {
        // A program that sends messages may exit before it has read the whole message.
        signal(SIGPIPE, SIG_IGN)
        requestFiles()
        for redirect in parts.redirectURIs {
            parts.logger.info(
                "redirect URI to register at the provider",
                metadata: ["provider": "\(redirect.provider)", "redirect.uri": "\(redirect.uri)"]
            )
        }
        if parts.mail != nil || parts.codes != nil { MessageCommand.prepare() }
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

    /// Raises the limit of open files to what the connections and everything else need.
    private func requestFiles() {
        let needed = parts.configuration.connections + Self.adminConnections + 200
        let permitted = OpenFileLimit.raise(to: needed)
        guard permitted < needed else { return }
        parts.logger.warning(
            "fewer open files are permitted than the connections need",
            metadata: ["files.permitted": "\(permitted)", "files.needed": "\(needed)"]
        )
    }

    /// Creates all services without starting them, which detects the remaining errors of the configuration.
    ///
    /// - Throws: ``ConfigurationFault``
    func services() throws -> [any Service] {
        var services: [any Service] = [parts.login, TweakPolling(parts.settings.tweaks)]
        if let mail = parts.mail { services.append(mail) }
        if let codes = parts.codes { services += [codes.firstFactors, codes.secondFactors] }
        services.append(ConfigurationReloader(parts: parts, file: file, reader: reader))
        if let admin = parts.configuration.admin {
            services.append(Listener(key: .adminListen, address: admin.listen, service: try adminListener(admin)))
        }
        let listener = OnEventLoops(service: try publicListener())
        services.append(Listener(key: .listen, address: parts.configuration.listen, service: listener))
        return services
    }

    private func publicListener() throws -> any Service {
        let login = parts.login
        let http = HTTPServerBuilder.http1(
            configuration: .guarded(
                by: login.connectionLimits(parts.configuration.connectionLimits),
                metrics: parts.metrics
            )
        )
        let routes = login.apiRoutes(version: parts.version) + login.pageRoutes(options: parts.pages)
        let metrics = RequestMetrics(factory: parts.metrics)
        var application = Application(
            responder: LoginResponder(login, routes, observe: metrics.record),
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
        // An unreachable provider delays the start by at most five seconds.
        application.beforeServerStarts { await login.auth.providers.prepare() }
        return application
    }

    /// The maximum number of connections of the admin listener.
    private static let adminConnections = 128

    /// The limits of connections to the admin listener.
    ///
    /// All its clients are in one network, that of this machine. Other users of the machine, who lack the token, could
    /// use up a limit of that network.
    private static var adminLimits: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.maximumPerNetwork = .max
        limits.maximumWaiting = 100
        return limits
    }

    private func adminListener(_ admin: ServiceConfiguration.AdminSettings) throws -> any Service {
        let socket = admin.socket
        try socket?.check()
        let routes = AdminRoutes(
            tweaks: parts.settings.tweaks,
            metrics: parts.metrics,
            sessions: AdminSessions(token: try admin.token(), clock: .system, logger: parts.logger),
            hosts: admin.allowedHosts
        )
        return Application(
            router: routes.router,
            server: .http1(configuration: .guarded(by: Self.adminLimits)),
            configuration: ApplicationConfiguration(
                address: admin.listen.bind,
                availableConnectionsDelegate: MaximumAvailableConnections(Self.adminConnections)
            ),
            onServerRunning: { channel in
                // The umask has kept other users out since the socket was created.
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
    /// Reads the admin token; nil if only the permissions of the socket control access.
    fileprivate func token() throws(ConfigurationFault) -> String? {
        guard let tokenFile else { return nil }
        let token = try SecretFile.read(tokenFile, key: ConfigurationKey.adminToken.name)
        guard token.utf8.count >= 32, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ConfigurationFault(
                "admin.token-file: the token must have at least 32 characters of printable ASCII without spaces, as openssl rand -hex 32 prints it"
            )
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
    /// Creates the TLS configuration of the listener, with TLS 1.2 as the minimum version.
    fileprivate func tls() throws(ConfigurationFault) -> TLSConfiguration {
        // The permissions of the key file are checked before it is read.
        let pem = try SecretFile.content(key, key: ConfigurationKey.certificateKey.name)
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            let privateKey = try NIOSSLPrivateKey(bytes: Array(pem.utf8), format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain,
                privateKey: .privateKey(privateKey)
            )
            tls.minimumTLSVersion = .tlsv12
            // The listener creates its context later; this one detects a key that does not match the certificate.
            _ = try NIOSSLContext(configuration: tls)
            return tls
        } catch {
            throw ConfigurationFault(
                "tls.certificate-file, tls.key-file: the files must contain a PEM certificate and its matching private key"
            )
        }
    }
}

/// A listener that names its configuration key if it cannot bind its address.
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

/// A service that runs on the event loops of its sockets.
private struct OnEventLoops: Service {
    let service: any Service

    func run() async throws {
        try await withTaskExecutorPreference(EventLoopExecutor()) { try await service.run() }
    }
}
#endif
