// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A local HTTP server for tests that plays scripts: it can publish and rotate keys, stall, send invalid data, and
/// fail.
///
/// It is for tests of HTTP clients. A script sends arbitrary bytes at any speed, so a test can simulate every condition
/// of a network, including protocol violations.
///
/// ```swift
/// try await ScriptedServer.run { server in
///     server.answer("/jwks", with: .keySet([.shared]))
///     try await fetchKeys(from: server.url("/jwks"))
///
///     server.answer("/jwks", with: .head() + .stall)
///     try await fetchKeysAndGiveUp(from: server.url("/jwks"))
/// }
/// ```
///
/// Each connection carries one request, and is closed after the response.
public final class ScriptedServer: Sendable {
    /// The loopback address that a server listens on.
    public enum Host: String, Sendable {
        /// The IPv4 loopback address.
        case ipv4 = "127.0.0.1"
        /// The IPv6 loopback address.
        case ipv6 = "::1"
    }

    private struct Sockets {
        var isListening = false
        var listener: (any Channel)?
        var connections: [ObjectIdentifier: any Channel] = [:]
        var connectionCount = 0
    }

    private let book = ServerBook()
    private let group = MultiThreadedEventLoopGroup.singleton
    private let host: Host
    private let identity: ServerIdentity?
    private let sockets = Mutex(Sockets())
    private let chosenPort: Mutex<Int>

    private init(host: Host, port: Int, identity: ServerIdentity?) {
        self.host = host
        self.identity = identity
        self.chosenPort = Mutex(port)
    }

    /// Runs a server while `body` runs.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on; 0 for any free port.
    ///   - identity: The certificate and private key for TLS; nil for a server without TLS.
    ///   - body: A closure that receives the server. When it returns, the server and its connections are closed.
    /// - Returns: The result of `body`.
    /// - Throws: Rethrows errors of `body`; an error if the server cannot listen.
    public static func run<Result>(
        host: Host = .ipv4,
        port: Int = 0,
        identity: ServerIdentity? = nil,
        _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        _ = try identity?.context()
        let server = ScriptedServer(host: host, port: port, identity: identity)
        try await server.revive()
        do {
            let result = try await body(server)
            await server.kill()
            return result
        } catch {
            await server.kill()
            throw error
        }
    }

    /// The port that the server listens on.
    public var port: Int { chosenPort.withLock { $0 } }

    /// Returns a URL on this server.
    ///
    /// - Parameters:
    ///   - path: The path, and the query if there is one.
    ///   - name: The host name; nil for the address that the server listens on.
    /// - Returns: The URL, with `https` for a server with a certificate.
    public func url(_ path: String = "/", name: String? = nil) -> String {
        let host = name ?? (host == .ipv6 ? "[\(host.rawValue)]" : host.rawValue)
        return "\(identity == nil ? "http" : "https")://\(host):\(port)\(path)"
    }
}

// MARK: - Behaviour

extension ScriptedServer {
    /// Answers all further requests with one script.
    ///
    /// - Parameters:
    ///   - path: The path without the query; nil for all paths without their own answer, which initially get status
    ///     404.
    ///   - script: The answer.
    public func answer(_ path: String? = nil, with script: ServerScript) {
        book.answer(path, first: []) { _ in script }
    }

    /// Answers all further requests with the scripts that a closure returns.
    ///
    /// - Parameters:
    ///   - path: The path without the query; nil for all paths without their own answer.
    ///   - decide: A closure that returns the script for a request. It is called on the server's threads, and must not
    ///     block.
    public func answer(_ path: String? = nil, by decide: @escaping @Sendable (ReceivedRequest) -> ServerScript) {
        book.answer(path, first: [], then: decide)
    }

    /// Answers the next requests with one script each, and all later ones with another.
    ///
    /// - Parameters:
    ///   - path: The path without the query; nil for all paths without their own answer.
    ///   - first: The answers to the next requests, in order.
    ///   - then: The answer to all later requests.
    public func answer(_ path: String? = nil, first: [ServerScript], then: ServerScript) {
        book.answer(path, first: first) { _ in then }
    }

    /// Plays a script as soon as a connection opens, regardless of what the client sends, instead of answering
    /// requests.
    ///
    /// - Parameter script: The script; nil to answer requests again.
    public func greet(with script: ServerScript?) {
        book.greet(with: script)
    }

    /// Accepts requests, but holds all answers back until ``release()`` is called.
    ///
    /// A test can thus observe a client that waits for an answer. The script for a request is chosen when the request
    /// arrives.
    public func hold() {
        book.hold(on: group.any())
    }

