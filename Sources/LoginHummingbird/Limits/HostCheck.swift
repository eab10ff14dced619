// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// Refuses requests of HTTP/1.1 that do not have exactly one `Host` (RFC 9112 §3.2).
///
/// It stands before the codec of swift-http-types, which drops the version of HTTP. The server answers the error as it answers every
/// malformed request: 400, and the end of the connection.
final class HostCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    /// Forwards the parts of requests until one is refused.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), head.version != .http1_0, head.headers["host"].count != 1 {
            hasRefused = true
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        } else {
            context.fireChannelRead(data)
        }
    }
}
#endif
