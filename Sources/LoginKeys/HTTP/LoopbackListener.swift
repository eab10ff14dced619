// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A listener on a loopback address of this machine, which receives the authorization response of a login in the
/// browser of the same machine (RFC 8252 §7.3).
///
/// ```swift
/// let outcome = try await LoopbackListener.run { listener in
///     let login = try NativeAppLogin(
///         provider: provider, metadata: metadata, clientID: "tool", redirectURL: listener.redirectURL, nonce: nonce)
///     print("Open \(login.url)")
///     return try await listener.response { query in
///         try await login.outcome(of: LoginCallback(query: query), transport: transport)
///     }
/// }
/// ```
///
/// `NativeAppLogin` is in LoginProviders, which has the rules of the flow and opens no sockets; this module has those of
/// the package. The listener needs the trait `HTTPClient`.
///
/// Any page in the browser, and any program of this machine, can send a response: the closure that judges it must check
/// the state, as `NativeAppLogin` does.
public struct LoopbackListener: Sendable {
    /// The redirect URI, for example `http://127.0.0.1:49152/callback`.
    ///
    /// A provider must accept any port for a loopback address (RFC 8252 §7.3); with one that does not, register a fixed
    /// port.
    public let redirectURL: String

    private let callbacks: AsyncStream<LoopbackCallback>
    private let arrived: AsyncStream<LoopbackCallback>.Continuation
    private let channel: any Channel

    private static let path = "/callback"

    /// Listens while `body` runs.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - body: A closure that receives the listener. When it returns, the port is closed.
    /// - Returns: The result of `body`.
    /// - Throws: Rethrows errors of `body`; `TransportFailure` with the code `connection` if the port is not available.
    public static func run<Result>(
        port: Int = 0,
        _ body: (LoopbackListener) async throws -> Result
    ) async throws -> Result {
        let listener = try await LoopbackListener(port: port)
        do {
            let result = try await body(listener)
            await listener.close()
            return result
        } catch {
            await listener.close()
            throw error
        }
    }

    private init(port: Int) async throws(TransportFailure) {
        let (callbacks, arrived) = AsyncStream.makeStream(
            of: LoopbackCallback.self,
            bufferingPolicy: .bufferingOldest(16)
        )
        do {
            channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        try channel.pipeline.syncOperations.addHandler(
                            CallbackHandler(path: Self.path, arrived: arrived)
                        )
                    }
                }
                .bind(host: "127.0.0.1", port: port)
                .get()
        } catch {
            throw TransportFailure(.connection, "cannot listen on port \(port) of 127.0.0.1")
        }
        (self.callbacks, self.arrived) = (callbacks, arrived)
        redirectURL = "http://127.0.0.1:\(channel.localAddress?.port ?? port)\(Self.path)"
    }

    /// Waits for an authorization response.
    ///
    /// The browser gets its page once the response is judged.
    ///
    /// - Parameters:
    ///   - time: The time to wait.
    ///   - judge: A closure that receives the query of each request for the redirect URI, one after the other, and
    ///     returns the result of the login; nil if the request belongs to another login, which is then refused.
    /// - Returns: The result; nil if there was none in time, or if the task was cancelled.
    /// - Throws: Rethrows errors of `judge`, after the browser was told that the login failed.
    public func response<Value, Failure: Error>(
        within time: Duration = .seconds(300),
        _ judge: (_ query: String) async throws(Failure) -> Value?
    ) async throws(Failure) -> Value? {
        let timeout = channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [arrived] in arrived.finish() }
        defer { timeout.cancel() }
        for await callback in callbacks {
            let result: Value?
            do throws(Failure) {
                result = try await judge(callback.query)
            } catch {
                await callback.answer(.badRequest, "The login failed. The application shows the reason.")
                throw error
            }
            if let result {
                await callback.answer(.ok, "You can close this window, and return to the application.")
                return result
            }
            await callback.answer(.badRequest, "This is not the login that the application waits for.")
        }
        return nil
    }

    private func close() async { try? await channel.close() }
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
