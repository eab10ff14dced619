// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Hummingbird
import NIOCore
import Testing

@testable import LoginHummingbird

/// The distinction between TCP connections and Unix sockets, whose peers count as proxies.
@Suite struct PeerAddressTests {
    private let server: SocketAddress
    private let path: SocketAddress

    init() throws {
        server = try SocketAddress(ipAddress: "192.0.2.2", port: 80)
        path = try SocketAddress(unixDomainSocketPath: "/run/login.sock")
    }

    @Test func `a closed TCP connection is not taken for one over a Unix socket, over HTTP/2 either`() {
        #expect(ApplicationRequestContextSource.isOverTCP([nil, server]))
        #expect(ApplicationRequestContextSource.isOverTCP([nil, nil, server]))
    }

    @Test func `a closed connection of a closed server is not taken for one over a Unix socket`() {
        #expect(ApplicationRequestContextSource.isOverTCP([nil, nil]))
    }

    @Test func `a connection over a Unix socket is one, open or closed`() {
        #expect(!ApplicationRequestContextSource.isOverTCP([path, path]))
        #expect(!ApplicationRequestContextSource.isOverTCP([nil, path]))
        #expect(!ApplicationRequestContextSource.isOverTCP([nil, nil, path]))
    }

    @Test func `a channel without a server, as in tests, is not over TCP`() {
        #expect(!ApplicationRequestContextSource.isOverTCP([nil]))
    }
}
#endif
