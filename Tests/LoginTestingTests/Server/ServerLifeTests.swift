// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import Testing

@Suite(.timeLimit(.minutes(10)))
struct ServerLifeTests {
    @Test func `a killed server breaks its connections and closes its port, and is revived at the same port`()
        async throws
    {
        try await ScriptedServer.run { server in
            server.answer(with: .send("a") + .stall)
            let port = server.port
            let client = try LoopbackClient(port: port)
            client.send("GET / HTTP/1.1\r\n\r\n")
            #expect(client.read(atMost: 1).bytes == [0x61])

            await server.kill()
            let end = client.read().end
            #expect(end == .closed || end == .reset)
            #expect(throws: POSIXError(.ECONNREFUSED)) { try LoopbackClient(port: port) }
            #expect(server.requestCount() == 1)
            await server.kill()

            server.answer(with: .send("b"))
            try await server.revive()
            try await server.revive()
            #expect(server.port == port)
            try #expect(LoopbackClient.ask(port).text == "b")
            #expect(server.requestCount() == 2)
        }
    }

    @Test func `a server at a port that is in use does not start`() async throws {
        try await ScriptedServer.run { server in
            let port = server.port
            await #expect(throws: (any Error).self) {
                try await ScriptedServer.run(port: port) { _ in }
            }
        }
    }

    @Test func `held responses are sent when they are released, and not before`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .send("late"))
            server.hold()
            server.hold()
            let client = try LoopbackClient(port: server.port)
            client.send("GET /held HTTP/1.1\r\n\r\n")
            try await server.waitForRequests(1, of: "/held")
            #expect(server.openConnectionCount == 1)
            server.answer(with: .send("early"))
            server.release()
            #expect(client.read().bytes == Array("late".utf8))
            try #expect(LoopbackClient.ask(server.port).text == "early")
        }
    }

    @Test func `a killed server loses its held responses`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .send("late"))
            server.hold()
            let client = try LoopbackClient(port: server.port)
            client.send("GET / HTTP/1.1\r\n\r\n")
            try await server.waitForRequests(1)
            await server.kill()
            #expect(client.read().bytes.isEmpty)
            try await server.revive()
            try #expect(LoopbackClient.ask(server.port).text == "late")
        }
    }

    @Test func `waiting for requests ends when they have arrived, also if they arrived before`() async throws {
        try await ScriptedServer.run { server in
            try await server.waitForRequests(0)
            async let waiting: Void = server.waitForRequests(2, of: "/a")
            for target in ["/a", "/b", "/a"] { _ = try LoopbackClient.ask(server.port, for: target) }
            try await waiting
            try await server.waitForRequests(2, of: "/a", within: .zero)
            try await server.waitForRequests(3, within: .zero)
        }
    }

    @Test func `waiting for requests times out with an error that states how many arrived`() async throws {
        try await ScriptedServer.run { server in
            _ = try LoopbackClient.ask(server.port, for: "/a")
            let error = await #expect(throws: ScriptedServerError.self) {
                try await server.waitForRequests(2, of: "/a", within: .milliseconds(20))
            }
            #expect(error?.description == "1 requests for /a came in time, not 2")
        }
    }

    @Test func `waiting for requests ends when its task is cancelled`() async throws {
        try await ScriptedServer.run { server in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await #expect(throws: CancellationError.self) {
                        try await server.waitForRequests(1, within: .seconds(50))
                    }
                }
                group.cancelAll()
            }
        }
    }
}

#endif
