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

/// The handler of one connection to a scripted server, which reads a request and plays the script that answers it.
final class ScriptPlayer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let book: ServerBook
    private let serverName: () -> String?
    private var received: [UInt8] = []
    private var steps: ArraySlice<ServerScript.Step> = []
    private var isPlaying = false
    private var hasEnded = false
    private var timer: Scheduled<Void>?

    init(book: ServerBook, serverName: @escaping () -> String?) {
        self.book = book
        self.serverName = serverName
    }

    func channelActive(context: ChannelHandlerContext) {
        if let greeting = book.greeting { play(greeting, context: context) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isPlaying else { return }
        received += unwrapInboundIn(data).readableBytesView
        switch ReceivedRequest.read(received) {
        case .incomplete: return
        case .unreadable: hangUp(context: context)
        case .complete(var request):
            isPlaying = true
            request.serverName = serverName()
            let (script, gate) = book.receive(request)
            guard let gate else { return play(script, context: context) }
            gate.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
                self.play(script, context: context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hangUp(context: context)
    }
}

extension ScriptPlayer {
    private func play(_ script: ServerScript, context: ChannelHandlerContext) {
        isPlaying = true
        steps = script.steps[...]
        advance(context: context)
    }

    private func advance(context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        switch steps.popFirst() {
        case .send(let bytes): send(bytes, context: context)
        case .drip(let bytes, let interval):
            guard let byte = bytes.first else { return advance(context: context) }
            steps = ([.pause(interval), .send([byte]), .drip(bytes.dropFirst(), every: interval)] + steps)[...]
            advance(context: context)
        case .flood(let bytes):
            steps = [.flood(bytes)]
            send(bytes, context: context)
        case .pause(let duration):
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
                self.advance(context: context)
            }
        case .stall: break
        case .close, nil: context.close(promise: nil)
        case .reset: reset(context: context)
        }
    }

    private func send(_ bytes: [UInt8], context: ChannelHandlerContext) {
        let data = wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes))
        context.writeAndFlush(data).assumeIsolated().whenComplete { result in
            guard case .success = result else { return self.hangUp(context: context) }
            // The next step runs on the next turn of the event loop: a write that completes at once would otherwise
            // recurse until the stack overflows.
            context.eventLoop.assumeIsolated().execute { self.advance(context: context) }
        }
    }

    /// Resets the connection, like a peer that closes with unread or unsent data.
    private func reset(context: ChannelHandlerContext) {
        guard let socket = context.channel as? any SocketOptionProvider else { return hangUp(context: context) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
            self.hangUp(context: context)
        }
    }

    private func hangUp(context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        hasEnded = true
        SocketEnd.close(context.channel)
    }
}

/// A handler next to the socket, which can close a connection without the TLS shutdown that a client could delay.
final class SocketEnd: ChannelOutboundHandler, ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// Closes a channel immediately.
    static func close(_ channel: any Channel) {
        channel.eventLoop.execute {
            // A channel without this handler is already closed.
            try? channel.pipeline.syncOperations.context(handlerType: SocketEnd.self).close(promise: nil)
        }
    }
}

#endif
