// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The server of docs/guides/other-frameworks.md: the API, the pages, and routes of its own, on SwiftNIO without a framework.

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
    typealias Responder = @Sendable (ServerRequest) async throws -> ServerResponse
    typealias Connection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let host: String
    let port: Int
    let logger: Logger
    let respond: Responder

    func run() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(StrictFraming())
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(30), writeTimeout: .seconds(30)))
                    try pipeline.addHandler(CloseWhenIdle())
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        try await cancelWhenGracefulShutdown {
            try await listener.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in connections {
                        // A connection that the client has reset concerns nobody else.
                        group.addTask { try? await serve(connection) }
                    }
                }
            }
        }
    }

    private func serve(_ connection: Connection) async throws {
        let peer = ServerRequest.Peer(connection.channel)
        try await connection.executeThenClose { inbound, outbound in
            let parts = RequestParts(inbound.makeAsyncIterator())
            while case .head(let head)? = try await parts.next() {
                let hasBody =
                    head.headerFields.contains(.transferEncoding) || head.headerFields[.contentLength] ?? "0" != "0"
                // A request without a body is read to its end at once, so that the connection can be used again.
                if !hasBody { _ = try await parts.next() }
                var response = try await respond(
                    ServerRequest(
                        head,
                        from: peer,
                        body: hasBody ? ServerRequest.Body(RequestBody(parts: parts)) : .empty,
                        logger: logger
                    )
                )
                let isAtEnd = await parts.isAtEnd
                let closes = response.closesConnection || !isAtEnd || head.headerFields[.connection] == "close"
                if closes { response.headers[.connection] = "close" }
                try await outbound.write(
                    .head(HTTPResponse(status: response.status, headerFields: response.headers))
                )
                if !response.body.bytes.isEmpty {
                    try await outbound.write(.body(response.body.converted { ByteBuffer(bytes: $0) }))
                }
                try await outbound.write(.end(nil))
                if closes { return }
            }
        }
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
        if case .end? = part { isAtEnd = true } else { isAtEnd = false }
        return part
    }
}

/// The body of a request, which is read when somebody asks for it.
private struct RequestBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let parts: RequestParts

    func makeAsyncIterator() -> Self { self }

    func next() async throws -> ByteBufferView? {
        guard case .body(let buffer)? = try await parts.next() else { return nil }
        return buffer.readableBytesView
    }
}

/// Refuses requests whose host or length a proxy may read differently (RFC 9112 §3.2, §6.1).
private final class StrictFraming: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            let codings = head.headers["transfer-encoding"].map { $0.lowercased() }
            guard head.version == .http1_1, head.headers["host"].count == 1, codings.isEmpty || codings == ["chunked"]
            else {
                context.close(promise: nil)
                return
            }
        }
        context.fireChannelRead(data)
    }
}

/// Closes the connection of a client that sends or reads nothing.
private final class CloseWhenIdle: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}

extension ServerRequest.Peer {
    fileprivate init(_ channel: any Channel) {
        if let address = channel.remoteAddress?.ipAddress { self = .address(address) } else { self = .unknown }
    }
}
// snippet.end

let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8080
let corp = environment["CORP_ISSUER"] ?? "https://login.corp.example"

// snippet.server
let login = try LoginService(
    publicURL: "http://localhost:\(port)",  // the URL that browsers use
    providers: [
        .openID("corp", issuer: corp, clientID: "web", clientSecret: environment["CORP_SECRET"]).with {
            $0.provider.allowsLoopbackHTTP = true  // to try it with a provider on this machine
        }
    ],
    store: SQLiteAccountStore(path: environment["STORE"] ?? "accounts.sqlite"),
    secrets: AccountSecrets(contentsOf: environment["SECRETS"] ?? "accounts.keys")
)
let routes = LoginRoutes(login.apiRoutes() + login.pageRoutes())
let server = NIOServer(host: "127.0.0.1", port: port, logger: login.logger) { request in
    if let response = try await routes.respond(to: request) { return response }
    switch (request.method, request.path) {
    case (.get, "/notes"): return try await notes(request)
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
