// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import NIOCore
public import NIOHTTPTypes

/// Sees to it that no connection takes more than its share, and that one that is over is closed.
///
/// ```swift
/// .http1(configuration: .init(additionalChannelHandlers: [ConnectionGuard()], idleTimeout: .seconds(75)))
/// ```
///
/// - **One request at a time**: those that a client sends without waiting (RFC 9112 §9.3.2) are answered in order, each after a turn
///   for all other connections, and no more is read of them than there is to do. Thousands in one packet would otherwise be answered
///   before anybody else.
/// - **Who does not read** what it asked for is not waited for any longer than a while: its connection is closed.
/// - **After `Connection: close`** nothing more is read (RFC 9112 §9.6): our half is closed at once, and the rest of the connection when
///   the client had time to see the answer. While the server ends, each answer says it.
public final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    /// What a client sends.
    public typealias InboundIn = HTTPRequestPart
    /// The same, each request in its turn.
    public typealias InboundOut = HTTPRequestPart
    /// What it is answered.
    public typealias OutboundIn = HTTPResponsePart
    /// The same.
    public typealias OutboundOut = HTTPResponsePart

    /// How many bytes are read at once: a request, and few more.
    private static let readSize = 4096

    /// How long others have a turn between two requests that came together.
    private static let turn = TimeAmount.microseconds(50)

    /// How long a client has to see an answer after which the connection is closed.
    private static let linger = TimeAmount.seconds(5)

    private let patience: TimeAmount
    /// What came before its turn, in order.
    private var waiting = CircularBuffer<HTTPRequestPart>()
    /// Whether a request was passed on that has no whole answer yet.
    private var isAnswering = false
    /// Whether that request was passed on to its end.
    private var isWhole = true
    private var wantsRead = false
    private var isEnding = false
    private var closesAfterAnswer = false
    private var isClosing = false
    private var stalled: Scheduled<Void>?

    /// A guard of one connection.
    ///
    /// - Parameter patience: How long 64 KiB of answers may wait for a client that does not read, before its connection is closed.
    public init(patience: TimeAmount = .seconds(30)) {
        self.patience = patience
    }

    // MARK: What comes

    /// Has little read at once.
    public func handlerAdded(context: ChannelHandlerContext) {
        guard let options = context.channel.syncOptions else { return }
        try? options.setOption(.maxMessagesPerRead, value: 1)
        try? options.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readSize))
    }

    /// Passes on what belongs to the request whose turn it is, and keeps the rest.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        let part = unwrapInboundIn(data)
        if waiting.isEmpty, !(isAnswering && isWhole) { pass(part, context) } else { waiting.append(part) }
    }

    /// Reads on, where nothing waits.
    public func read(context: ChannelHandlerContext) {
        if waiting.isEmpty || isClosing { context.read() } else { wantsRead = true }
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head: (isAnswering, isWhole) = (true, false)
        case .body: break
        case .end: isWhole = true
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Passes on the next request that has waited, as far as it is there.
    private func passNext(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        while !(isAnswering && isWhole), let part = waiting.popFirst() { pass(part, context) }
        context.fireChannelReadComplete()
        guard waiting.isEmpty, wantsRead else { return }
        wantsRead = false
        context.read()
    }

    // MARK: What goes

    /// Writes an answer, and sees to what comes after it.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if isEnding { head.headerFields[.connection] = "close" }
            closesAfterAnswer = head.headerFields[.connection] == "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            isAnswering = false
            if closesAfterAnswer {
                context.writeAndFlush(data, promise: promise)
                close(context)
            } else {
                context.write(data, promise: promise)
                guard !waiting.isEmpty else { return }
                context.eventLoop.assumeIsolated().scheduleTask(in: Self.turn) { self.passNext(context) }
            }
        }
    }

    /// Closes our half, and all of it a little later: closed at once, what the client still sends would destroy the answer on its way.
    private func close(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        waiting.removeAll()
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.assumeIsolated().whenFailure { _ in context.close(promise: nil) }
        context.close(mode: .output, promise: closed)
        stalled?.cancel()
        stalled = context.eventLoop.assumeIsolated().scheduleTask(in: Self.linger) { context.close(promise: nil) }
        context.read()
    }

    // MARK: What happens

    /// Notes whether the client reads.
    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !isClosing {
            stalled?.cancel()
            stalled =
                context.channel.isWritable
                ? nil
                : context.eventLoop.assumeIsolated().scheduleTask(in: patience) { context.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    /// Notes that the server ends.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isEnding = true }
        context.fireUserInboundEventTriggered(event)
    }

    /// Forgets what waits.
    public func handlerRemoved(context: ChannelHandlerContext) {
        waiting.removeAll()
        stalled?.cancel()
    }
}
#endif
