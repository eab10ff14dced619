// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import TestSupport
internal import Testing

@Suite(.timeLimit(.minutes(10)))
struct ServerScriptTests {
    private let clock = ContinuousClock()

    @Test func `steps run in order, and the connection is closed after the last`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .send("a") + .send([0x62, 0xFF]) + .send("c"))
            let client = try LoopbackClient(port: server.port)
            client.send("GET / HTTP/1.1\r\n\r\n")
            let (bytes, end) = client.read()
            #expect(bytes == [0x61, 0x62, 0xFF, 0x63])
            #expect(end == .closed)
        }
    }

    @Test func `a drip sends one byte per interval`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .drip("abcd", every: .milliseconds(50)))
            var answer = ""
            let time = try clock.measure { answer = try LoopbackClient.ask(server.port).text }
            #expect(answer == "abcd")
            #expect(time >= .milliseconds(200))
        }
    }

    @Test func `a pause delays the step after it`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .send("a") + .pause(.milliseconds(200)) + .send("b"))
            let client = try LoopbackClient(port: server.port)
            let start = clock.now
            client.send("GET / HTTP/1.1\r\n\r\n")
            #expect(client.read(atMost: 1).bytes == [0x61])
            #expect(client.read(atMost: 1).bytes == [0x62])
            #expect(start.duration(to: clock.now) >= .milliseconds(200))
        }
    }

    @Test func `a flood continues until the client disconnects`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .send("begin") + .flood("xy"))
            var client: LoopbackClient? = try LoopbackClient(port: server.port)
            client?.send("GET / HTTP/1.1\r\n\r\n")
            let bytes = client?.read(atMost: 5_000_005).bytes ?? []
            #expect(bytes.starts(with: Array("beginxyxyxy".utf8)))
            #expect(bytes.count == 5_000_005)
            client = nil
            try await eventually("the connection ends") { server.openConnectionCount == 0 }
        }
    }

    @Test func `a stalled connection stays open and silent until the client disconnects`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .send("a") + .stall + .send("b"))
            var client: LoopbackClient? = try LoopbackClient(port: server.port)
            client?.send("GET / HTTP/1.1\r\n\r\n")
            #expect(client?.read(atMost: 1).bytes == [0x61])
            #expect(server.openConnectionCount == 1)
            client = nil
            try await eventually("the connection ends") { server.openConnectionCount == 0 }
        }
    }

    @Test(arguments: [(ServerScript.close, LoopbackClient.End.closed), (.reset, .reset)])
    func `a script closes or resets the connection`(
        script: ServerScript,
        end: LoopbackClient.End
    ) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: script + .send("never"))
            let answer = try LoopbackClient.ask(server.port)
            #expect(answer.text.isEmpty)
            #expect(answer.end == end)
        }
    }

    @Test func `a greeting is sent without a request, and can be removed`() async throws {
        try await ScriptedServer.run { server in
            server.greet(with: .send("hello"))
            let (bytes, end) = try LoopbackClient(port: server.port).read()
            #expect(bytes == Array("hello".utf8))
            #expect(end == .closed)
            server.greet(with: nil)
            try #expect(LoopbackClient.ask(server.port).text.hasPrefix("HTTP/1.1 404 "))
        }
    }
}

#endif
