// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import NIOCore

/// Ends a connection that brings more bytes than any answer within the limit can have.
///
/// It counts what comes over the network: heads without end, one preliminary answer after the other, or endless extensions of
/// chunks never reach whoever reads the body.
final class ByteBudget: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What an answer may have beyond its body: 64 KiB, far more than any web server takes or sends as a head.
    static let headBytes = 64 * 1024

    /// How many bytes one byte of the body may cost: 8, because in chunks of one byte it costs 6 (RFC 9112 §7.1), and TLS adds
    /// its own.
    static let bytesPerBodyByte = 8

    private var left: Int

    /// - Parameter bodyLimit: How much of the body is read, in bytes.
    init(bodyLimit: Int) {
        let (product, overflows) = max(0, bodyLimit).multipliedReportingOverflow(by: Self.bytesPerBodyByte)
        let (sum, isTooMuch) = product.addingReportingOverflow(Self.headBytes)
        left = overflows || isTooMuch ? .max : sum
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let size = unwrapInboundIn(data).readableBytes
        guard size <= left else {
            left = 0
            context.fireErrorCaught(TransportFailure(.tooLarge, "the answer has far more bytes than its body may have"))
            context.close(promise: nil)
            return
        }
        left -= size
        context.fireChannelRead(data)
    }
}
#endif
