// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// An HTTP proxy that opens tunnels only (`CONNECT`, RFC 9110 §9.3.6), each to the same port of this machine, whatever
/// host the request names.
public final class TunnelProxy: Sendable {
    private let seen = Mutex<[String]>([])
    private let listener = Mutex<(any Channel)?>(nil)

    private init() {}

    /// Runs a proxy for the duration of `body`.
    ///
    /// - Parameters:
    ///   - destination: The port to which all tunnels lead.
    ///   - body: Uses the proxy.
    /// - Throws: Rethrows errors of `body`, or throws the reason why the proxy cannot listen.
    public static func run(to destination: Int, _ body: (TunnelProxy) async throws -> Void) async throws {
        let proxy = TunnelProxy()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        TunnelOpener(to: destination) { head in proxy.seen.withLock { $0.append(head) } }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        proxy.listener.withLock { $0 = listener }
        do {
            try await body(proxy)
            try await listener.close()
        } catch {
            listener.close(promise: nil)
            throw error
        }
    }

    /// The port on which the proxy listens.
    public var port: Int { listener.withLock { $0?.localAddress?.port } ?? 0 }

    /// The heads of the requests to the proxy, in their order.
    public var heads: [String] { seen.withLock { $0 } }
}

/// Reads the head of a request, and opens a tunnel.
private final class TunnelOpener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let destination: Int
    private let note: @Sendable (String) -> Void
    private var head = ""

    init(to destination: Int, note: @escaping @Sendable (String) -> Void) {
        self.destination = destination
        self.note = note
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The client sends nothing more before it has an answer.
        head += String(buffer: unwrapInboundIn(data))
        guard head.hasSuffix("\r\n\r\n") else { return }
        note(head)
        let client = context.channel
        let opener = context.pipeline.syncOperations.removeHandler(context: context)
        ClientBootstrap(group: context.eventLoop).connect(host: "127.0.0.1", port: destination)
            .and(opener).assumeIsolated().whenComplete { result in
                do {
                    let (server, _) = try result.get()
                    try server.pipeline.syncOperations.addHandler(Forwarder(to: client))
                    try client.pipeline.syncOperations.addHandler(Forwarder(to: server))
                    client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
                } catch {
                    client.close(promise: nil)
                }
            }
    }
}

extension TunnelOpener: RemovableChannelHandler {}

/// Sends what one end of a tunnel sends to the other end.
private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: any Channel

    init(to peer: any Channel) {
        self.peer = peer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        peer.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        peer.close(promise: nil)
        context.fireChannelInactive()
    }
}
#endif
