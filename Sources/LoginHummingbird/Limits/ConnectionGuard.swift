// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import LoginAccounts
internal import NIOCore
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Keeps one connection within ``ConnectionLimits``.
///
/// It stands between the HTTP codec and Hummingbird's handlers. Its deadlines cover the layers below too: a TLS handshake or a head that
/// is never finished forwards no request to it.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The number of bytes read at once: a request, and few more.
    private static let readSize = 4096

    /// The time that other connections have between two pipelined requests.
    private static let turn = TimeAmount.microseconds(50)

    /// The time that a client has to read an answer after which the connection is closed.
    private static let linger = TimeAmount.seconds(5)

    /// The time that a request which is incomplete at shutdown has to be completed.
    private static let completionAtShutdown = TimeAmount.seconds(5)

    /// How often an idle connection is examined at shutdown before it is closed, and the time between two examinations.
    private static let (idleTurns, idleTurn) = (10, TimeAmount.milliseconds(100))

    private let limits: ConnectionLimits
    private let networks: NetworkConnections
    private let metrics: ConnectionMetrics

    /// The network in which this connection is counted.
    private var network: String?
    /// Request parts that arrived before their turn.
    private var waiting = CircularBuffer<HTTPRequestPart>()
    /// Whether a request was forwarded that has no complete answer yet.
    private var isAnswering = false
    /// Whether the last forwarded request was forwarded to its end.
    private var isWhole = true
    /// Whether the next handler has asked for more while requests waited for their turn.
    private var wantsRead = false
    /// Whether the server shuts down.
    private var isEnding = false
    /// Whether the current answer is the last of the connection.
    private var closesAfterAnswer = false
    /// Whether the current request asks for another protocol; after its end nothing is read.
    private var isLast = false
    /// Whether the last answer was written, or the connection refused; nothing is forwarded any more.
    private var isClosing = false
    /// Whether the last answer has left the server, and the server's half of the connection is closed.
    private var hasClosedOutput = false

    /// The time that the client has for the rest of the current request, and how much of it is used up.
    private var (allowance, used) = (TimeAmount.zero, TimeAmount.zero)
    /// The time since which the server waits for the rest of the current request; nil while it does not read.
    private var waitsSince: NIODeadline?
    /// The next deadline of what the client sends.
    private var receiving: Scheduled<Void>?
    /// The next deadline of what the client reads.
    private var sending: Scheduled<Void>?

    /// Creates the guard of one connection.
    ///
    /// - Parameters:
    ///   - limits: The limits of the connection.
    ///   - networks: The connections of the whole server.
    ///   - metrics: The counters of the whole server.
    init(_ limits: ConnectionLimits, _ networks: NetworkConnections, _ metrics: ConnectionMetrics) {
        self.limits = limits
        self.networks = networks
        self.metrics = metrics
    }

    // MARK: Opening

    /// Sets the channel up to read little at once.
    func handlerAdded(context: ChannelHandlerContext) {
        if let options = context.channel.syncOptions {
            try? options.setOption(.maxMessagesPerRead, value: 1)
            try? options.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
        }
        let pipeline = context.pipeline.syncOperations
        if let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) {
            try? pipeline.addHandler(HTTPVersionRules(), position: .before(codec))
        }
        if context.channel.isActive { open(context) }
    }

    /// Counts the connection in its network, and begins the deadline of its first head.
    ///
    /// The server drops a connection that it accepted in the moment in which its listener closed. What NIO wraps around an active
    /// connection must not be dropped (`NIOAsyncWriter`), so such a connection is closed before it becomes active for the handlers above.
    func channelActive(context: ChannelHandlerContext) {
        guard context.channel.parent?.isActive != false else {
            isClosing = true
            context.close(promise: nil)
            return
        }
        context.fireChannelActive()
        open(context)
    }

    private func open(_ context: ChannelHandlerContext) {
        let address = context.remoteAddress?.ipAddress
        // A connection over TCP without an address was reset by the client before it became active.
        guard address != nil || context.channel.parent?.localAddress?.ipAddress == nil else {
            isClosing = true
            context.close(promise: nil)
            return
        }
        if !limits.trustedProxies.isTrusted(address), let network = RequestOrigin(address: address).site {
            guard networks.open(network) else {
                isClosing = true
                abort(context, .network)
                return
            }
            self.network = network
        }
        receiving = schedule(in: TimeAmount(limits.headTimeout), context) { [self] in abort(context, .head) }
    }

    /// Releases what the connection has.
    func handlerRemoved(context: ChannelHandlerContext) {
        waiting.removeAll()
        receiving?.cancel()
        sending?.cancel()
        if let network { networks.close(network) }
        network = nil
    }

    // MARK: Receiving

    /// Forwards parts of the request whose turn it is, and keeps the others.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let part = unwrapInboundIn(data)
        if waiting.isEmpty, !(isAnswering && isWhole) { pass(part, context) } else { waiting.append(part) }
    }

    /// Stops the clock of the current request until the server reads on.
    func channelReadComplete(context: ChannelHandlerContext) {
        if let waitsSince { used = used + (context.eventLoop.now - waitsSince) }
        waitsSince = nil
        context.fireChannelReadComplete()
        // The handlers above read no more. Input that is unread at the full close resets the connection, and the client may lose the
        // answer (RFC 9112 §9.6).
        if isClosing { receive(context) }
    }

    /// Reads on, unless requests wait for their turn.
    func read(context: ChannelHandlerContext) {
        if mayRead || isClosing { receive(context) } else { wantsRead = true }
    }

    /// Whether there is room for more; at shutdown the last request that was read is the last that is answered.
    private var mayRead: Bool { waiting.isEmpty && !(isEnding && isAnswering && isWhole) }

    private func receive(_ context: ChannelHandlerContext) {
        wantsRead = false
        guard !(isLast && isWhole) else { return }
        if !isWhole, !isClosing, waitsSince == nil {
            waitsSince = context.eventLoop.now
            if receiving == nil { watchRequest(context) }
        }
        context.read()
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            (isAnswering, isWhole) = (true, false)
            // What follows such a request is another protocol, which the decoder would collect without a bound.
            isLast = head.method == .connect || head.headerFields[.upgrade] != nil
            closesAfterAnswer = isLast || head.headerFields.closesConnection
            receiving?.cancel()
            receiving = nil
            (allowance, used) = (isEnding ? shutdownAllowance : TimeAmount(limits.requestTimeout), .zero)
        case .body:
            break
        case .end:
            isWhole = true
            waitsSince = nil
            receiving?.cancel()
            receiving = nil
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Forwards the next request that has waited, as far as it has arrived.
    private func passNext(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        while !(isAnswering && isWhole), let part = waiting.popFirst() { pass(part, context) }
        context.fireChannelReadComplete()
        if mayRead, wantsRead { receive(context) }
    }

    /// Closes the connection when the client has used up the time for its request.
    private func watchRequest(_ context: ChannelHandlerContext) {
        receiving = schedule(in: allowance - used, context) { [self] in
            receiving = nil
            guard let waitsSince else { return }
            if used + (context.eventLoop.now - waitsSince) >= allowance {
                abort(context, .request)
            } else {
                (used, self.waitsSince) = (used + (context.eventLoop.now - waitsSince), context.eventLoop.now)
                watchRequest(context)
            }
        }
    }

    // MARK: Answering

    /// Writes a part of an answer, and continues with the next request or closes the connection after the last part.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            // The rest of a request that is answered already would hold the connection for as long as the client likes.
            if closesAfterAnswer || !isWhole || (isEnding && waiting.isEmpty) {
                head.headerFields[.connection] = "close"
            }
            closesAfterAnswer = head.headerFields.closesConnection
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            isAnswering = false
            guard !closesAfterAnswer else {
                context.writeAndFlush(data, promise: promise)
                close(context)
                return
            }
            context.write(data, promise: promise)
            if !waiting.isEmpty {
                _ = schedule(in: Self.turn, context) { self.passNext(context) }
            } else if isEnding {
                closeWhenIdle(context)
            }
        }
    }

    /// Closes the server's half when the answer has left the server, and the rest a little later: a full close before would destroy the
    /// answer on its way, when the client still sends.
    private func close(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        waiting.removeAll()
        receiving?.cancel()
        watchAnswer(context)
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.assumeIsolated().whenComplete { [self] result in
            guard case .success = result else {
                context.close(promise: nil)
                return
            }
            hasClosedOutput = true
            sending?.cancel()
            sending = schedule(in: Self.linger, context) { context.close(promise: nil) }
        }
        // The promise is completed after all pending writes, or with the failure of one.
        context.close(mode: .output, promise: closed)
        receive(context)
    }

    /// Notes whether the client reads its answers.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !hasClosedOutput {
            if isClosing || !context.channel.isWritable {
                watchAnswer(context)
            } else {
                sending?.cancel()
                sending = nil
            }
        }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection when the client does not read its answers in time.
    private func watchAnswer(_ context: ChannelHandlerContext) {
        sending?.cancel()
        sending = schedule(in: TimeAmount(limits.writeTimeout), context) { [self] in abort(context, .write) }
    }

    /// Closes a connection that exceeds a limit, and counts it.
    private func abort(_ context: ChannelHandlerContext, _ reason: ConnectionMetrics.Reason) {
        metrics.count(reason)
        context.close(promise: nil)
    }

    // MARK: Shutting down

    /// Begins the end of the connection at shutdown.
    ///
    /// The event is not forwarded: Hummingbird's handler would close an idle connection at once, and a request that lies unread in the
    /// socket would be lost.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        guard !isEnding, !isClosing else { return }
        isEnding = true
        if !isWhole {
            if let waitsSince {
                (used, self.waitsSince) = (used + (context.eventLoop.now - waitsSince), context.eventLoop.now)
            }
            allowance = min(allowance, used + shutdownAllowance)
            receiving?.cancel()
            receiving = nil
            if waitsSince != nil { watchRequest(context) }
        } else if !isAnswering, waiting.isEmpty {
            closeWhenIdle(context)
        }
    }

    private var shutdownAllowance: TimeAmount { min(TimeAmount(limits.requestTimeout), Self.completionAtShutdown) }

    /// Closes an idle connection at shutdown when the event loop had time to read what the client had sent before.
    ///
    /// The loop reads sockets between two runs of its tasks. A turn that begins late says that the loop is busy, and does not count.
    private func closeWhenIdle(_ context: ChannelHandlerContext, turns: Int = idleTurns) {
        receive(context)
        let due = context.eventLoop.now + Self.idleTurn
        receiving?.cancel()
        receiving = schedule(in: Self.idleTurn, context) { [self] in
            let isOnTime = context.eventLoop.now - due < Self.idleTurn
            if isOnTime, turns == 1 {
                context.close(promise: nil)
            } else {
                closeWhenIdle(context, turns: isOnTime ? turns - 1 : turns)
            }
        }
    }

    private func schedule(in time: TimeAmount, _ context: ChannelHandlerContext, _ task: @escaping () -> Void)
        -> Scheduled<Void>
    {
        context.eventLoop.assumeIsolated().scheduleTask(in: time, task)
    }
}

extension HTTPFields {
    /// Whether the connection options, a list of tokens compared without case, have `close` (RFC 9110 §7.6.1, RFC 9112 §9.6).
    fileprivate var closesConnection: Bool {
        let options = self[.connection] ?? ""
        return options.split { ", \t".contains($0) }.contains { $0.lowercased() == "close" }
    }
}
#endif
