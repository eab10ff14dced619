// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import Logging
import LoginAccounts
import LoginTokens
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import LoginHummingbird

/// Bodies that arrive slowly, are aborted, never end, or are too many.
@Suite struct RequestBodyTests {
    private func request(_ body: RequestBody) -> Request {
        Request(head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"), body: body)
    }

    /// Returns a client behind a trusted proxy on a Unix socket.
    private func client(_ address: String? = nil, bodies: SharedPlaces? = nil) -> RequestLogin {
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "test"))
        let middleware = OriginMiddleware<BasicLoginRequestContext>(
            trustedProxies: TrustedProxies([]),
            bodies: bodies ?? .bodies(connections: nil)
        )
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        head.headerFields[.xForwardedFor] = address
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return middleware.identified(BasicLoginRequestContext(source: source), request).login
    }

    private struct Broken: Error {}

    @Test func `a body in several pieces is read completely`() async throws {
        let (body, source) = RequestBody.makeStream()
        async let read = request(body).bytes(upTo: 4, from: client())
        for piece in ["a", "bc", "d"] { await source.yield(ByteBuffer(string: piece)) }
        source.finish()
        #expect(try await read == Array("abcd".utf8))
    }

    @Test func `a body that does not arrive in time is refused, and the connection is closed`() async throws {
        let (body, source) = RequestBody.makeStream()
        let drip = Task {
            for _ in 0..<4 {
                await source.yield(ByteBuffer(string: "a"))
                try await Task.sleep(for: .seconds(1))
            }
            source.finish()
        }
        let problem = await #expect(throws: Problem.self) {
            _ = try await request(body).bytes(upTo: 4, from: client(), within: .milliseconds(20))
        }
        #expect(problem?.code == .invalidRequest && problem?.headers[.connection] == "close")
        try await drip.value
    }

    @Test func `a body that is aborted is an invalid request`() async throws {
        let (body, source) = RequestBody.makeStream()
        source.finish(Broken())
        let problem = await #expect(throws: Problem.self) { _ = try await request(body).bytes(upTo: 4, from: client()) }
        #expect(problem?.code == .invalidRequest)
    }

    @Test func `a body that is too long is refused, and the connection is closed`() async throws {
        let whole = request(RequestBody(buffer: ByteBuffer(string: "abcd")))
        #expect(try await whole.bytes(upTo: 4, from: client()) == Array("abcd".utf8))
        let problem = await #expect(throws: Problem.self) { _ = try await whole.bytes(upTo: 3, from: client()) }
        #expect(problem?.code == .tooLarge && problem?.headers[.connection] == "close")
    }

    @Test func `a body of a network that has too many is refused unread, and read when one of them is complete`()
        async throws
    {
        let bodies = SharedPlaces.bodies(connections: nil)
        let (slow, other) = (client("192.0.2.1", bodies: bodies), client("198.51.100.1", bodies: bodies))
        for _ in 0..<Limits.bodiesPerNetwork { #expect(bodies.take(slow.origin.addressPrefix)) }
        let unread = request(
            RequestBody(
                asyncSequence: AsyncStream(unfolding: { () -> ByteBuffer? in
                    Issue.record("the body is read")
                    return nil
                })
            )
        )
        // Another client of the network shares its places.
        for client in [slow, client("192.0.2.77", bodies: bodies)] {
            let problem = await #expect(throws: Problem.self) { _ = try await unread.bytes(upTo: 4, from: client) }
            #expect(problem?.code == ProblemCode(.tooManyRequests) && problem?.headers[.retryAfter] == "5")
            #expect(problem?.headers[.connection] == "close")
        }
        let whole = request(RequestBody(buffer: ByteBuffer(string: "abcd")))
        #expect(try await whole.bytes(upTo: 4, from: other) == Array("abcd".utf8))
        bodies.free(slow.origin.addressPrefix)
        #expect(try await whole.bytes(upTo: 4, from: slow) == Array("abcd".utf8))
    }

    /// Returns a client whose network has a single place left.
    private func clientWithOnePlace() throws -> RequestLogin {
        let bodies = SharedPlaces.bodies(connections: nil)
        let client = self.client("192.0.2.1", bodies: bodies)
        for _ in 1..<Limits.bodiesPerNetwork { try #require(bodies.take(client.origin.addressPrefix)) }
        return client
    }

    @Test func `a body holds its place while it is read`() async throws {
        let one = try clientWithOnePlace()
        let whole = request(RequestBody(buffer: ByteBuffer(string: "abcd")))
        let reads = Mutex(0)
        let slow = request(
            RequestBody(
                asyncSequence: AsyncStream(unfolding: { () -> ByteBuffer? in
                    let isFirst = reads.withLock { reads in
                        reads += 1
                        return reads == 1
                    }
                    guard isFirst else { return nil }
                    await #expect(throws: Problem.self) { _ = try await whole.bytes(upTo: 4, from: one) }
                    return ByteBuffer(string: "ab")
                })
            )
        )
        #expect(try await slow.bytes(upTo: 4, from: one) == Array("ab".utf8))
        #expect(try await whole.bytes(upTo: 4, from: one) == Array("abcd".utf8))
    }

    @Test func `a body that fails or is too long gives back its place`() async throws {
        let one = try clientWithOnePlace()
        let whole = request(RequestBody(buffer: ByteBuffer(string: "abcd")))
        for _ in 0..<3 {
            let (body, source) = RequestBody.makeStream()
            source.finish(Broken())
            await #expect(throws: Problem.self) { _ = try await request(body).bytes(upTo: 4, from: one) }
            await #expect(throws: Problem.self) { _ = try await whole.bytes(upTo: 3, from: one) }
            #expect(try await whole.bytes(upTo: 4, from: one) == Array("abcd".utf8))
        }
    }
}
#endif
