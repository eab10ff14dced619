// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
@testable internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

@Suite(.rule("T-152"))
struct TransportAddressTests {
    private static func transport(_ names: ListedNames, allowed: [String] = []) -> AsyncHTTPClientTransport {
        AsyncHTTPClientTransport(.init(allowedNetworks: allowed.compactMap { IPNetwork($0) }), resolver: names)
    }

    @Test(arguments: [
        "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
        "localhost", "0.0.0.0",
        "[::]",
    ])
    func `an https request to this machine is refused, by any name`(host: String) async throws {
        try await ScriptedServer.run { server in
            await expectFailure(.address, try TransportRequest("https://\(host):\(server.port)/"))
            #expect(server.connectionCount == 0)
        }
    }

    @Test(arguments: ["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "[fd00:ec2::254]", "[fe80::1]"])
    func `a request to a private address is refused, by address and by name`(host: String) async throws {
        let names = ListedNames([host.filter { $0 != "[" && $0 != "]" }])
        let transport = Self.transport(names)
        let literal = await expectFailure(.address, from: transport, try TransportRequest("https://\(host)/"))
        let named = await expectFailure(.address, from: transport, try TransportRequest("https://keys.example/"))
        #expect(names.asked == ["keys.example"])
        // No connection is attempted.
        #expect(literal < .seconds(10))
        #expect(named < .seconds(10))
    }

    @Test func `a host with a public and a private address is refused`() async throws {
        try await ScriptedServer.run { server in
            let transport = Self.transport(ListedNames(["127.0.0.1", "10.0.0.1"]), allowed: ["127.0.0.0/8"])
            await expectFailure(.address, from: transport, try TransportRequest("https://keys.example:\(server.port)/"))
            #expect(server.connectionCount == 0)
        }
    }

    @Test(.rule("T-150")) func `an http request is sent to loopback addresses only, whatever the name resolves to`()
        async throws
    {
        let transport = Self.transport(ListedNames(["8.8.8.8"]), allowed: ["0.0.0.0/0"])
        await expectFailure(.address, from: transport, try TransportRequest("http://localhost/"))
    }

    @Test(.rule("T-150")) func `an http request to a host that is named for it goes to its checked private address`()
        async throws
    {
        try await ScriptedServer.run { server in
            server.answer("/keys", with: .keySet([TestKey(.es256)]))
            let url = try EndpointURL("http://keys.internal:\(server.port)/keys", cleartextHosts: ["keys.internal"])
            let request = TransportRequest(url: url, responseLimit: 10_000, deadline: .seconds(20))
            func transport(_ address: String) -> AsyncHTTPClientTransport {
                AsyncHTTPClientTransport(.init(cleartextHosts: ["keys.internal"]), resolver: ListedNames([address]))
            }
            #expect(try await transport("127.0.0.1").send(request).status == 200)
            await expectFailure(.address, from: transport("169.254.169.254"), request)
            await expectFailure(.address, from: transport("8.8.8.8"), request)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func `a host name without addresses has an error of its own`() async throws {
        await expectFailure(.name, from: Self.transport(ListedNames([])), try TransportRequest("https://keys.example/"))
    }

    @Test func `the connection goes to the checked address, and the name is resolved once`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(body: [1]))
            let names = ListedNames(["127.0.0.1"], ["127.0.0.2"])
            // The name does not exist, so the system's resolver would fail.
            let request = try TransportRequest("https://rebinding.test:\(server.port)/")
            let plain = try TransportRequest("http://localhost:\(server.port)/")
            try await expectBody([1], from: Self.transport(names), plain)
            #expect(names.asked == ["localhost"])
            #expect(server.requests.first?.values(of: "Host") == ["localhost:\(server.port)"])
            // The next request looks the name up again and uses only that result: nothing listens at 127.0.0.2.
            await expectFailure(.connection, from: Self.transport(names, allowed: ["127.0.0.0/8"]), request)
            #expect(names.asked == ["localhost", "rebinding.test"])
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [(0, true), (1, true), (3, true), (4, false)])
    func `the next address is tried if a connection is refused, up to four`(deadOnes: Int, isReached: Bool) async throws
    {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(body: [1]))
            let addresses = (0..<deadOnes).map { "127.0.0.\($0 + 2)" } + ["127.0.0.1"]
            let transport = Self.transport(ListedNames(addresses))
            let request = try TransportRequest("http://localhost:\(server.port)/")
            if isReached {
                try await expectBody([1], from: transport, request)
            } else {
                await expectFailure(.connection, from: transport, request)
            }
            #expect(server.connectionCount == (isReached ? 1 : 0))
        }
    }

    @Test func `a request that was sent is not repeated at another address`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .reset)
            try await ScriptedServer.run(host: .ipv6, port: server.port) { other in
                let transport = Self.transport(ListedNames(["127.0.0.1", "::1"]))
                await expectFailure(
                    .interrupted,
                    from: transport,
                    try TransportRequest("http://localhost:\(server.port)/")
                )
                #expect(server.requestCount() == 1)
                #expect(other.connectionCount == 0)
            }
        }
    }

    @Test func `an IPv6 server is reached by its address`() async throws {
        try await ScriptedServer.run(host: .ipv6) { server in
            server.answer(with: .respond(body: [1]))
            try await expectBody([1], from: AsyncHTTPClientTransport(), try TransportRequest(server.url("/p")))
            #expect(server.requests.first?.values(of: "Host") == ["[::1]:\(server.port)"])
        }
    }

    @Test func `a request to a stopped server fails, and succeeds after its restart`() async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(body: [1]))
            await server.kill()
            await expectFailure(.connection, try TransportRequest(server.url()))
            try await server.revive()
            try await expectBody([1], from: AsyncHTTPClientTransport(), try TransportRequest(server.url()))
        }
    }
}
#endif
