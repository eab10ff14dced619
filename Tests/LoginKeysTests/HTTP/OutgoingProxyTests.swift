// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
@testable internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Requests through a proxy.
@Suite struct OutgoingProxyTests {
    private static let name = "keys.example"

    /// Runs a server with a certificate for the name, and a proxy that leads to it.
    private func withProxy(
        _ body: (TunnelProxy, ScriptedServer, _ authorities: String) async throws -> Void
    ) async throws {
        try await ThrowAwayCA.run { authority in
            let pair = try await authority.pair(for: ["DNS:\(Self.name)"])
            let identity = ServerIdentity(certificateChain: pair.certificate, privateKey: pair.privateKey)
            try await ScriptedServer.run(identity: identity) { server in
                server.answer(with: .respond(body: [1]))
                try await TunnelProxy.run(to: server.port) { proxy in
                    try await body(proxy, server, authority.certificatePath)
                }
            }
        }
    }

    private func transport(
        _ proxy: OutgoingProxy,
        authorities: String? = nil,
        allowed: [String] = [],
        names: ListedNames = ListedNames(["127.0.0.1"])
    ) -> AsyncHTTPClientTransport {
        AsyncHTTPClientTransport(
            .init(
                trustRoots: authorities.map { .file($0) } ?? .system,
                allowedNetworks: allowed.compactMap { IPNetwork($0) },
                proxy: proxy
            ),
            resolver: names
        )
    }

