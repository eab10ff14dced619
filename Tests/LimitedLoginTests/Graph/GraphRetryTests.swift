// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The requests that are retried, and those that are not.
@Suite struct GraphRetryTests {
    private static let path = "https://graph.facebook.com/v27.0/me/permissions"
    private static let nothing: StubTransport.Answer = .json(["data": []])

    let bench: GraphBench

    init() throws {
        bench = try GraphBench()
    }

    @Test(.rule("F6.13")) func `a transient error of a read is retried once after half a second`() async throws {
        bench.transport.answer(.get, Self.path, with: GraphBench.error(2, status: 500), Self.nothing)
        #expect(try await bench.graph.permissions(of: bench.token()).granted.isEmpty)
        #expect(bench.transport.requests.count == 2)
        #expect(bench.clock.slept == [.milliseconds(500)])
        #expect(bench.transport.requests.map(\.deadline) == [.seconds(10), .milliseconds(9500)])
    }

    @Test(.rule("F6.13")) func `a request is not retried twice`() async throws {
        bench.transport.answer(.get, Self.path, with: GraphBench.error(2), GraphBench.error(1), Self.nothing)
        let error = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) }
        #expect(error.category == .transient && error.code == 1)
        #expect(bench.transport.requests.count == 2)
    }

    @Test(.rule("F6.13")) func `a deletion is retried, because it is idempotent`() async throws {
        bench.transport.answer(.delete, Self.path, with: GraphBench.error(2), .json(GraphBench.success))
        try await bench.graph.revokeAll(of: bench.token())
        #expect(bench.transport.requests.map(\.method) == [.delete, .delete])
    }

    @Test(.rule("F6.13")) func `a post is sent once, whatever the response`() async throws {
        bench.answer("oauth/access_token", GraphBench.error(2, status: 500), method: .post)
        let error = try await bench.failure {
            _ = try await bench.graph.exchange(code: "c", redirectURL: "https://app.example/", verifier: "v")
        }
        #expect(error.category == .transient)
        #expect(bench.transport.requests.count == 1 && bench.clock.slept.isEmpty)
    }

    @Test(.rule("F6.13"), arguments: [3, 4, 10, 17, 77, 100, 102, 190, 200, 341, 368, 412, 613])
    func `no other error is retried`(code: Int) async throws {
        let error = try await bench.failure(GraphBench.error(.number("\(code)"), status: 500))
        #expect(error.category != .transient)
        #expect(bench.transport.requests.count == 1 && bench.clock.slept.isEmpty)
    }

    @Test(arguments: TransportFailure.Code.all)
    func `a server that does not respond is not asked again`(code: TransportFailure.Code) async throws {
        let error = try await bench.failure(.failure(code))
        #expect(error.category == .unavailable && error.status == nil && error.code == nil)
        #expect(error.detail.contains(code.rawValue))
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [(9, 2), (10, 1), (600, 1)])
    func `the client waits as long as Facebook states, within its deadline`(seconds: Int, count: Int) async throws {
        let head = [(name: "Retry-After", value: "\(seconds)")]
        let error = try await bench.failure(GraphBench.error(2, headers: head))
        #expect(error.category == .transient && error.retryAfter == .seconds(seconds))
        #expect(bench.transport.requests.count == count)
        #expect(bench.clock.slept == (count == 2 ? [.seconds(seconds)] : []))
    }

    @Test func `calls with a shared deadline have the remaining time, and at most their own`() async throws {
        let graph = bench.graph.ending(within: .seconds(20))
        bench.answer("me/permissions", Self.nothing)
        let start = bench.clock.now
        for moment: Duration in [.zero, .seconds(10), .seconds(12), .seconds(20), .seconds(25)] {
            try await bench.clock.sleep(until: start + moment, tolerance: nil)
            _ = try await graph.permissions(of: bench.token())
        }
        let expected: [Duration] = [.seconds(10), .seconds(10), .seconds(8), .zero, .zero]
        #expect(bench.transport.requests.map(\.deadline) == expected)
        // A client without the shared deadline has the whole time.
        _ = try await bench.graph.permissions(of: bench.token())
        #expect(bench.transport.requests.last?.deadline == .seconds(10))
    }

    @Test func `no retry starts after the shared deadline`() async throws {
        for (end, count) in [(Duration.milliseconds(501), 2), (.milliseconds(500), 1)] {
            let bench = try GraphBench()
            bench.answer("me/permissions", GraphBench.error(2))
            let graph = bench.graph.ending(within: end)
            let error = try await bench.failure { _ = try await graph.permissions(of: bench.token()) }
            #expect(error.category == .transient)
            #expect(bench.transport.requests.count == count)
        }
    }

    @Test(
        arguments: [
            (500, "transient", 2), (503, "transient", 2), (429, "throttle", 1), (404, "unavailable", 1),
            (401, "unavailable", 1), (301, "unavailable", 1), (200, "unavailable", 1), (204, "unavailable", 1),
        ],
        ["", "<html>", "[", #"{"error":"invalid"}"#, "{}", #"{"error":{},"error":{}}"#]
    )
    func `the status decides if the body has no readable error`(
        row: (status: Int, category: String, count: Int),
        body: String
    )
        async throws
    {
        let error = try await bench.failure(.json(.raw(body), status: row.status))
        #expect(error.category.rawValue == row.category && error.code == nil)
        #expect(bench.transport.requests.count == row.count)
    }

    @Test func `a compressed or too long response is not read`() async throws {
        let head = [(name: "Content-Encoding", value: "gzip")]
        #expect(try await bench.failure(.json(["data": []], headers: head)).category == .unavailable)
        let room = 256 * 1024 - #"{"data":[]}"#.utf8.count
        bench.answer("me/permissions", .json(.raw(#"{"data":[]}"# + String(repeating: " ", count: room))))
        _ = try await bench.graph.permissions(of: bench.token())
        let long = TestJSON.raw(#"{"data":[]}"# + String(repeating: " ", count: room + 1))
        #expect(try await bench.failure(.json(long)).category == .unavailable)
    }

    @Test func `a cancelled task ends its wait with the pending error`() async throws {
        let bench = bench
        bench.answer("me/permissions", GraphBench.error(2))
        bench.transport.shut(againstCancellation: true)
        let task = Task { try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) } }
        await bench.transport.requests(atLeast: 1)
        task.cancel()
        bench.transport.open()
        #expect([.transient, .unavailable].contains(try await task.value.category))
        #expect(bench.transport.requests.count == 1)
    }
}
