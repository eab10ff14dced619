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

/// An HTTP server on this machine that does what a test tells it: it publishes keys, rotates them, stalls, lies, and dies.
///
/// It is for tests of what asks other servers. Answers are bytes that nobody checks, at the speed that a ``ServerScript``
/// says, so that everything can happen that happens on a network, and what should not.
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
/// One connection carries one request: after the answer it is closed.
public final class ScriptedServer: Sendable {
    /// The address of this machine that a server listens at.
    public enum Host: String, Sendable {
        /// The one of IPv4.
        case ipv4 = "127.0.0.1"
        /// The one of IPv6.
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

    /// Runs a server for as long as `body` runs.
    ///
    /// - Parameters:
    ///   - host: Where it listens.
    ///   - port: The port it listens at; 0 for one that is free.
    ///   - identity: The certificate it shows; nil for a server without TLS.
    ///   - body: What is done with the server. When it ends, so do the server and its connections.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or why the server cannot listen.
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

    /// The port it listens at.
    public var port: Int { chosenPort.withLock { $0 } }

    /// The address of something on this server.
    ///
    /// - Parameters:
    ///   - path: The path, and the query if there is one.
    ///   - name: What to call the server; nil for the address it listens at.
    /// - Returns: The address, `https` for a server with a certificate.
    public func url(_ path: String = "/", name: String? = nil) -> String {
        let host = name ?? (host == .ipv6 ? "[\(host.rawValue)]" : host.rawValue)
        return "\(identity == nil ? "http" : "https")://\(host):\(port)\(path)"
    }
}

// MARK: - What it does

extension ScriptedServer {
    /// Answers each request from now on with this script.
    ///
    /// - Parameters:
    ///   - path: What is asked for, without the query; nil for all that has no answer of its own, which at first is status
    ///     404.
    ///   - script: The answer.
    public func answer(_ path: String? = nil, with script: ServerScript) {
        book.answer(path, first: []) { _ in script }
    }

    /// Answers each request from now on as it deserves.
    ///
    /// - Parameters:
    ///   - path: What is asked for, without the query; nil for all that has no answer of its own.
    ///   - decide: Says what answers a request. It is called by the server's threads, and must not wait.
    public func answer(_ path: String? = nil, by decide: @escaping @Sendable (ReceivedRequest) -> ServerScript) {
        book.answer(path, first: [], then: decide)
    }

    /// Answers the next requests with one script each, and those after them with another.
    ///
    /// - Parameters:
    ///   - path: What is asked for, without the query; nil for all that has no answer of its own.
    ///   - first: The answers to the next requests, in this order.
    ///   - then: The answer to those after them.
    public func answer(_ path: String? = nil, first: [ServerScript], then: ServerScript) {
        book.answer(path, first: first) { _ in then }
    }

    /// Plays a script as soon as a connection opens, whatever the client says, instead of answering requests.
    ///
    /// - Parameter script: The script; nil to answer requests again.
    public func greet(with script: ServerScript?) {
        book.greet(with: script)
    }

    /// Lets requests come in and answers none until ``release()``.
    ///
    /// So a test can look at what happens while an answer is awaited. Which script answers is decided when the request
    /// comes.
    public func hold() {
        book.hold(on: group.any())
    }

    /// Answers what was held back, and all that comes.
    public func release() {
        book.release()
    }

    /// Stops listening and breaks all connections, as if the process had died.
    ///
    /// When this returns, the port is closed. What was held back is lost, and nothing is held back any more; answers and
    /// ``requests`` stay.
    public func kill() async {
        let (listener, connections) = sockets.withLock { sockets in
            defer { (sockets.isListening, sockets.listener) = (false, nil) }
            return (sockets.listener, Array(sockets.connections.values))
        }
        listener?.close(promise: nil)
        for connection in connections { SocketEnd.close(connection) }
        for channel in (listener.map { [$0] } ?? []) + connections {
            // How a channel came to its end does not matter here.
            try? await channel.closeFuture.get()
        }
        book.release()
    }

    /// Listens again, at the same port, after ``kill()``.
    ///
    /// - Throws: If the port cannot be had.
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
        // Below what the system gives to connections: one of those could otherwise sit at the port of a server that is
        // to be revived.
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

    /// Prepares a connection that a client opened.
    private func open(_ channel: any Channel) throws {
        let id = ObjectIdentifier(channel)
        let isListening = sockets.withLock { sockets in
            guard sockets.isListening else { return false }
            sockets.connections[id] = channel
            sockets.connectionCount += 1
            return true
        }
        // What was accepted just before the end is not kept.
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

// MARK: - What it saw

extension ScriptedServer {
    /// The requests that came, the oldest first; of very many the latest thousand.
    public var requests: [ReceivedRequest] { book.requests }

    /// How many requests came.
    ///
    /// - Parameter path: What was asked for, without the query; nil for anything.
    /// - Returns: The number, those included that are no longer in ``requests``.
    public func requestCount(of path: String? = nil) -> Int {
        book.requestCount(of: path)
    }

    /// How many connections were opened, whether a request came over them or not.
    public var connectionCount: Int { sockets.withLock(\.connectionCount) }

    /// How many connections are open.
    public var openConnectionCount: Int { sockets.withLock { $0.connections.count } }

    /// Waits until so many requests have come since the server began, answered or not.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - path: What they ask for, without the query; nil for anything.
    ///   - limit: How long to wait.
    /// - Throws: ``ScriptedServerError`` if they did not come in time; `CancellationError` if the task was cancelled.
    public func waitForRequests(_ count: Int, of path: String? = nil, within limit: Duration = .seconds(10))
        async throws
    {
        try await book.wait(for: count, of: path, within: limit, on: group.any())
    }
}

/// Why a scripted server's test cannot go on.
public struct ScriptedServerError: Error, Sendable, CustomStringConvertible {
    /// What did not happen.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The host that a client named on one connection, which is learnt during the handshake.
private final class ServerName: Sendable {
    private let name = Mutex<String?>(nil)

    var value: String? { name.withLock { $0 } }

    func set(_ name: String?) {
        self.name.withLock { $0 = name }
    }
}

#endif
