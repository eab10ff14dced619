// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// Applies the rules for requests that depend on the HTTP version.
///
/// A request of HTTP/1.1 that does not have exactly one `Host` is rejected (RFC 9112 §3.2), like every malformed
/// request: with status 400 and a closed connection. A request of HTTP/1.0 without the connection option `keep-alive`
/// gets `Connection: close`, which it implies (RFC 9112 §9.3). A transfer coding other than `chunked`, or any with
/// HTTP/1.0, is rejected: a proxy may read the length of such a body differently (RFC 9112 §6.1).
///
/// The handler is placed before the codec of swift-http-types, which drops the version.
final class HTTPVersionRules: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    /// Forwards the parts of requests until one is rejected.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        guard hasValidFraming(head), head.version == .http1_0 || head.headers["host"].count == 1 else {
            hasRefused = true
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            return
        }
        let options = head.headers[canonicalForm: "connection"]
        if head.version == .http1_0, !options.contains(where: { $0.lowercased() == "keep-alive" }) {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func hasValidFraming(_ head: HTTPRequestHead) -> Bool {
        let codings = head.headers["transfer-encoding"]
        return codings.isEmpty || (head.version == .http1_1 && codings.map { $0.lowercased() } == ["chunked"])
    }
}
#endif
