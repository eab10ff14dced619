// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A listener on a loopback address that receives authorization responses (RFC 8252 §7.3).
struct LoopbackListener: Sendable {
    /// The queries of the requests for the redirect URI.
    let queries: AsyncStream<String>

    /// The redirect URI.
    let redirectURL: String

    private let channel: any Channel

    private static let path = "/callback"

    /// Begins to listen.
    ///
    /// - Parameter port: The port; 0 for any free one.
    /// - Throws: The error of the system if the port is not available.
    init(port: Int) async throws {
        let (queries, arrived) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(16))
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(CallbackHandler(path: Self.path, arrived: arrived))
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
        self.queries = queries
        redirectURL = "http://127.0.0.1:\(channel.localAddress?.port ?? port)\(Self.path)"
    }

    /// Stops listening.
    func close() async { try? await channel.close() }
}

/// Answers each request of the browser, and reports the queries of those for the redirect URI.
private final class CallbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let path: String
    private let arrived: AsyncStream<String>.Continuation
    private var uri = ""
    private var isGet = false

    init(path: String, arrived: AsyncStream<String>.Continuation) {
        self.path = path
        self.arrived = arrived
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (uri, isGet) = (head.uri, head.method == .GET)
        case .body: break
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let isCallback = isGet && parts[0] == path
        let text = isCallback ? "You can close this window, and return to the terminal.\n" : "There is nothing here.\n"
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(text.utf8.count)",
            "Cache-Control": "no-store", "Connection": "close",
        ]
        let answer = HTTPResponseHead(version: .http1_1, status: isCallback ? .ok : .notFound, headers: headers)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
        if isCallback { arrived.yield(parts.count > 1 ? String(parts[1]) : "") }
    }
}
#endif
