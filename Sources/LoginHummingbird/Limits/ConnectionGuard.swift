// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHTTP
internal import NIOCore
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// Enforces ``ConnectionLimits`` on one connection.
///
/// It is placed between the HTTP codec and Hummingbird's handlers. Its deadlines cover the layers below too: an
/// unfinished TLS handshake or head forwards no request to it.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The maximum number of bytes per read: enough for a request, and few more.
    private static let readSize = 4096

    /// The delay before the next pipelined request, in which other connections are served.
    private static let turn = TimeAmount.microseconds(50)

    /// The time between the closing of the server's half and the full close, in which the client can read the response.
    private static let linger = TimeAmount.seconds(5)

    /// The time to receive the rest of a request that is incomplete at shutdown.
    private static let completionAtShutdown = TimeAmount.seconds(5)

    /// The number of checks of an idle connection at shutdown before it is closed, and the time between two checks.
    private static let (idleTurns, idleTurn) = (10, TimeAmount.milliseconds(100))

    private let limits: ConnectionLimits
    private let networks: SharedPlaces
    private let waiters: WaitingConnections?
    private let metrics: ConnectionMetrics

    /// The network that counts this connection.
    private var network: String?
    /// The received request parts that are not forwarded yet.
    private var waiting = CircularBuffer<HTTPRequestPart>()
    /// The progress of the current request and response.
    private var state = ConnectionState.idle
    /// Whether the next handler has requested a read while requests were waiting.
    private var wantsRead = false
    /// Whether the server is shutting down.
    private var isEnding = false

    /// The time allowed to receive the rest of the current request at most, that for the bytes of its body that have
    /// arrived, and the part of it that is used up.
    private var (longest, allowance, used) = (TimeAmount.zero, TimeAmount.zero, TimeAmount.zero)
    /// The number of received bytes of the current body, and that at which the connection last began to wait anew.
    private var (received, receivedAtRestart) = (0, 0)
    /// The time at which the server began to wait for the rest of the current request; nil while it does not read.
    private var waitsSince: NIODeadline?
    /// The next deadline for receiving from the client.
    private var receiving: Scheduled<Void>?
    /// The next deadline for sending to the client.
    private var sending: Scheduled<Void>?

    /// Creates the guard of one connection.
    ///
    /// - Parameters:
    ///   - limits: The limits of the connection.
    ///   - networks: The connections of the whole server.
    ///   - waiters: The connections of the whole server that wait for their clients; nil if they are not limited.
    ///   - metrics: The counters of the whole server.
    init(
        _ limits: ConnectionLimits,
        _ networks: SharedPlaces,
        _ waiters: WaitingConnections?,
        _ metrics: ConnectionMetrics
    ) {
        self.limits = limits
        self.networks = networks
        self.waiters = waiters
        self.metrics = metrics
    }

    // MARK: Opening

    /// Configures the channel for small reads, and adds the rules that need the HTTP version.
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

    /// Counts the connection in its network, and starts the deadline of the first head.
    ///
    /// The server drops a connection that it accepted while its listener was closing. NIO's wrapper of an active
    /// connection must not be dropped (`NIOAsyncWriter`), so such a connection is closed before it becomes active for
    /// the next handlers.
    func channelActive(context: ChannelHandlerContext) {
        guard context.channel.parent?.isActive != false else {
            state.reject()
            context.close(promise: nil)
            return
        }
        context.fireChannelActive()
        open(context)
    }

    private func open(_ context: ChannelHandlerContext) {
        let address = context.remoteAddress?.ipAddress
        // A TCP connection without a remote address was reset by the client before it became active.
        guard address != nil || context.channel.parent?.localAddress?.ipAddress == nil else {
            state.reject()
            context.close(promise: nil)
            return
        }
        if !limits.trustedProxies.isTrusted(address.map { .address($0) } ?? .unixSocket),
            let network = RequestOrigin(address: address).addressPrefix
        {
            guard networks.take(network) else {
                state.reject()
                abort(context, .network)
                return
            }
            self.network = network
        }
        receiving = schedule(in: TimeAmount(limits.headTimeout), context) { [self] in abort(context, .head) }
        beginWaiting(context)
    }

    /// Counts this connection as one that waits for its client, which may close the one that has waited longest.
    private func beginWaiting(_ context: ChannelHandlerContext) {
        if waiters?.begin(context.channel, of: network) == true { metrics.count(.waiting) }
    }

    /// Moves this connection to the end of those that wait for their clients.
    private func restartWaiting(_ context: ChannelHandlerContext) {
        waiters?.end(context.channel)
        beginWaiting(context)
    }

    /// Cancels the deadlines, and removes the connection from the count of its network.
    func handlerRemoved(context: ChannelHandlerContext) {
        waiting.removeAll()
        receiving?.cancel()
        sending?.cancel()
        if let network { networks.free(network) }
        network = nil
        waiters?.end(context.channel)
    }

    // MARK: Receiving

    /// Forwards a part of the current request, and queues a part of a later one.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !state.isClosing else { return }
        let part = unwrapInboundIn(data)
        if waiting.isEmpty, forwards(context) { pass(part, context) } else { waiting.append(part) }
    }

    /// Pauses the deadline of the current request until the next read.
    func channelReadComplete(context: ChannelHandlerContext) {
        if let waitsSince { used = used + (context.eventLoop.now - waitsSince) }
        waitsSince = nil
        context.fireChannelReadComplete()
        // The next handlers read no more. A full close with unread input resets the connection, and the client may lose
        // the response (RFC 9112 §9.6).
        if state.isClosing { receive(context) }
    }

    /// Whether the next part is forwarded.
    ///
    /// A request begins only when the client has read the responses before it: otherwise the work for it, and its place
    /// among the connections that wait, would be free.
    private func forwards(_ context: ChannelHandlerContext) -> Bool {
        if case .idle = state, !context.channel.isWritable { return false }
        return state.forwards
    }

    /// Reads from the channel, unless requests are queued.
    func read(context: ChannelHandlerContext) {
        if mayRead || state.isClosing { receive(context) } else { wantsRead = true }
    }

    /// Whether more may be read.
    ///
    /// At shutdown, the last request that was read is the last one that gets a response.
    private var mayRead: Bool { waiting.isEmpty && (!isEnding || state.forwards) }

    private func receive(_ context: ChannelHandlerContext) {
        wantsRead = false
        guard state.reads else { return }
        if case .receiving = state, waitsSince == nil {
            waitsSince = context.eventLoop.now
            if receiving == nil { watchRequest(context) }
        }
        context.read()
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            // Input after such a request is of another protocol, which the decoder would buffer without a limit.
            let isUpgrade = head.method == .connect || head.headerFields[.upgrade] != nil
            state.beginRequest(isUpgrade ? .closesUnread : head.headerFields.closesConnection ? .closes : .persists)
            receiving?.cancel()
            receiving = nil
            longest = isEnding ? shutdownAllowance : TimeAmount(limits.requestTimeout)
            (received, receivedAtRestart, used) = (0, 0, .zero)
            allowance = paced
        case .body(let piece):
            received += piece.readableBytes
            allowance = paced
            // A client that sends does not give way to one that is silent, if it sends enough.
            if received - receivedAtRestart >= Self.readSize {
                receivedAtRestart = received
                restartWaiting(context)
            }
        case .end:
            state.endRequest()
            // Otherwise the client does not read the response, which has begun.
            if context.channel.isWritable { waiters?.end(context.channel) }
            waitsSince = nil
            receiving?.cancel()
            receiving = nil
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// The time for a request whose body arrives fast enough.
    private var paced: TimeAmount { min(longest, TimeAmount(BodyPace.allowance(received: received))) }

    /// Forwards the next queued request, as far as it was received.
    private func passNext(_ context: ChannelHandlerContext) {
        guard !state.isClosing else { return }
        while forwards(context), let part = waiting.popFirst() { pass(part, context) }
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

    // MARK: Responding

    /// Writes a part of a response.
    ///
    /// The last part is followed by the next request, or by the closing of the connection.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational:
            state.beginRefusal()
            if state.closesAfterResponse || (isEnding && waiting.isEmpty) {
                head.headerFields[.connection] = "close"
            }
            if head.headerFields.closesConnection { state.markResponseAsLast() }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            // The response to an incomplete request: the connection waits already.
            restartWaiting(context)
            guard !state.endResponse() else {
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

    /// Closes the server's half when the response is sent, and the connection a little later.
    ///
    /// An earlier full close would destroy the response in transit if the client still sends.
    private func close(_ context: ChannelHandlerContext) {
        waiting.removeAll()
        receiving?.cancel()
        watchAnswer(context)
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.assumeIsolated().whenComplete { [self] result in
            guard case .success = result else {
                context.close(promise: nil)
                return
            }
            state.endOutput()
            sending?.cancel()
            sending = schedule(in: Self.linger, context) { context.close(promise: nil) }
        }
        // The promise is completed after all pending writes, or fails with one of them.
        context.close(mode: .output, promise: closed)
        receive(context)
    }

    /// Starts the write deadline, and the wait for the client, when it stops reading responses, and ends both when it
    /// reads again.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !state.isLingering {
            if state.isClosing || !context.channel.isWritable {
                watchAnswer(context)
                // A response that the client does not read holds the connection as an unfinished request does.
                restartWaiting(context)
            } else {
                sending?.cancel()
                sending = nil
                if case .responding = state { waiters?.end(context.channel) }
                if !waiting.isEmpty { _ = schedule(in: Self.turn, context) { self.passNext(context) } }
            }
        }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the connection when the client does not read its responses in time.
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

    /// Starts the graceful shutdown of the connection.
    ///
    /// The event is not forwarded: Hummingbird's handler would close an idle connection at once, and an unread request
    /// in the socket buffer would be lost.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        guard !isEnding, !state.isClosing else { return }
        isEnding = true
        switch state {
        case .receiving:
            if let waitsSince {
                (used, self.waitsSince) = (used + (context.eventLoop.now - waitsSince), context.eventLoop.now)
            }
            longest = min(longest, used + shutdownAllowance)
            allowance = paced
            receiving?.cancel()
            receiving = nil
            if waitsSince != nil { watchRequest(context) }
        case .idle where waiting.isEmpty:
            closeWhenIdle(context)
        case .idle, .responding, .closing, .lingering:
            break
        }
    }

    private var shutdownAllowance: TimeAmount { min(TimeAmount(limits.requestTimeout), Self.completionAtShutdown) }

    /// Closes an idle connection at shutdown after the event loop had time to read earlier input of the client.
    ///
    /// The loop reads sockets between two runs of its tasks. A check that runs late indicates a busy loop, and does not
    /// count.
    private func closeWhenIdle(_ context: ChannelHandlerContext, turns: Int = idleTurns) {
        receive(context)
        let due = context.eventLoop.now + Self.idleTurn
        receiving?.cancel()
        receiving = schedule(in: Self.idleTurn, context) { [self] in
            let isOnTime = context.eventLoop.now - due < Self.idleTurn
            if isOnTime, turns == 1 {
                // The last response may still be on its way.
                watchAnswer(context)
                let closed = context.eventLoop.makePromise(of: Void.self)
                closed.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
                context.close(mode: .output, promise: closed)
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
    /// Whether the connection options, a list of case-insensitive tokens, contain `close` (RFC 9110 §7.6.1, RFC 9112
    /// §9.6).
    fileprivate var closesConnection: Bool {
        let options = self[.connection] ?? ""
        return options.split { ", \t".contains($0) }.contains { $0.lowercased() == "close" }
    }
}
#endif
