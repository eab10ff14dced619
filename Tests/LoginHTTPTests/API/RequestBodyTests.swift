// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import Logging
import LoginAccounts
import LoginTokens
import Synchronization
import Testing

@testable import LoginHTTP

/// Bodies that arrive slowly, are aborted, never end, or are too many.
@Suite struct RequestBodyTests {
    /// Returns a request with a body, of a client behind a trusted proxy on a Unix socket.
    private func request(
        _ body: ServerRequest.Body,
        from address: String? = nil,
        bodies: SharedPlaces = .bodies()
    ) -> Visit {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        head.headerFields[.xForwardedFor] = address
        let request = ServerRequest(head, from: .unixSocket, body: body, logger: Logger(label: "test"))
        return Visit(request, proxies: TrustedProxies([]), bodies: bodies)
    }

    /// Returns a body of these pieces, the last of which a failure may follow.
    private func pieces(_ texts: String..., failure: (any Error)? = nil) -> ServerRequest.Body {
        let (stream, source) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        for text in texts { source.yield(Array(text.utf8)) }
        source.finish(throwing: failure)
        return ServerRequest.Body(stream)
    }

    private struct Broken: Error {}

    @Test func `a body in several pieces is read completely`() async throws {
        #expect(try await request(pieces("a", "bc", "d")).body(upTo: 4) == Array("abcd".utf8))
    }

    @Test func `a body that does not arrive in time is refused, and the connection is closed`() async throws {
        let slow = request(
            ServerRequest.Body(
                AsyncStream(unfolding: {
                    try? await Task.sleep(for: .milliseconds(30))
                    return Array("a".utf8)
                })
            )
        )
        let problem = await #expect(throws: Problem.self) {
            _ = try await slow.body(upTo: 1000, within: .milliseconds(20))
        }
        #expect(problem?.code == .invalidRequest && problem.map(closes) == true)
    }

    /// Whether the connection is closed after the response to a problem.
    private func closes(_ problem: Problem) -> Bool { problem.response(requestID: "", base: nil).closesConnection }

    @Test func `a body that is read twice is an error, because the next bytes are those of another request`()
        async throws
    {
        let once = request(pieces("abcd"))
        #expect(try await once.body(upTo: 4) == Array("abcd".utf8))
        let problem = await #expect(throws: Problem.self) { _ = try await once.body(upTo: 4) }
        #expect(problem?.code == ProblemCode(.internalError))
        let arrived = request(ServerRequest.Body(Array("abcd".utf8)))
        for _ in 0..<2 { #expect(try await arrived.body(upTo: 4) == Array("abcd".utf8)) }
    }

    @Test(arguments: ["3", "5"])
    func `a body whose length is not the declared one is an invalid request`(length: String) async throws {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        head.headerFields[.contentLength] = length
        let request = ServerRequest(head, from: .unixSocket, body: pieces("abcd"), logger: Logger(label: "test"))
        let problem = await #expect(throws: Problem.self) {
            _ = try await Visit(request, proxies: .none, bodies: nil).body(upTo: 10)
        }
        #expect(problem?.code == .invalidRequest && problem.map(closes) == true)
    }

    @Test func `a body that is aborted is an invalid request`() async throws {
        let problem = await #expect(throws: Problem.self) {
            _ = try await request(pieces(failure: Broken())).body(upTo: 4)
        }
        #expect(problem?.code == .invalidRequest && problem.map(closes) == true)
    }

    @Test func `a body that is too long is refused, and the connection is closed`() async throws {
        #expect(try await request(pieces("abcd")).body(upTo: 4) == Array("abcd".utf8))
        for body in [pieces("abcd"), pieces("ab", "cd")] {
            let problem = await #expect(throws: Problem.self) { _ = try await request(body).body(upTo: 3) }
            #expect(problem?.code == .tooLarge && problem.map(closes) == true)
        }
    }

    @Test func `a body of a network that has too many is refused unread, and read when one of them is complete`()
        async throws
    {
        let bodies = SharedPlaces.bodies()
        let network = request(.empty, from: "192.0.2.1", bodies: bodies).origin.addressPrefix
        for _ in 0..<Limits.bodiesPerNetwork { #expect(bodies.take(network)) }
        let unread = ServerRequest.Body(
            AsyncStream(unfolding: { () -> [UInt8]? in
                Issue.record("the body is read")
                return nil
            })
        )
        // Another client of the network shares its places.
        for client in ["192.0.2.1", "192.0.2.77"] {
            let refused = request(unread, from: client, bodies: bodies)
            let problem = await #expect(throws: Problem.self) { _ = try await refused.body(upTo: 4) }
            #expect(problem?.code == ProblemCode(.tooManyRequests) && problem?.headers[.retryAfter] == "5")
            #expect(problem.map(closes) == true)
        }
        let other = request(pieces("abcd"), from: "198.51.100.1", bodies: bodies)
        #expect(try await other.body(upTo: 4) == Array("abcd".utf8))
        bodies.free(network)
        let slow = request(pieces("abcd"), from: "192.0.2.1", bodies: bodies)
        #expect(try await slow.body(upTo: 4) == Array("abcd".utf8))
    }

    /// Returns the bodies of a server in which the network of a client has a single place left.
    private func bodiesWithOnePlace(for client: String) throws -> SharedPlaces {
        let bodies = SharedPlaces.bodies()
        let network = request(.empty, from: client, bodies: bodies).origin.addressPrefix
        for _ in 1..<Limits.bodiesPerNetwork { try #require(bodies.take(network)) }
        return bodies
    }

    @Test func `a body holds its place while it is read`() async throws {
        let client = "192.0.2.1"
        let bodies = try bodiesWithOnePlace(for: client)
        let reads = Mutex(0)
        let slow = request(
            ServerRequest.Body(
                AsyncStream(unfolding: { () -> [UInt8]? in
                    let isFirst = reads.withLock { reads in
                        reads += 1
                        return reads == 1
                    }
                    guard isFirst else { return nil }
                    let second = request(pieces("abcd"), from: client, bodies: bodies)
                    await #expect(throws: Problem.self) { _ = try await second.body(upTo: 4) }
                    return Array("ab".utf8)
                })
            ),
            from: client,
            bodies: bodies
        )
        #expect(try await slow.body(upTo: 4) == Array("ab".utf8))
        let next = request(pieces("abcd"), from: client, bodies: bodies)
        #expect(try await next.body(upTo: 4) == Array("abcd".utf8))
    }

    @Test func `a body that fails or is too long gives back its place`() async throws {
        let client = "192.0.2.1"
        let bodies = try bodiesWithOnePlace(for: client)
        for _ in 0..<3 {
            for (body, limit) in [(pieces(failure: Broken()), 4), (pieces("abcd"), 3)] {
                let failing = request(body, from: client, bodies: bodies)
                await #expect(throws: Problem.self) { _ = try await failing.body(upTo: limit) }
            }
            let whole = request(pieces("abcd"), from: client, bodies: bodies)
            #expect(try await whole.body(upTo: 4) == Array("abcd".utf8))
        }
    }
}
#endif
