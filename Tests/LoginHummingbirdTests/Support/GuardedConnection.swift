// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import HummingbirdCore
import LoginHummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes

/// A connection with limits, in virtual time: the test plays the client and Hummingbird's handlers.
final class GuardedConnection {
    static let get = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")

    let channel = EmbeddedChannel()
    private let socket = Socket()

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the server.
    ///   - address: The address of the client; nil for a Unix socket.
    /// - Throws: Errors of the channel.
    init(_ configuration: HTTP1Channel.Configuration = .guarded(), from address: String? = "192.0.2.1") throws {
        try channel.pipeline.syncOperations.addHandler(socket)
        try channel.pipeline.syncOperations.addHandlers(configuration.additionalChannelHandlers())
        let client = try address.map { try SocketAddress(ipAddress: $0, port: 1) }
        channel.connect(to: try client ?? SocketAddress(unixDomainSocketPath: "/client"), promise: nil)
        read()
    }

    var isOpen: Bool { channel.isActive }

    /// Whether the server has closed its half, which happens after all its pending writes.
    var isHalfClosed: Bool { socket.isHalfClosed }

    /// Whether the client does not read what the server sends, which keeps the last write of a response pending.
    var isDeaf: Bool {
        get { socket.isBlocked }
        set { socket.isBlocked = newValue }
    }

    /// Whether the server waits for more.
    var isReading: Bool { socket.isReading }

    /// Returns the parts that reached Hummingbird's handlers.
    func forwarded() throws -> [HTTPRequestPart] {
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return parts
    }

    /// Delivers parts that arrive together; afterwards the server reads on, unless a handler prevents it.
    func receive(_ parts: HTTPRequestPart..., readsOn: Bool = true) {
        socket.isReading = false
        for part in parts { channel.pipeline.fireChannelRead(part) }
        channel.pipeline.fireChannelReadComplete()
        if readsOn { read() }
    }

    /// Makes the server read on.
    func read() { if channel.isActive { channel.pipeline.read() } }

    /// Sends a whole response, and returns its head as the client receives it.
    func answer(_ status: HTTPResponse.Status = .ok) throws -> HTTPResponse? {
        let head = try begin(status)
        try finish()
        return head
    }

    /// Sends the head of a response, and returns it as the client receives it.
    func begin(_ status: HTTPResponse.Status = .ok) throws -> HTTPResponse? {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
        guard case .head(let head)? = try channel.readOutbound(as: HTTPResponsePart.self) else { return nil }
        return head
    }

    /// Ends a response.
    func finish() throws {
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        _ = try channel.readOutbound(as: HTTPResponsePart.self)
    }

    /// Makes the buffer of pending writes full, or writable again.
    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    /// Closes the connection as the client.
    func leave() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    /// Begins the shutdown of the server.
    func shutDown() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

    /// A handler in place of the socket.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart

        var isHalfClosed = false
        var isReading = false
        /// Whether writes are pending; closing the output waits for them.
        var isBlocked = false {
            didSet {
                guard !isBlocked, let closing else { return }
                self.closing = nil
                isHalfClosed = true
                closing.succeed()
            }
        }
        private var closing: EventLoopPromise<Void>?

        func read(context: ChannelHandlerContext) {
            isReading = true
            context.read()
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            if mode != .output {
                let interrupted = closing
                closing = nil
                context.close(mode: mode, promise: promise)
                interrupted?.fail(ChannelError.ioOnClosedChannel)
            } else if isBlocked {
                closing = promise
            } else {
                isHalfClosed = true
                promise?.succeed()
            }
        }
    }
}
#endif
