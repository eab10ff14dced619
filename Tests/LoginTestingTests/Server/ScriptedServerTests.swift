// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import Testing

@Suite(.timeLimit(.minutes(10)))
struct ScriptedServerTests {
    @Test func `a response has its status, headers, length and body`() async throws {
        try await ScriptedServer.run { server in
            server.answer("/a", with: .respond(status: 201, headers: ["X-One: 1"], body: Array("body".utf8)))
            let (text, end) = try LoopbackClient.ask(server.port, for: "/a?b=c")
            #expect(text.hasPrefix("HTTP/1.1 201 "))
            #expect(text.contains("\r\nX-One: 1\r\n"))
            #expect(text.contains("\r\nContent-Length: 4\r\n"))
            #expect(text.hasSuffix("\r\n\r\nbody"))
            #expect(end == .closed)
        }
    }

    @Test func `a path without an answer is not found, until there is an answer for every path`() async throws {
        try await ScriptedServer.run { server in
            server.answer("/known", with: .json(["a": 1]))
            try #expect(LoopbackClient.ask(server.port, for: "/known").text.hasSuffix("{\"a\":1}"))
            try #expect(LoopbackClient.ask(server.port, for: "/other").text.hasPrefix("HTTP/1.1 404 "))
            server.answer(with: .send("any"))
            try #expect(LoopbackClient.ask(server.port, for: "/other").text == "any")
            try #expect(LoopbackClient.ask(server.port, for: "/known").text.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(arguments: ["/keys", nil]) func `the first answers are sent once each, and the last one from then on`(
        path: String?
    ) async throws {
        try await ScriptedServer.run { server in
            server.answer(path, first: [.send("one"), .send("two")], then: .send("then"))
            let answers = try (1...4).map { _ in try LoopbackClient.ask(server.port, for: "/keys").text }
            #expect(answers == ["one", "two", "then", "then"])
        }
    }

    @Test func `a key set contains the public keys, and a maximum age if one is given`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .keySet([.shared, .another], maxAge: 60))
            let (text, _) = try LoopbackClient.ask(server.port)
            #expect(text.contains("\r\nCache-Control: max-age=60\r\n"))
            let body = try #require(text.firstRange(of: "\r\n\r\n")).upperBound
            let keys = try JSONWebKeySet(json: text[body...])
            #expect(keys.keys.map(\.keyID) == [TestKey.shared.keyID, TestKey.another.keyID])
            server.answer(with: .keySet([.shared]))
            let unlimited = try LoopbackClient.ask(server.port).text
            #expect(!unlimited.contains("max-age"))
        }
    }

    @Test func `a redirect has its status and location`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .redirect(to: "http://10.0.0.1/", status: 308))
            let (text, _) = try LoopbackClient.ask(server.port)
            #expect(text.hasPrefix("HTTP/1.1 308 "))
            #expect(text.contains("\r\nLocation: http://10.0.0.1/\r\n"))
        }
    }

    @Test func `requests are recorded with method, target, headers and body`() async throws {
        try await ScriptedServer.run { server in
            let client = try LoopbackClient(port: server.port)
            client.send("POST /a?b=c HTTP/1.1\r\nHost: x:1\r\nContent-")
            client.send("Length: 4\r\nAccept: a\r\naccept:b\r\n\r\nbo")
            client.send("dy")
            #expect(client.read().end == .closed)
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.method == "POST")
            #expect(request.target == "/a?b=c")
            #expect(request.path == "/a")
            #expect(request.values(of: "host") == ["x:1"])
            #expect(request.values(of: "ACCEPT") == ["a", "b"])
            #expect(request.body == Array("body".utf8))
            #expect(request.serverName == nil)
        }
    }

    @Test func `requests are counted in total and by path`() async throws {
        try await ScriptedServer.run { server in
            for target in ["/a", "/b", "/a?x"] { _ = try LoopbackClient.ask(server.port, for: target) }
            #expect(server.requestCount() == 3)
            #expect(server.requestCount(of: "/a") == 2)
            #expect(server.requestCount(of: "/b") == 1)
            #expect(server.requestCount(of: "/c") == 0)
            #expect(server.connectionCount == 3)
        }
    }

    @Test func `the latest 1,000 requests are recorded, and all are counted`() async throws {
        try await ScriptedServer.run { server in
            for number in 1...1002 { _ = try LoopbackClient.ask(server.port, for: "/\(number)") }
            #expect(server.requests.count == 1000)
            #expect(server.requests.first?.path == "/3")
            #expect(server.requests.last?.path == "/1002")
            #expect(server.requestCount() == 1002)
        }
    }

    @Test(arguments: ["\u{16}\u{3}\u{1}", "GET /\r\n\r\n", "GET / SPDY/9\r\n\r\n"])
    func `input that is not an HTTP request closes the connection`(text: String) async throws {
        try await ScriptedServer.run { server in
            let client = try LoopbackClient(port: server.port)
            client.send(text)
            let (bytes, end) = client.read()
            #expect(bytes.isEmpty)
            #expect(end != .silence)
            #expect(server.requestCount() == 0)
        }
    }

    @Test func `the URL has the scheme, host name and port of the server`() async throws {
        try await ScriptedServer.run { server in
            #expect(server.url() == "http://127.0.0.1:\(server.port)/")
            #expect(server.url("/a?b", name: "localhost") == "http://localhost:\(server.port)/a?b")
        }
        try await ScriptedServer.run(host: .ipv6) { server in
            #expect(server.url("/") == "http://[::1]:\(server.port)/")
        }
    }

    @Test func `a server with an unreadable certificate does not start`() async {
        await #expect(throws: (any Error).self) {
            let identity = ServerIdentity(certificateChain: "none", privateKey: "none")
            try await ScriptedServer.run(identity: identity) { _ in }
        }
    }

    @Test func `the result or error of the body is passed on, and the port is closed afterwards`() async throws {
        struct Stop: Error {}
        let port = try await ScriptedServer.run { server in
            try #expect(LoopbackClient.ask(server.port).end == .closed)
            return server.port
        }
        #expect(throws: POSIXError(.ECONNREFUSED)) { try LoopbackClient(port: port) }
        await #expect(throws: Stop.self) {
            try await ScriptedServer.run { _ in throw Stop() }
        }
    }
}

#endif
