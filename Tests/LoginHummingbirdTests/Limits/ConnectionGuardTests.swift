// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import HummingbirdCore
import LoginHummingbird
import LoginKeys
import LoginHTTP
import NIOCore
import NIOHTTPTypes
import Testing

@Suite struct ConnectionGuardTests {
    private static let body = HTTPRequestPart.body(ByteBuffer(string: "x"))

    private static func limits(_ change: (inout ConnectionLimits) -> Void) -> HTTP1Channel.Configuration {
        var limits = ConnectionLimits()
        change(&limits)
        return .guarded(by: limits)
    }

    /// Returns a request with connection options.
    private static func request(_ option: String) -> HTTPRequest {
        var request = GuardedConnection.get
        request.headerFields[.connection] = option
        return request
    }

    /// Returns whether a server accepts a new connection from an address.
    private static func accepts(_ server: HTTP1Channel.Configuration, _ address: String) throws -> Bool {
        try GuardedConnection(server, from: address).isOpen
    }

    // MARK: Heads

    @Test func `a connection without a request is closed after the head timeout, and not before`() throws {
        let connection = try GuardedConnection()
        connection.wait(.milliseconds(9_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `an incomplete head does not extend the head timeout`() throws {
        let connection = try GuardedConnection()
        for _ in 0..<9 {
            connection.wait(.seconds(1))
            // The decoder holds an incomplete head, and the TLS handler an incomplete handshake, so no part arrives.
            connection.receive()
        }
        #expect(connection.isOpen)
        connection.wait(.seconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `the head timeout ends with the first head, and is configurable`() throws {
        let connection = try GuardedConnection(Self.limits { $0.headTimeout = .seconds(3) })
        connection.wait(.milliseconds(2_999))
        connection.receive(.head(GuardedConnection.get), .end(nil))
        #expect(try connection.answer()?.headerFields[.connection] == nil)
        connection.wait(.seconds(60))
        #expect(connection.isOpen)

        let silent = try GuardedConnection(Self.limits { $0.headTimeout = .seconds(3) })
        silent.wait(.seconds(3))
        #expect(!silent.isOpen)
    }

    // MARK: Bodies

    @Test
    func `a request that is incomplete after the request timeout closes its connection, even if bytes arrive`()
        throws
    {
        let connection = try GuardedConnection()
        let piece = HTTPRequestPart.body(ByteBuffer(repeating: 0x78, count: 8 * 1024))
        connection.receive(.head(GuardedConnection.get))
        for _ in 0..<29 {
            connection.wait(.seconds(1))
            connection.receive(piece)
        }
        #expect(connection.isOpen)
        connection.wait(.seconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a body of which single bytes arrive closes its connection after five seconds`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get))
        for _ in 0..<4 {
            connection.wait(.seconds(1))
            connection.receive(Self.body)
        }
        connection.wait(.milliseconds(999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `4 KiB of a body extend its time by a second, also when they arrive together`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get), .body(ByteBuffer(repeating: 0x78, count: 8 * 1024)))
        connection.wait(.milliseconds(6_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a connection that waits is closed when too many wait after it, and one with a request is not`() throws {
        let server = Self.limits {
            $0.maximumPerNetwork = .max
            $0.maximumWaiting = 2
        }
        let (working, silent) = (try GuardedConnection(server), try GuardedConnection(server))
        working.receive(.head(GuardedConnection.get), .end(nil))
        let halfway = try GuardedConnection(server)
        halfway.receive(.head(GuardedConnection.get))
        #expect(working.isOpen && silent.isOpen && halfway.isOpen)
        let newest = try GuardedConnection(server)
        #expect(working.isOpen && !silent.isOpen && halfway.isOpen && newest.isOpen)
        // Its response makes it wait again, after those that are waiting.
        #expect(try working.answer()?.status == .ok)
        #expect(working.isOpen && !halfway.isOpen && newest.isOpen)
        newest.leave()
        let another = try GuardedConnection(server)
        #expect(working.isOpen && another.isOpen)
    }

    @Test func `a connection whose client does not read a response waits until the client reads again`() throws {
        let server = Self.limits {
            $0.maximumPerNetwork = .max
            $0.maximumWaiting = 1
        }
        let patient = try GuardedConnection(server)
        patient.receive(.head(GuardedConnection.get), .end(nil))
        #expect(try patient.begin() != nil)
        patient.setWritable(false)
        patient.setWritable(true)
        let other = try GuardedConnection(server)
        #expect(patient.isOpen && other.isOpen)
        patient.setWritable(false)
        #expect(patient.isOpen && !other.isOpen)
        let newest = try GuardedConnection(server)
        #expect(!patient.isOpen && newest.isOpen)
    }

    @Test(arguments: [(4096, true), (4095, false)])
    func `4 KiB of a body move its connection behind those that are silent`(bytes: Int, isMoved: Bool) throws {
        let server = Self.limits {
            $0.maximumPerNetwork = .max
            $0.maximumWaiting = 2
        }
        let (sending, silent) = (try GuardedConnection(server), try GuardedConnection(server))
        sending.receive(.head(GuardedConnection.get), .body(ByteBuffer(repeating: 0, count: bytes)))
        let newest = try GuardedConnection(server)
        #expect(sending.isOpen == isMoved && silent.isOpen == !isMoved && newest.isOpen)
    }

    @Test func `a request that is complete in time can be answered later, and the next one has the full timeout`()
        throws
    {
        let connection = try GuardedConnection(Self.limits { $0.requestTimeout = .seconds(5) })
        connection.receive(.head(GuardedConnection.get))
        connection.wait(.milliseconds(4_999))
        connection.receive(Self.body, .end(nil))
        connection.wait(.hours(1))
        #expect(connection.isOpen)
        #expect(try connection.answer()?.headerFields[.connection] == nil)
        #expect(connection.isOpen && !connection.isHalfClosed)
        // The next request has the whole time again.
        connection.receive(.head(GuardedConnection.get))
        connection.wait(.milliseconds(4_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `time in which the server does not read does not count towards the request timeout`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get))
        connection.wait(.seconds(2))
        connection.receive(Self.body, readsOn: false)
        connection.wait(.hours(1))
        #expect(connection.isOpen)
        connection.read()
        connection.wait(.milliseconds(2_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a response before the end of its request is the last one, and the rest of the request is discarded`()
        throws
    {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get), Self.body)
        #expect(try connection.answer()?.headerFields[.connection] == "close")
        #expect(connection.isHalfClosed)
        _ = try connection.forwarded()
        for _ in 0..<4 {
            connection.wait(.seconds(1))
            // The handlers above no longer read.
            connection.receive(Self.body, readsOn: false)
            #expect(connection.isReading, "what still comes is taken, so that the client sees the answer")
        }
        #expect(try connection.forwarded() == [])
        #expect(connection.isOpen)
        connection.wait(.seconds(1))
        #expect(!connection.isOpen)
    }

    @Test(arguments: [true, false])
    func `a CONNECT or upgrade request is the last of its connection, and nothing is read after it`(isTunnel: Bool)
        throws
    {
        let connection = try GuardedConnection()
        var request = GuardedConnection.get
        if isTunnel { request.method = .connect } else { request.headerFields[.upgrade] = "h2c" }
        connection.receive(.head(request), .end(nil))
        #expect(!connection.isReading)
        #expect(try connection.answer()?.headerFields[.connection] == "close")
        #expect(connection.isHalfClosed && !connection.isReading)
        connection.wait(.seconds(5))
        #expect(!connection.isOpen)
    }

    @Test func `an interim response does not close the connection`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get))
        #expect(try connection.begin(.continue)?.headerFields[.connection] == nil)
        connection.receive(Self.body, .end(nil))
        #expect(try connection.answer()?.headerFields[.connection] == nil)
        #expect(!connection.isHalfClosed)
    }

    @Test func `before its last response a connection reads only when a handler does`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get), readsOn: false)
        connection.receive(Self.body, readsOn: false)
        #expect(!connection.isReading)
    }

    @Test(arguments: ["close", "Close", "close, TE", "TE,CLOSE", "TE ,\tclose ,foo", "keep-alive, close"])
    func `a request with Connection: close is answered with Connection: close, and its connection is closed`(
        _ option: String
    ) throws {
        let connection = try GuardedConnection()
        connection.receive(.head(Self.request(option)), .end(nil))
        #expect(try connection.answer()?.headerFields[.connection] == "close")
        #expect(connection.isHalfClosed)
        connection.wait(.seconds(5))
        #expect(!connection.isOpen)
    }

    @Test(arguments: ["keep-alive", "TE", "closed", "not-close, TE", ""])
    func `other connection options keep the connection open`(_ option: String) throws {
        let connection = try GuardedConnection()
        connection.receive(.head(Self.request(option)), .end(nil))
        #expect(try connection.answer()?.headerFields[.connection] == nil)
        connection.wait(.seconds(60))
        #expect(connection.isOpen && !connection.isHalfClosed)
    }

    // MARK: Answers

    @Test func `a client that does not read its response is disconnected after the write timeout, another is not`()
        throws
    {
        let (deaf, slow) = (try GuardedConnection(), try GuardedConnection())
        for connection in [deaf, slow] {
            connection.receive(.head(GuardedConnection.get), .end(nil))
            _ = try connection.begin()
            connection.setWritable(false)
            connection.wait(.milliseconds(29_999))
            #expect(connection.isOpen)
        }
        slow.setWritable(true)
        for connection in [deaf, slow] { connection.wait(.milliseconds(1)) }
        #expect(!deaf.isOpen)
        slow.wait(.hours(1))
        #expect(slow.isOpen)
    }

    @Test func `the last response is sent completely, and the connection is closed five seconds later`()
        throws
    {
        let connection = try GuardedConnection()
        connection.isDeaf = true
        connection.receive(.head(Self.request("close")), .end(nil))
        #expect(try connection.answer()?.headerFields[.connection] == "close")
        connection.wait(.milliseconds(29_999))
        #expect(connection.isOpen && !connection.isHalfClosed)
        connection.isDeaf = false
        #expect(connection.isHalfClosed)
        connection.wait(.milliseconds(4_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a client that does not read the last response is disconnected after the write timeout`() throws {
        let connection = try GuardedConnection(Self.limits { $0.writeTimeout = .seconds(7) })
        connection.isDeaf = true
        connection.receive(.head(Self.request("close")), .end(nil))
        _ = try connection.answer()
        connection.wait(.milliseconds(6_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen && !connection.isHalfClosed)
    }

    @Test func `a client that reads most of the last response has the write timeout again for the rest`() throws {
        let connection = try GuardedConnection()
        connection.isDeaf = true
        connection.receive(.head(Self.request("close")), .end(nil))
        _ = try connection.answer()
        connection.setWritable(false)
        connection.wait(.seconds(20))
        connection.setWritable(true)
        connection.wait(.milliseconds(29_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `becoming writable after the last response does not keep the connection open`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(Self.request("close")), .end(nil))
        _ = try connection.answer()
        connection.setWritable(false)
        connection.setWritable(true)
        connection.wait(.milliseconds(4_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `the response to input that is no request is the last one, also behind pipelined requests`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get), .end(nil), .head(GuardedConnection.get), .end(nil))
        _ = try connection.answer()
        // Hummingbird responds to the parser's error before the next request is forwarded.
        #expect(try connection.answer(.badRequest)?.headerFields[.connection] == "close")
        #expect(connection.isHalfClosed)
        connection.wait(.seconds(5))
        #expect(!connection.isOpen)
    }

    @Test func `a pipelined request waits until the client has read the response before it`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get), .end(nil), .head(GuardedConnection.get), .end(nil))
        #expect(try connection.forwarded().count == 2)
        _ = try connection.begin()
        connection.setWritable(false)
        try connection.finish()
        connection.wait(.seconds(1))
        #expect(try connection.forwarded().isEmpty)
        connection.setWritable(true)
        connection.wait(.seconds(1))
        #expect(try connection.forwarded().count == 2)
    }

    @Test func `a client that pipelines and does not read gives way to one that connects`() throws {
        let server = Self.limits { $0.maximumWaiting = 1 }
        let deaf = try GuardedConnection(server, from: "192.0.2.1")
        deaf.receive(.head(GuardedConnection.get), .end(nil), .head(GuardedConnection.get), .end(nil))
        _ = try deaf.begin()
        deaf.setWritable(false)
        try deaf.finish()
        deaf.wait(.seconds(1))
        #expect(deaf.isOpen)
        let next = try GuardedConnection(server, from: "198.51.100.1")
        #expect(next.isOpen && !deaf.isOpen)
    }

    // MARK: Networks

    @Test func `connections are limited per network, and a closed connection makes room for another`()
        throws
    {
        let server = Self.limits { $0.maximumPerNetwork = 2 }
        let first = try GuardedConnection(server, from: "192.0.2.1")
        let second = try GuardedConnection(server, from: "::ffff:192.0.2.200")
        #expect(first.isOpen && second.isOpen)
        for _ in 0..<3 { #expect(try Self.accepts(server, "192.0.2.3") == false) }
        #expect(try Self.accepts(server, "192.0.3.1") == true)

        let sixth = try (0..<2).map { try GuardedConnection(server, from: "2001:db8:0:\($0)fff::1") }
        #expect(sixth.filter(\.isOpen).count == 2)
        #expect(try Self.accepts(server, "2001:db8:0:ffff::1") == false)
        #expect(try Self.accepts(server, "2001:db8:1::1") == true)

        first.leave()
        #expect(try Self.accepts(server, "192.0.2.3") == true)
        #expect(second.isOpen)
    }

    @Test func `the second half of all connections is reserved for networks with few connections`() throws {
        let server = Self.limits { $0.maximum = 40 }
        let first = try (0..<20).map { _ in try GuardedConnection(server, from: "192.0.2.1") }
        #expect(first.filter(\.isOpen).count == 20)
        #expect(try Self.accepts(server, "192.0.2.2") == false)
        let second = try (0..<10).map { _ in try GuardedConnection(server, from: "198.51.100.1") }
        #expect(second.filter(\.isOpen).count == 10)
        #expect(try Self.accepts(server, "198.51.100.2") == false)
        #expect(try Self.accepts(server, "203.0.113.1") == true)

        for connection in second + first.prefix(2) { connection.leave() }
        #expect(try Self.accepts(server, "192.0.2.2") == true)
    }

    @Test func `trusted proxies and Unix sockets are exempt from the limit per network`() throws {
        let server = Self.limits {
            $0.maximumPerNetwork = 1
            $0.trustedProxies = TrustedProxies([IPNetwork("192.0.2.1")].compactMap(\.self))
        }
        let proxies = try (0..<3).map { _ in try GuardedConnection(server, from: "192.0.2.1") }
        let local = try (0..<3).map { _ in try GuardedConnection(server, from: nil) }
        #expect((proxies + local).filter(\.isOpen).count == 6)
        let beside = try GuardedConnection(server, from: "192.0.2.2")
        #expect(beside.isOpen)
        #expect(try Self.accepts(server, "192.0.2.2") == false)
    }

    @Test func `each server counts only its own connections`() throws {
        let connections = try (0..<3).map { _ in try GuardedConnection(Self.limits { $0.maximumPerNetwork = 1 }) }
        #expect(connections.filter(\.isOpen).count == 3)
    }
}
#endif