    /// Sends the answers that were held back, and stops holding answers back.
    public func release() {
        book.release()
    }

    /// Stops listening and closes all connections, as if the process had died.
    ///
    /// When this returns, the port is closed. Answers that were held back are discarded, and no more are held back. The
    /// configured answers and ``requests`` are preserved.
    public func kill() async {
        let (listener, connections) = sockets.withLock { sockets in
            defer { (sockets.isListening, sockets.listener) = (false, nil) }
            return (sockets.listener, Array(sockets.connections.values))
        }
        listener?.close(promise: nil)
        for connection in connections { SocketEnd.close(connection) }
        for channel in (listener.map { [$0] } ?? []) + connections {
            // The outcome of closing a channel does not matter here.
            try? await channel.closeFuture.get()
        }
        book.release()
    }

    /// Listens on the same port again after ``kill()``.
    ///
    /// - Throws: An error if the port is not available.
    public func revive() async throws {
        let wasListening = sockets.withLock { sockets in
            defer { sockets.isListening = true }
            return sockets.isListening
        }
        guard !wasListening else { return }
        let listener: any Channel
        do {
            listener = try await listen()
        } catch {
            sockets.withLock { $0.isListening = false }
            throw error
        }
        sockets.withLock { $0.listener = listener }
        if let port = listener.localAddress?.port { chosenPort.withLock { $0 = port } }
    }

    private func listen() async throws -> any Channel {
        guard port == 0 else { return try await listen(at: port) }
        // These ports are below the ephemeral range: an outgoing connection could otherwise take the port of a server
        // that is to listen again.
        for _ in 0..<50 {
            do {
                return try await listen(at: .random(in: 20_000...31_999))
            } catch let error as IOError where error.errnoCode == EADDRINUSE {}
        }
        return try await listen(at: 0)
    }

    private func listen(at port: Int) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.open(channel) }
            }
            .bind(host: host.rawValue, port: port)
            .get()
    }

    /// Sets up a connection that a client opened.
    private func open(_ channel: any Channel) throws {
        let id = ObjectIdentifier(channel)
        let isListening = sockets.withLock { sockets in
            guard sockets.isListening else { return false }
            sockets.connections[id] = channel
            sockets.connectionCount += 1
            return true
        }
        // A connection accepted just before the server stopped is rejected.
        guard isListening else { throw ScriptedServerError("the server has ended") }
        channel.closeFuture.whenComplete { _ in
            self.sockets.withLock { $0.connections[id] = nil }
        }
        try channel.pipeline.syncOperations.addHandler(SocketEnd())
        let serverName = ServerName()
        if let identity {
            let context = try identity.context { name in serverName.set(name) }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
        try channel.pipeline.syncOperations.addHandler(ScriptPlayer(book: book) { serverName.value })
    }
}

// MARK: - Recorded requests

extension ScriptedServer {
    /// The received requests, oldest first; at most the latest thousand.
    public var requests: [ReceivedRequest] { book.requests }

    /// Returns the number of received requests.
    ///
    /// - Parameter path: The path without the query; nil for all requests.
    /// - Returns: The number, including requests that are no longer in ``requests``.
    public func requestCount(of path: String? = nil) -> Int {
        book.requestCount(of: path)
    }

    /// The number of connections opened, with or without a request.
    public var connectionCount: Int { sockets.withLock(\.connectionCount) }

    /// The number of open connections.
    public var openConnectionCount: Int { sockets.withLock { $0.connections.count } }

    /// Waits until the server has received this number of requests since its start, answered or not.
    ///
    /// - Parameters:
    ///   - count: The number of requests.
    ///   - path: The path without the query; nil for all requests.
    ///   - limit: The maximum time to wait.
    /// - Throws: ``ScriptedServerError`` if the requests do not arrive in time; `CancellationError` if the task is
    ///   cancelled.
    public func waitForRequests(_ count: Int, of path: String? = nil, within limit: Duration = .seconds(10))
        async throws
    {
        try await book.wait(for: count, of: path, within: limit, on: group.any())
    }
}

/// An error of a scripted server that ends a test.
public struct ScriptedServerError: Error, Sendable, CustomStringConvertible {
    /// A description of the failure.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The server name that a client sent on one connection, set during the handshake.
private final class ServerName: Sendable {
    private let name = Mutex<String?>(nil)

    var value: String? { name.withLock { $0 } }

    func set(_ name: String?) {
        self.name.withLock { $0 = name }
    }
}

#endif
