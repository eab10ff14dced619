// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HummingbirdCore
import LoginHummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@Suite struct HostCheckTests {
    /// The parts that reach Hummingbird's handlers.
    private static func parts(_ request: String) throws -> Int {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false,
            withErrorHandling: false
        )
        try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try channel.pipeline.syncOperations.addHandlers(
            HTTP1Channel.Configuration.guarded().additionalChannelHandlers()
        )
        channel.pipeline.fireChannelActive()
        try channel.writeInbound(ByteBuffer(string: request))
        var parts = 0
        while try channel.readInbound(as: HTTPRequestPart.self) != nil { parts += 1 }
        return parts
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nhOST: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n",
    ])
    func `a request with one Host passes, and one of HTTP/1.0 without`(_ request: String) throws {
        #expect(try Self.parts(request) == 2)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHosts: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nhost: example.com\r\n\r\n",
        "GET http://localhost/ HTTP/1.1\r\n\r\n",
    ])
    func `a request of HTTP/1.1 without Host, or with two, is malformed`(_ request: String) {
        #expect(throws: HTTPParserError.invalidHeaderToken) { try Self.parts(request) }
        #expect(throws: HTTPParserError.invalidHeaderToken) {
            try Self.parts(request + "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
    }
}
#endif
