// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The server of docs/guides/other-frameworks.md: the API, the pages, and routes of its own, on SwiftNIO without a framework.
// The service test Tests/service/nio.py compares it with the server of SignInServer.swift, and signs in with a browser.

#if HTTP && Hummingbird && SQLite
import Foundation
import HTTPTypes
import Logging
import LoginAccounts
import LoginHTTP
import LoginPages
import LoginProviders
import LoginStoreSQLite
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import ServiceLifecycle

// snippet.adapter
/// A server on SwiftNIO, which responds to each request with a function.
struct NIOServer: Service {
    typealias Connection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let host: String, port: Int
    let logger: Logger
    let respond: @Sendable (ServerRequest) async throws -> ServerResponse

    func run() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    // `serve` takes one request after the other, and responds to malformed ones.
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
                    try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(30), writeTimeout: .seconds(30)))
                    try pipeline.addHandler(ConnectionRules())
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        try await withGracefulShutdownHandler {
            try await listener.executeThenClose { connections in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    var free = 400  // without a maximum, the process runs out of file descriptors
                    for try await connection in connections {
                        if free == 0 { try await group.next() } else { free -= 1 }
                        group.addTask {
                            await withGracefulShutdownHandler {
                                _ = try? await serve(connection)  // one that its client resets concerns nobody else
                            } onGracefulShutdown: {
                                connection.channel.close(mode: .input, promise: nil)
                            }
                        }
                    }
                }
            }
        } onGracefulShutdown: {
            listener.channel.close(promise: nil)
        }
    }

    private func serve(_ connection: Connection) async throws {
        let peer: ServerRequest.Peer = connection.channel.remoteAddress?.ipAddress.map { .address($0) } ?? .unknown
        try await connection.executeThenClose { inbound, outbound in
            let parts = RequestParts(inbound.makeAsyncIterator())
            var closes = false
            do {
                while !closes, case .head(let head)? = try await parts.next() {
                    let fields = head.headerFields
                    let hasBody = fields.contains(.transferEncoding) || fields[.contentLength] ?? "0" != "0"
                    // A request without a body is read to its end at once, so that the connection can be used again.
                    if !hasBody { _ = try await parts.next() }
                    let body = hasBody ? ServerRequest.Body(RequestBody(parts: parts)) : .empty
                    var response = try await respond(ServerRequest(head, from: peer, body: body, logger: logger))
                    let isAtEnd = await parts.isAtEnd
                    closes = response.closesConnection || !isAtEnd || fields[.connection] == "close"
                    if closes { response.headers[.connection] = "close" }
                    try await outbound.send(response)
                }
            } catch is HTTPParserError {
                try await outbound.send(ServerResponse(status: .badRequest, headers: [.connection: "close"]))
            }
            // Closed at once, the connection of a client that still sends would lose the response (RFC 9112 §9.6).
            try await connection.channel.close(mode: .output)
            connection.channel.eventLoop.scheduleTask(in: .seconds(5)) { connection.channel.close(promise: nil) }
            while (try? await parts.next()) != nil {}
            try await connection.channel.closeFuture.get()
        }
    }
}

extension NIOAsyncChannelOutboundWriter<HTTPResponsePart> {
    fileprivate func send(_ response: ServerResponse) async throws {
        try await write(.head(HTTPResponse(status: response.status, headerFields: response.headers)))
        if !response.body.bytes.isEmpty { try await write(.body(response.body.converted { ByteBuffer(bytes: $0) })) }
        try await write(.end(nil))
    }
}

/// The parts of the requests of a connection, in order.
private actor RequestParts {
    private let iterator: NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator
    /// Whether the last request was read to its end.
    private(set) var isAtEnd = false

    init(_ iterator: sending NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator) { self.iterator = iterator }

    func next() async throws -> HTTPRequestPart? {
        var iterator = iterator
        let part = try await iterator.next(isolation: self)
        isAtEnd = if case .end? = part { true } else { false }
        return part
    }
}

/// The body of a request, which is read when somebody asks for it.
private struct RequestBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let parts: RequestParts

    func makeAsyncIterator() -> Self { self }

    func next() async throws -> ByteBufferView? {
        switch try await parts.next() {
        case .body(let buffer)?: return buffer.readableBytesView
        case .end?: return nil
        case .head?, nil: throw ChannelError.inputClosed
        }
    }
}

/// Refuses requests of ambiguous host or length (RFC 9112 §3.2, §6.1), and closes connections that are not used.
private final class ConnectionRules: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private var (isUpgrade, reads) = (false, true)

    func channelActive(context: ChannelHandlerContext) {
        // A connection that was accepted at the end of the server has no task.
        if context.channel.parent?.isActive == false { return context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            if case .end = unwrapInboundIn(data) { reads = !isUpgrade }
            return context.fireChannelRead(data)
        }
        let (isOld, codings) = (head.version == .http1_0, head.headers["transfer-encoding"].map { $0.lowercased() })
        guard isOld || head.headers["host"].count == 1, codings.isEmpty || (!isOld && codings == ["chunked"]) else {
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        isUpgrade = head.method == .CONNECT || head.headers.contains(name: "upgrade")
        if isOld || isUpgrade || !head.isKeepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func read(context: ChannelHandlerContext) {
        // The decoder would keep the bytes of another protocol in memory.
        if reads { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
// snippet.end

let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8080
let corp = environment["CORP_ISSUER"] ?? "https://login.corp.example"
let club = environment["CLUB_ISSUER"] ?? "https://login.club.example"
// Those of SignInServer.swift.
let providers: [SignInProvider] = [
    .openID("corp", issuer: corp, clientID: "web", clientSecret: environment["CORP_SECRET"]).with {
        $0.emailTrust = .verifiedClaim(domains: ["corp.example"])
        $0.provider.allowsLoopbackHTTP = true
    },
    .openID("club", issuer: club, clientID: "web", clientSecret: environment["CLUB_SECRET"]).with {
        $0.provider.allowsLoopbackHTTP = true
    },
]

// snippet.server
let login = try LoginService(
    publicURL: "http://localhost:\(port)",  // the URL that browsers use
    providers: providers,  // such as .google(clientID: "client-1", clientSecret: secret)
    store: SQLiteAccountStore(path: environment["STORE"] ?? "accounts.sqlite"),
    secrets: AccountSecrets(contentsOf: environment["SECRETS"] ?? "accounts.keys")
)
let routes = LoginRoutes(login.apiRoutes() + login.pageRoutes())
let server = NIOServer(host: "127.0.0.1", port: port, logger: login.logger) { request in
    if let response = try await routes.respond(to: request) { return response }
    switch (request.method, request.path) {
    case (.get, "/notes"), (.head, "/notes"): return try await notes(request)
    default: return try await login.refuseUnknownPath(of: request)
    }
}

/// A route of the application that needs a signed-in user.
func notes(_ request: ServerRequest) async throws -> ServerResponse {
    try await login.respond(to: request) { session, _ in
        let text = "the notes of \(session.accountID)\n"
        let headers: HTTPFields = [.contentType: "text/plain"]
        return ServerResponse(status: .ok, headers: headers, body: ServerResponse.Body(text.utf8))
    }
}

try await login.prepare()
// The services end in the opposite order: the server first, the store last.
try await ServiceGroup(
    configuration: ServiceGroupConfiguration(
        services: [login, server],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: login.logger
    )
).run()
// snippet.end
#endif
