// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import LoginHummingbird

/// Bodies that arrive slowly, are aborted, or never end.
@Suite struct RequestBodyTests {
    private func request(_ body: RequestBody) -> Request {
        Request(head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"), body: body)
    }

    private struct Broken: Error {}

    @Test func `a body in several pieces is read completely`() async throws {
        let (body, source) = RequestBody.makeStream()
        async let read = request(body).bytes(upTo: 4)
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
            _ = try await request(body).bytes(upTo: 4, within: .milliseconds(20))
        }
        #expect(problem?.code == .invalidRequest && problem?.headers[.connection] == "close")
        try await drip.value
    }

    @Test func `a body that is aborted is an invalid request`() async throws {
        let (body, source) = RequestBody.makeStream()
        source.finish(Broken())
        let problem = await #expect(throws: Problem.self) { _ = try await request(body).bytes(upTo: 4) }
        #expect(problem?.code == .invalidRequest)
    }

    @Test func `a body that is too long is refused, and the connection is closed`() async throws {
        let whole = request(RequestBody(buffer: ByteBuffer(string: "abcd")))
        #expect(try await whole.bytes(upTo: 4) == Array("abcd".utf8))
        let problem = await #expect(throws: Problem.self) { _ = try await whole.bytes(upTo: 3) }
        #expect(problem?.code == .tooLarge && problem?.headers[.connection] == "close")
    }
}
#endif
