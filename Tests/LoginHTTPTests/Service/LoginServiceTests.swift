// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import Logging
import LoginAccounts
import LoginKeys
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// A server created from one declaration.
@Suite struct LoginServiceTests {
    private func service(_ providers: [SignInProvider] = [.google(clientID: "client-1")]) throws -> LoginService {
        try LoginService(
            publicURL: "https://login.example.com/",
            providers: providers,
            store: InMemoryAccountStore(),
            secrets: LoginFixture.secrets,
            transport: StubTransport(),
            clock: ManualClock()
        )
    }

    @Test(.rule("S-CSR-2"))
    func `a route that needs a session accepts signed-in users and refuses cross-site changes`() async throws {
        let login = try service()
        let token = try await login.auth.signInAnonymously().tokens.sessionToken
        let server = TestServer(login)
        let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
        let cookie: HTTPFields = [.cookie: "\(SessionCookies.sessionName)=\(token)"]
        var ownPage = cookie
        ownPage[.secFetchSite] = "same-origin"
        var otherPage = cookie
        otherPage[.secFetchSite] = "cross-site"
        let expected: [(HTTPRequest.Method, HTTPFields, HTTPResponse.Status)] = [
            (.get, [:], .unauthorized), (.post, [:], .unauthorized), (.get, bearer, .ok), (.post, bearer, .ok),
            (.get, otherPage, .ok), (.post, ownPage, .ok), (.post, otherPage, .forbidden), (.post, cookie, .forbidden),
        ]
        for (method, fields, status) in expected {
            #expect(try await server.send(method, "/notes", fields).status == status, "\(method) \(fields)")
        }
    }

    @Test func `a session of one service is none of another, which may decide about the same request`() async throws {
        let (first, second) = (try service(), try service())
        let token = try await first.auth.signInAnonymously().tokens.sessionToken
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        head.headerFields[.authorization] = "Bearer \(token)"
        let request = ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
        guard case .signedIn(_, let visit) = try await first.session(of: request),
            case .signedIn = try await first.session(of: visit),
            case .answer(let refused) = try await second.session(of: visit)
        else {
            Issue.record("a service has decided for another")
            return
        }
        #expect(refused.status == .unauthorized)
    }

    @Test func `a service takes the address of a client from its own proxies, and counts a request once`() async throws
    {
        var login = try service()
        login.trustedProxies = TrustedProxies([])
        login.limits = RequestLimits(requests: 2)
        let bench = try ResourceBench(proofs: nil, requestsPerMinute: 100)
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        head.headerFields = [
            .authorization: "Bearer \(bench.issuer.accessToken())", .xForwardedFor: "198.51.100.7",
        ]
        let request = ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
        guard case .authorized(_, let first) = try await bench.resource.token(of: request) else {
            Issue.record("no token")
            return
        }
        #expect(first.clientAddress == nil)
        var visit = login.taken(first)
        #expect(visit.clientAddress == "198.51.100.7")
        for _ in 0..<3 {
            try login.count(&visit, in: .requests)
            try bench.resource.count(&visit)
        }
    }

    @Test func `a cancelled request has no response`() async throws {
        let login = try service()
        let request = ServerRequest(
            HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/"),
            from: .unixSocket,
            logger: Logger(label: "test")
        )
        await #expect(throws: CancellationError.self) {
            _ = try await login.serve(request) { _ in throw CancellationError() }
        }
        await #expect(throws: CancellationError.self) {
            _ = try await login.answer(to: CancellationError(), of: login.visit(request))
        }
    }

    @Test func `a service with the store, secrets and clock of a bench accepts its sessions until they expire`()
        async throws
    {
        let bench = try LoginTestBench()
        let token = try await bench.signIn("alice@example.com").tokens.sessionToken
        let login = try LoginService(
            publicURL: "https://example.com",
            providers: [],
            store: bench.store,
            secrets: bench.secrets,
            clock: bench.clock
        )
        let (server, bearer): (TestServer, HTTPFields) = (TestServer(login), [.authorization: "Bearer \(token)"])
        #expect(try await server.send(.get, "/notes", bearer).status == .ok)
        bench.clock.advance(by: .seconds(365 * 86400))
        #expect(try await server.send(.get, "/notes", bearer).status == .unauthorized)
    }

    @Test func `keys of an issuer are fetched over http only if each of its declarations allows it`() throws {
        func google(_ id: ProviderID, allowsHTTP: Bool) -> SignInProvider {
            .google(id: id, clientID: "client-1").with {
                $0.provider = $0.provider.with(keySetURL: "http://127.0.0.1:1/keys")
                $0.provider.allowsLoopbackHTTP = allowsHTTP
            }
        }
        _ = try service([google("a", allowsHTTP: true), google("b", allowsHTTP: true)])
        #expect(throws: KeyCacheError.self) {
            try service([google("a", allowsHTTP: true), google("b", allowsHTTP: false)])
        }
    }

    @Test func `a network may read fewer bodies of a server with few connections, for all copies of the service`()
        throws
    {
        let login = try service()
        let copy = login
        login.limitBodies(ofConnections: 4)
        // Of so few connections, one network has ten at most, and not fifty.
        #expect((0..<50).count { _ in copy.bodies.take("192.0.2.0/24") } == 10)
    }

    @Test func `the service migrates its store before it serves, and closes it when it ends`() async throws {
        let store = BreakableStore()
        let login = try LoginService(
            publicURL: "https://login.example.com",
            providers: [],
            store: store,
            secrets: LoginFixture.secrets,
            transport: StubTransport()
        )
        try await login.prepare()
        _ = try await login.auth.signInAnonymously()
        let run = Task { await login.run() }
        run.cancel()
        await run.value
        await #expect(throws: AuthError.self) { _ = try await login.auth.signInAnonymously() }
    }

    @Test func `two tenants, and two clients of one issuer, can be providers of one service`() throws {
        let issuer = "https://login.corp.example"
        let login = try service([
            .openID("staff", issuer: issuer, clientID: "a"), .openID("partners", issuer: issuer, clientID: "b"),
            try .microsoft("microsoft:one", tenantID: "11111111-1111-1111-1111-111111111111", clientID: "c"),
            try .microsoft("microsoft:two", tenantID: "22222222-2222-2222-2222-222222222222", clientID: "d"),
        ])
        #expect(login.auth.providers.enabled.count == 4)
    }
}
#endif
