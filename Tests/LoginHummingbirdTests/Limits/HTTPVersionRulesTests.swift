// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import HummingbirdCore
import LoginHummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@Suite struct HTTPVersionRulesTests {
    /// Returns the parts that reach Hummingbird's handlers.
    private static func parts(_ request: String) throws -> [HTTPRequestPart] {
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
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return parts
    }

    /// Returns the connection options of a request as it reaches Hummingbird's handlers.
    private static func options(_ request: String) throws -> String? {
        guard case .head(let head)? = try parts(request).first else { return nil }
        return head.headerFields[.connection]
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nhOST: localhost\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n",
    ])
    func `a request with one Host field is accepted, and an HTTP/1.0 request without one`(_ request: String) throws {
        #expect(try Self.parts(request).count == 2)
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHosts: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nhost: example.com\r\n\r\n",
        "GET http://localhost/ HTTP/1.1\r\n\r\n",
    ])
    func `a request without exactly one Host, or with another transfer coding than chunked, is malformed`(
        _ request: String
    ) {
        #expect(throws: HTTPParserError.invalidHeaderToken) { try Self.parts(request) }
        #expect(throws: HTTPParserError.invalidHeaderToken) {
            try Self.parts(request + "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: TE\r\n\r\n", "GET / HTTP/1.0\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: TE\r\nConnection: keep-alives\r\n\r\n",
    ])
    func `an HTTP/1.0 request without keep-alive closes its connection`(_ request: String) throws {
        #expect(try Self.options(request) == "close")
    }

    @Test(arguments: ["keep-alive", "Keep-Alive", "TE, keep-alive", "keep-alive,TE"])
    func `an HTTP/1.0 request with keep-alive is passed on unchanged`(_ option: String) throws {
        #expect(try Self.options("GET / HTTP/1.0\r\nConnection: \(option)\r\n\r\n") == option)
    }

    @Test func `an HTTP/1.1 request is passed on with its connection options`() throws {
        let request = "GET / HTTP/1.1\r\nHost: localhost\r\n"
        #expect(try Self.options(request + "\r\n") == nil)
        #expect(try Self.options(request + "Connection: TE\r\n\r\n") == "TE")
    }
}
#endif
