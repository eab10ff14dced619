// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Testing

@Suite struct ConnectionShutdownTests {
    private static func used() throws -> GuardedConnection {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get), .end(nil))
        _ = try connection.answer()
        _ = try connection.forwarded()
        return connection
    }

    @Test func `a request that is unread at shutdown is answered, as the last of its connection`()
        throws
    {
        let connection = try Self.used()
        connection.shutDown()
        #expect(connection.isOpen && connection.isReading)
        connection.wait(.milliseconds(999))
        connection.receive(.head(GuardedConnection.get), .end(nil))
        #expect(try connection.forwarded().count == 2)
        // The handler may take its time.
        connection.wait(.seconds(20))
        #expect(try connection.answer()?.headerFields[.connection] == "close")
        #expect(connection.isHalfClosed)
        connection.wait(.seconds(5))
        #expect(!connection.isOpen)
    }

    @Test func `an idle connection is closed one second after the shutdown begins, whether it was used or not`() throws
    {
        for connection in [try Self.used(), try GuardedConnection()] {
            connection.shutDown()
            connection.wait(.milliseconds(999))
            #expect(connection.isOpen)
            connection.wait(.milliseconds(1))
            #expect(!connection.isOpen)
        }
    }

    @Test func `a response that is still on its way at shutdown is sent before the connection is closed`() throws {
        let connection = try Self.used()
        connection.isDeaf = true
        connection.shutDown()
        connection.wait(.seconds(2))
        #expect(connection.isOpen && !connection.isHalfClosed)
        connection.isDeaf = false
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a partly received request has five seconds to complete after the shutdown begins`() throws {
        let (late, inTime) = (try GuardedConnection(), try GuardedConnection())
        for connection in [late, inTime] {
            connection.receive(.head(GuardedConnection.get))
            connection.receive(.body(ByteBuffer(repeating: 0, count: 64 * 1024)))  // fast enough for 21 seconds
            connection.wait(.seconds(7))
            connection.shutDown()
            connection.wait(.milliseconds(4_999))
            #expect(connection.isOpen)
        }
        inTime.receive(.end(nil))
        for connection in [late, inTime] { connection.wait(.milliseconds(1)) }
        #expect(!late.isOpen)
        #expect(try inTime.answer()?.headerFields[.connection] == "close")
        #expect(inTime.isHalfClosed)
    }

    @Test func `the shutdown does not extend the request timeout`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get))
        connection.receive(.body(ByteBuffer(repeating: 0, count: 128 * 1024)))  // fast enough for 37 seconds
        connection.wait(.seconds(28))
        connection.shutDown()
        connection.wait(.milliseconds(1_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `a request whose head arrives during the shutdown has five seconds to complete`() throws {
        let connection = try Self.used()
        connection.shutDown()
        connection.receive(.head(GuardedConnection.get))
        connection.wait(.milliseconds(4_999))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test func `after a response that began before the shutdown one more request is answered`() throws {
        let connection = try GuardedConnection()
        connection.receive(.head(GuardedConnection.get), .end(nil))
        #expect(try connection.begin()?.headerFields[.connection] == nil)
        connection.shutDown()
        connection.wait(.seconds(10))
        try connection.finish()
        #expect(connection.isOpen && !connection.isHalfClosed && connection.isReading)
        connection.receive(.head(GuardedConnection.get), .end(nil))
        #expect(try connection.answer()?.headerFields[.connection] == "close")
        #expect(connection.isHalfClosed)
    }

    @Test func `pipelined requests that were read before the shutdown are answered, and no more is read`()
        throws
    {
        let connection = try GuardedConnection()
        connection.receive(
            .head(GuardedConnection.get),
            .end(nil),
            .head(GuardedConnection.get),
            .end(nil)
        )
        connection.shutDown()
        #expect(try connection.answer()?.headerFields[.connection] == nil)
        connection.wait(.milliseconds(1))
        #expect(try connection.forwarded().count == 4)
        connection.read()
        #expect(!connection.isReading)
        #expect(try connection.answer()?.headerFields[.connection] == "close")
        #expect(connection.isHalfClosed)
    }
}
#endif