    @Test func `a request is tunneled to the host, whose name only the proxy resolves`() async throws {
        try await withProxy { proxy, server, authorities in
            let names = ListedNames(["127.0.0.1"])
            let outgoing = try OutgoingProxy("http://proxy.internal:\(proxy.port)")
            let transport = transport(outgoing, authorities: authorities, names: names)
            let response = try await transport.send(try TransportRequest("https://\(Self.name)/keys"))
            #expect(response.body == [1])
            #expect(names.asked == ["proxy.internal"])
            #expect(
                proxy.heads.count == 1 && proxy.heads.first?.hasPrefix("CONNECT \(Self.name):443 HTTP/1.1\r\n") == true
            )
            #expect(server.requests.map(\.serverName) == [Self.name])
            #expect(server.requests.map(\.target) == ["/keys"])
        }
    }

    @Test func `credentials are sent to the proxy, and not to the host`() async throws {
        try await withProxy { proxy, server, authorities in
            for outgoing in [
                try OutgoingProxy("http://127.0.0.1:\(proxy.port)", credentials: "Aladdin:open sesame"),
                try OutgoingProxy("http://Aladdin:open%20sesame@127.0.0.1:\(proxy.port)/"),
            ] {
                _ = try await transport(outgoing, authorities: authorities)
                    .send(try TransportRequest("https://\(Self.name)/"))
                let head = try #require(proxy.heads.last)
                #expect(head.lowercased().contains("proxy-authorization: basic qwxhzgrpbjpvcgvuihnlc2ftzq=="))
                #expect(server.requests.last?.values(of: "Proxy-Authorization") == [])
                #expect(!"\(outgoing)".contains("sesame"))
            }
        }
    }

    @Test(.rule("T-158")) func `the certificate of the host is checked through the proxy`() async throws {
        try await withProxy { proxy, server, authorities in
            let outgoing = try OutgoingProxy("http://127.0.0.1:\(proxy.port)")
            let trusting = transport(outgoing, authorities: authorities)
            await expectFailure(.tls, from: trusting, try TransportRequest("https://other.example/"))
            await expectFailure(.tls, from: transport(outgoing), try TransportRequest("https://\(Self.name)/"))
            #expect(server.requestCount() == 0)
        }
    }

    @Test(
        .rule("T-152"),
        arguments: ["10.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "[::ffff:10.0.0.1]", "0.0.0.0"]
    )
    func `a private address in a URL is refused without a request to the proxy`(host: String) async throws {
        try await TunnelProxy.run(to: 1) { proxy in
            let transport = transport(try OutgoingProxy("http://127.0.0.1:\(proxy.port)"))
            await expectFailure(.address, from: transport, try TransportRequest("https://\(host)/"))
            #expect(proxy.heads.isEmpty)
        }
    }

    @Test(.rule("T-152"), arguments: ["127.0.0.1", "localhost", "[::1]"])
    func `this machine is not reached through the proxy`(host: String) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(body: [1]))
            try await TunnelProxy.run(to: server.port) { proxy in
                let outgoing = try OutgoingProxy("http://127.0.0.1:\(proxy.port)")
                let transport = transport(outgoing)
                await expectFailure(.address, from: transport, try TransportRequest("https://\(host):\(server.port)/"))
                try await expectBody([1], from: transport, try TransportRequest(server.url()))
                #expect(proxy.heads.isEmpty)
            }
        }
    }

    @Test(arguments: [403, 407, 502])
    func `a proxy that opens no tunnel is a failure of the connection that says so`(status: Int) async throws {
        try await ScriptedServer.run { server in
            server.answer(with: .respond(status: status))
            let transport = transport(try OutgoingProxy("http://127.0.0.1:\(server.port)"))
            let request = try TransportRequest("https://\(Self.name)/")
            let failure = await #expect(throws: TransportFailure.self) { try await transport.send(request) }
            #expect(failure?.code == .connection)
            #expect(failure?.detail.hasPrefix("through the outgoing proxy: ") == true)
        }
    }

    @Test func `a proxy that does not listen, or whose name has no address, is a failure`() async throws {
        let request = try TransportRequest("https://\(Self.name)/")
        // No program listens on port 1.
        await expectFailure(.connection, from: transport(try OutgoingProxy("http://127.0.0.1:1")), request)
        let nameless = transport(try OutgoingProxy("http://proxy.internal:3128"), names: ListedNames([]))
        await expectFailure(.name, from: nameless, request)
    }

    @Test(arguments: [
        "http://proxy", "https://proxy:3128", "socks5://proxy:1080", "proxy:3128", "", "http://", "http://:3128",
        "http://proxy:3128/path", "http://proxy:3128?x", "http://proxy:0", "http://proxy:99999", "http://pro xy:3128",
        "http://user@proxy:3128", "http://a:%zz@proxy:3128", "http://a:%0A@proxy:3128", "http://proxy:3128#x",
    ])
    func `an invalid URL of a proxy is refused without being quoted`(url: String) {
        let error = #expect(throws: TransportFailure.self) { try OutgoingProxy(url) }
        #expect(error?.code == .url)
    }

    @Test func `credentials are given once, as a user name, a colon and a password`() {
        for (url, credentials) in [
            ("http://a:b@proxy:3128", "c:d"), ("http://proxy:3128", "secret"), ("http://proxy:3128", "a:b\n"),
        ] {
            let error = #expect(throws: TransportFailure.self) { try OutgoingProxy(url, credentials: credentials) }
            #expect(error?.detail.contains("secret") == false)
        }
    }

    @Test(
        arguments: [
            ("https://keys.example/", [], true), ("https://keys.example/", ["other.example"], true),
            ("https://keys.example/", ["keys.example"], false), ("https://keys.example/", [".example"], false),
            ("https://keys.example/", ["example"], false), ("https://keys.example/", ["Keys.Example"], false),
            ("https://keys.example/", ["ys.example"], true), ("https://keys.example/", ["*"], false),
            ("https://keys.example/", ["", "."], true), ("https://keys.example/", ["10.0.0.0/8"], true),
            ("https://10.1.2.3/", ["10.0.0.0/8"], false), ("https://11.1.2.3/", ["10.0.0.0/8"], true),
            ("https://10.1.2.3/", ["10.1.2.3"], false), ("https://[fd00::1]/", ["fd00::/8"], false),
            ("https://localhost/", [], false), ("https://a.localhost/", [], false), ("https://alocalhost/", [], true),
            ("https://127.0.0.1/", [], false), ("http://127.0.0.1/", [], false),
        ] as [(String, [String], Bool)]
    )
    func `a proxy is used for https, except for this machine and the exceptions`(
        url: String,
        exceptions: [String],
        isUsed: Bool
    ) throws {
        let proxy = try OutgoingProxy("http://proxy:3128", exceptions: exceptions)
        #expect(proxy.isUsed(for: try EndpointURL(url, allowsLoopbackHTTP: true)) == isUsed)
    }
}
#endif
