// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
@testable internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

@Suite(.rule("T-158"))
struct TransportSecurityTests {
    private static let name = "keys.example"

    private static func transport(_ roots: AsyncHTTPClientTransport.Configuration.TrustRoots) throws
        -> AsyncHTTPClientTransport
    {
        let networks = [try #require(IPNetwork("127.0.0.0/8")), try #require(IPNetwork("::1"))]
        return AsyncHTTPClientTransport(
            .init(trustRoots: roots, allowedNetworks: networks),
            resolver: ListedNames(["127.0.0.1"])
        )
    }

    /// Runs a server with a certificate.
    private static func serve(
        _ pair: ThrowAwayCA.Pair,
        version: ServerIdentity.Version? = nil,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let identity = ServerIdentity(
            certificateChain: pair.certificate,
            privateKey: pair.privateKey,
            version: version
        )
        try await ScriptedServer.run(identity: identity) { server in
            server.answer(with: .respond(body: [1]))
            try await body(server)
        }
    }

    @Test(.rule("T-152"), arguments: [nil, ServerIdentity.Version.tls12, .tls13])
    func `a certificate for the host name is accepted at the checked address`(
        version: ServerIdentity.Version?
    ) async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"]), version: version) { server in
                let transport = try Self.transport(.file(authority.certificatePath))
                let response = try await transport.send(try TransportRequest(server.url(name: Self.name)))
                #expect(response.body == [1])
                #expect(server.requests.map(\.serverName) == [Self.name])
                #expect(server.requests.first?.values(of: "Host") == ["\(Self.name):\(server.port)"])
                try await server.expectAllClosed()
            }
        }
    }

    @Test(arguments: [["DNS:*.example"], ["DNS:other.example", "IP:10.0.0.1", "DNS:KEYS.Example"]])
    func `a certificate for several hosts is accepted, and a wildcard for a top-level domain is not`(
        names: [String]
    ) async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: names)) { server in
                let transport = try Self.transport(.file(authority.certificatePath))
                let request = try TransportRequest(server.url(name: Self.name))
                if names.count > 1 {
                    try await expectBody([1], from: transport, request)
                } else {
                    await expectFailure(.tls, from: transport, request)
                }
            }
        }
    }

    @Test func `a certificate for an IP address is accepted if the URL has the address`() async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["IP:127.0.0.1"])) { server in
                let transport = try Self.transport(.file(authority.certificatePath))
                try await expectBody([1], from: transport, try TransportRequest(server.url()))
                #expect(server.requests.map(\.serverName) == [nil])
            }
        }
    }

    @Test(arguments: [
        (["DNS:other.example"], ThrowAwayCA.Kind.good), (["DNS:keys.example.other.example"], .good),
        (["DNS:*.keys.example"], .good), (["IP:127.0.0.1"], .good), ([], .good), (["DNS:keys.example"], .expired),
        (["DNS:keys.example"], .selfSigned),
    ])
    func `a certificate that is for another host, outside its validity or untrusted is refused`(
        names: [String],
        kind: ThrowAwayCA.Kind
    ) async throws {
        try await ThrowAwayCA.run { authority in
            let pair = try await authority.pair(for: names, commonName: Self.name, kind: kind)
            try await Self.serve(pair) { server in
                let transport = try Self.transport(.file(authority.certificatePath))
                await expectFailure(.tls, from: transport, try TransportRequest(server.url(name: Self.name)))
                #expect(server.connectionCount == 1)
                #expect(server.requestCount() == 0)
                try await server.expectAllClosed()
            }
        }
    }

    @Test func `a certificate for a host name is not accepted for its IP address`() async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"])) { server in
                let transport = try Self.transport(.file(authority.certificatePath))
                await expectFailure(.tls, from: transport, try TransportRequest(server.url()))
                #expect(server.requestCount() == 0)
            }
        }
    }

    @Test func `a certificate of an authority that is not configured is refused`() async throws {
        try await ThrowAwayCA.run { authority in
            try await ThrowAwayCA.run { other in
                try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"])) { server in
                    let request = try TransportRequest(server.url(name: Self.name))
                    await expectFailure(.tls, from: try Self.transport(.system), request)
                    await expectFailure(.tls, from: try Self.transport(.file(other.certificatePath)), request)
                    #expect(server.requestCount() == 0)
                }
            }
        }
    }

    @Test(arguments: ["/nowhere/ca.pem", "/dev/null"])
    func `a file without certificates trusts no authority`(path: String) async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"])) { server in
                let request = try TransportRequest(server.url(name: Self.name))
                await expectFailure(.tls, from: try Self.transport(.file(path)), request)
                #expect(server.requestCount() == 0)
            }
        }
    }

    @Test func `TLS 1.1 is refused`() async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"]), version: .tls11) { server in
                let transport = try Self.transport(.file(authority.certificatePath))
                await expectFailure(.tls, from: transport, try TransportRequest(server.url(name: Self.name)))
                #expect(server.requestCount() == 0)
            }
        }
    }

    @Test(arguments: [
        BadAnswer("HTTP", .respond(body: [1])), BadAnswer("an end", .close), BadAnswer("a reset", .reset),
        BadAnswer("other bytes", .send(Array(repeating: 0xFF, count: 1000))),
        BadAnswer("an alert", .send([21, 3, 1, 0, 2, 2, 40])),
    ])
    func `a server without TLS is refused, and no other address is tried`(answer: BadAnswer) async throws {
        try await ScriptedServer.run { server in
            server.greet(with: answer.script)
            try await ScriptedServer.run(host: .ipv6, port: server.port) { other in
                let networks = [try #require(IPNetwork("127.0.0.1")), try #require(IPNetwork("::1"))]
                let transport = AsyncHTTPClientTransport(
                    .init(allowedNetworks: networks),
                    resolver: ListedNames(["127.0.0.1", "::1"])
                )
                await expectFailure(.tls, from: transport, try TransportRequest("https://\(Self.name):\(server.port)/"))
                #expect(other.connectionCount == 0)
            }
        }
    }

    @Test(.rule("T-156")) func `an endless TLS handshake is aborted at the deadline`() async throws {
        try await ScriptedServer.run { server in
            server.greet(with: .stall)
            let request = try TransportRequest("https://\(Self.name):\(server.port)/", deadline: .milliseconds(300))
            try await expectDeadline(from: try Self.transport(.system), request)
            try await server.expectAllClosed()
        }
    }

    @Test(
        .rule("T-156"),
        arguments: [
            BadAnswer("silence", .stall), BadAnswer("no body", .head(headers: ["Content-Length: 1"]) + .stall),
            BadAnswer("a slow body", .head() + .drip(Array(repeating: 0x20, count: 1000), every: .milliseconds(10))),
        ]
    )
    func `a slow response over TLS is aborted at the deadline`(answer: BadAnswer) async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"])) { server in
                server.answer(with: answer.script)
                let transport = try Self.transport(.file(authority.certificatePath))
                let request = try TransportRequest(server.url(name: Self.name), deadline: .milliseconds(300))
                try await expectDeadline(from: transport, request)
                try await server.expectAllClosed()
            }
        }
    }

    @Test(
        .rule("T-154"),
        arguments: [
            BadAnswer("a body", .head() + .flood("xxxxxxxxxxxxxxxx")),
            BadAnswer("a length", .head(headers: ["Content-Length: 10000000000"]) + .stall),
        ]
    )
    func `a body beyond the limit is aborted over TLS too`(answer: BadAnswer) async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"])) { server in
                server.answer(with: answer.script)
                let transport = try Self.transport(.file(authority.certificatePath))
                await expectFailure(.tooLarge, from: transport, try TransportRequest(server.url(name: Self.name)))
                try await server.expectAllClosed()
            }
        }
    }

    @Test(arguments: [
        BadAnswer("with a length", .head(headers: ["Content-Length: 10"]) + .send("{}") + .reset),
        BadAnswer("without", .head() + .send("{}") + .reset),
    ])
    func `a response that was truncated in transit is an error`(answer: BadAnswer) async throws {
        try await ThrowAwayCA.run { authority in
            try await Self.serve(try await authority.pair(for: ["DNS:\(Self.name)"])) { server in
                server.answer(with: answer.script)
                let transport = try Self.transport(.file(authority.certificatePath))
                await expectFailure(.interrupted, from: transport, try TransportRequest(server.url(name: Self.name)))
            }
        }
    }
}
#endif
