// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import NIOCore

/// Closes a connection that receives more bytes than a response within the limit can have.
///
/// It counts bytes on the network, TLS included. It thus limits what never reaches the reader of the body: endless
/// heads, interim responses and chunk extensions.
final class ByteBudget: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The number of bytes allowed beyond the body: 64 KiB, far more than the head of any web server's response.
    static let headBytes = 64 * 1024

    /// The number of bytes allowed for each byte of the body: 8.
    ///
    /// A chunk of one byte has 6 bytes (RFC 9112 §7.1), and TLS adds its own.
    static let bytesPerBodyByte = 8

    private var left: Int

    /// Creates a budget.
    ///
    /// - Parameter bodyLimit: The maximum size of the body in bytes.
    init(bodyLimit: Int) {
        let (product, overflows) = max(0, bodyLimit).multipliedReportingOverflow(by: Self.bytesPerBodyByte)
        let (sum, isTooMuch) = product.addingReportingOverflow(Self.headBytes)
        left = overflows || isTooMuch ? .max : sum
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let size = unwrapInboundIn(data).readableBytes
        guard size <= left else {
            left = 0
            context.fireErrorCaught(TransportFailure(.tooLarge, "the response exceeds the maximum size"))
            context.close(promise: nil)
            return
        }
        left -= size
        context.fireChannelRead(data)
    }
}
#endif
