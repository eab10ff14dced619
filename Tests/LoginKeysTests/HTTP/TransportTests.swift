// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

struct TransportTests {
    private let transport = AsyncHTTPClientTransport()

    @Test(arguments: [TransportRequest.Method.get, .post, .delete], [[], Array("a=1\0\r\n\r\n".utf8)])
    func `method, headers and body of a request arrive unchanged`(method: TransportRequest.Method, body: [UInt8])
        async throws
    {
        try await ScriptedServer.run { server in
            server.answer(with: .respond())
            let fields = [("Accept", "application/json"), ("X-Twice", "1"), ("x-twice", "a\tb")].map {
                (name: $0, value: $1)
            }
            let request = try TransportRequest(server.url("/p"), method: method, headers: fields, body: body)
            _ = try await transport.send(request)
            let received = try #require(server.requests.first)
            #expect(received.method == method.rawValue)
            #expect(received.target == "/p")
            #expect(received.body == body)
            #expect(received.values(of: "Host") == ["127.0.0.1:\(server.port)"])
            #expect(received.values(of: "Accept") == ["application/json"])
            #expect(received.values(of: "X-Twice") == ["1", "a\tb"])
            #expect(received.values(of: "Accept-Encoding") == ["identity"])
            #expect(received.values(of: "Connection") == ["close"])
            #expect(received.values(of: "User-Agent") == ["limited-login"])
            #expect(received.values(of: "Transfer-Encoding").isEmpty)
            #expect(server.requestCount() == 1)
        }
    }

    @Test(arguments: [
        "/", "/?", "/a/../b/./c", "//double//", "/%2e%2E/%00%ff", "/a;b=c,d:e@f!$&'()*+", "/a?b=c&d=%26?/:@",
        "/~user/-._",
    ])
    func `path and query of a URL arrive unchanged`(target: String) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond())
            _ = try await transport.send(try TransportRequest(server.url(target)))
            #expect(server.requests.map(\.target) == [target])
        }
    }

    @Test(arguments: [200, 201, 204, 304, 400, 401, 404, 429, 500, 503, 599])
    func `a response with any status is returned`(status: Int) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(status: status, headers: ["ETag: x", "a: 1", "A: 2"]))
            let response = try await transport.send(try TransportRequest(server.url()))
            #expect(response.status == status)
            #expect(response.values(of: "a") == ["1", "2"])
            #expect(response.values(of: "etag") == ["x"])
            #expect(response.body == [])
        }
    }

    @Test func `a body with Content-Encoding is returned without decompression`() async throws {
        try await ScriptedServer.run { server in
            let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            server.answer(with: .respond(headers: ["Content-Encoding: gzip"], body: gzip))
            let response = try await transport.send(try TransportRequest(server.url()))
            #expect(response.body == gzip)
            #expect(response.values(of: "content-encoding") == ["gzip"])
        }
    }

    @Test func `informational responses are skipped`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .send("HTTP/1.1 103 Early\r\na: 1\r\n\r\n") + .respond(body: [7]))
            let response = try await transport.send(try TransportRequest(server.url()))
            #expect(response.status == 200)
            #expect(response.body == [7])
            #expect(response.values(of: "a") == [])
        }
    }

    @Test(.rule("T-153"), arguments: [300, 301, 302, 303, 305, 307, 308])
    func `a redirect is returned and not followed`(status: Int) async throws {
        try await ScriptedServer.run { server in
            try await ScriptedServer.run { other in
                server.answer(with: .redirect(to: other.url("/there"), status: status))
                let response = try await transport.send(try TransportRequest(server.url()))
                #expect(response.status == status)
                #expect(response.values(of: "location") == [other.url("/there")])
                #expect(server.requestCount() == 1)
                #expect(other.connectionCount == 0)
            }
        }
    }

    @Test(
        .rule("T-159"),
        arguments: [
            ("a", "b\r\nc: d"), ("a", "b\nc"), ("a", "b\rc"), ("a", "b\0c"), ("a", "\u{7F}"), ("a\r\nb", "c"),
            ("a b", "c"),
            ("a:", "c"), ("", "c"), ("ä", "c"), ("Host", "elsewhere"), ("Content-Length", "0"),
            ("transfer-encoding", "chunked"),
            ("Connection", "keep-alive"), ("Accept-Encoding", "gzip"), ("Expect", "100-continue"), ("Upgrade", "h2c"),
        ]
    )
    func `a header that would change the framing of the request is refused before it is sent`(
        name: String,
        value: String
    ) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond())
            let request = try TransportRequest(server.url(), headers: [(name: name, value: value)])
            await expectFailure(.url, request)
            #expect(server.connectionCount == 0)
        }
    }

    @Test func `each request has a connection of its own`() async throws {
        try await ScriptedServer.run { server in
            server.answer("/good", with: .respond(body: [1]))
            server.answer("/kept", with: .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx") + .stall)
            server.answer("/endless", with: .head() + .flood("x"))
            for _ in 0..<3 {
                _ = try await transport.send(try TransportRequest(server.url("/good")))
                _ = try await transport.send(try TransportRequest(server.url("/kept")))
                await expectFailure(.tooLarge, try TransportRequest(server.url("/endless")))
            }
            #expect(server.connectionCount == 9)
            try await server.expectAllClosed()
        }
    }

    @Test func `a cancelled request ends at once, and its connection is closed`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond())
            server.hold()
            let request = try TransportRequest(server.url(), deadline: .seconds(60))
            let start = ContinuousClock.now
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await expectFailure(.interrupted, request) }
                await #expect(throws: Never.self) { try await server.waitForRequests(1) }
                group.cancelAll()
            }
            #expect(ContinuousClock.now - start < .seconds(30))
            try await server.expectAllClosed()
        }
    }

    @Test func `a request in a cancelled task is not sent`() async throws {
        try await ScriptedServer.run { server in
            let request = try TransportRequest(server.url(), deadline: .seconds(60))
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { await expectFailure(.interrupted, request) }
            }
            try await server.expectAllClosed()
            #expect(server.requestCount() == 0)
        }
    }
}
#endif
