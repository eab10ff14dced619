// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginProviders
internal import LoginTokens
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A listener on a loopback address that receives authorization responses (RFC 8252 §7.3).
struct LoopbackListener: Sendable {
    /// The redirect URI.
    let redirectURL: String

    private let callbacks: AsyncStream<LoopbackCallback>
    private let arrived: AsyncStream<LoopbackCallback>.Continuation
    private let channel: any Channel

    private static let path = "/callback"

    /// Begins to listen.
    ///
    /// - Parameter port: The port; 0 for any free one.
    /// - Throws: The error of the system if the port is not available.
    init(port: Int) async throws {
        let (callbacks, arrived) = AsyncStream.makeStream(
            of: LoopbackCallback.self,
            bufferingPolicy: .bufferingOldest(16)
        )
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(CallbackHandler(path: Self.path, arrived: arrived))
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
        (self.callbacks, self.arrived) = (callbacks, arrived)
        redirectURL = "http://127.0.0.1:\(channel.localAddress?.port ?? port)\(Self.path)"
    }

    /// Returns the time to wait for responses until an attempt expires: at least five minutes, because the clock of the
    /// service may differ, and at most one hour.
    static func timeout(until expiry: Date, now: Date = Date()) -> Duration {
        .seconds(min(max(300, expiry.timeIntervalSince(now)), 3600))
    }

    /// Ends the wait for responses after a time.
    func endWait(after time: Duration) {
        channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [arrived] in arrived.finish() }
    }

    /// Waits for the authorization response of a login.
    ///
    /// The browser gets its page once the response is accepted. Responses of other logins are refused.
    ///
    /// - Parameters:
    ///   - login: The login.
    ///   - transport: The transport for the request to the token endpoint.
    /// - Returns: The outcome; nil if none arrived in time.
    /// - Throws: ``LoginFailure``
    func outcome(
        of login: NativeAppLogin,
        transport: any HTTPTransport
    ) async throws(LoginFailure) -> NativeAppLogin.Outcome? {
        for await callback in callbacks {
            let outcome: NativeAppLogin.Outcome
            do throws(LoginFailure) {
                outcome = try await login.outcome(of: LoginCallback(query: callback.query), transport: transport)
            } catch {
                await callback.answer(.badRequest, "The login failed. The terminal shows the reason.")
                throw error
            }
            switch outcome {
            case .otherLogin:
                await callback.answer(.badRequest, "This is not the login that the terminal waits for.")
                FileHandle.warn("a response of another login was refused")
            case .cancelled, .idToken:
                await callback.answer(.ok, "You can close this window, and return to the terminal.")
                return outcome
            }
        }
        return nil
    }

    /// Stops listening.
    func close() async { try? await channel.close() }
}

/// A request of the browser for the redirect URI, which waits for its response.
private struct LoopbackCallback: Sendable {
    let query: String
    let channel: any Channel

    /// Responds with a text, and closes the connection.
    func answer(_ status: HTTPResponseStatus, _ text: String) async {
        // A browser that has closed the connection does not see the text.
        try? await CallbackHandler.respond(status, text, on: channel).get()
    }
}

/// Reports the requests for the redirect URI, and refuses all others.
private final class CallbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let path: String
    private let arrived: AsyncStream<LoopbackCallback>.Continuation
    private var uri = ""
    private var isGet = false

    init(path: String, arrived: AsyncStream<LoopbackCallback>.Continuation) {
        self.path = path
        self.arrived = arrived
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (uri, isGet) = (head.uri, head.method == .GET)
        case .body: break
        case .end: report(to: context.channel)
        }
    }

    private func report(to channel: any Channel) {
        let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if isGet, parts[0] == path {
            let callback = LoopbackCallback(query: parts.count > 1 ? String(parts[1]) : "", channel: channel)
            if case .enqueued = arrived.yield(callback) { return }
        }
        _ = Self.respond(.notFound, "There is nothing here.", on: channel)
    }

    static func respond(_ status: HTTPResponseStatus, _ text: String, on channel: any Channel) -> EventLoopFuture<Void>
    {
        let line = text + "\n"
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(line.utf8.count)",
            "Cache-Control": "no-store", "Connection": "close",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: line))), promise: nil)
        let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        channel.close(promise: nil)
        return written
    }
}
#endif
