// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginAccounts
import LoginKeys
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHummingbird

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
    func `a route behind requireSession accepts signed-in users and refuses cross-site changes`() async throws {
        let login = try service()
        let token = try await login.auth.signInAnonymously().tokens.sessionToken
        let router = Router(context: BasicLoginRequestContext.self)
        let own = router.group().add(middleware: login.requireSession)
        own.get("notes") { _, context in "\(try context.session.accountID)" }
        own.post("notes") { _, context in "\(try context.session.accountID)" }
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
        try await Application(router: router).test(.router) { client in
            for (method, fields, status) in expected {
                try await client.execute(uri: "/notes", method: method, headers: fields) { response in
                    #expect(response.status == status, "\(method) \(fields)")
                }
            }
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
        let router = Router(context: BasicLoginRequestContext.self)
        router.group().add(middleware: login.requireSession).get("notes") { _, context in
            "\(try context.session.accountID)"
        }
        let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
        try await Application(router: router).test(.router) { client in
            try await client.execute(uri: "/notes", method: .get, headers: bearer) { #expect($0.status == .ok) }
            bench.clock.advance(by: .seconds(365 * 86400))
            try await client.execute(uri: "/notes", method: .get, headers: bearer) {
                #expect($0.status == .unauthorized)
            }
        }
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

    @Test func `routes behind requireSession have the rate limit of the API`() async throws {
        var login = try service()
        login.requestsPerMinute = 2
        login.trustedProxies = TrustedProxies([])
        let token = try await login.auth.signInAnonymously().tokens.sessionToken
        let router = Router(context: BasicLoginRequestContext.self)
        router.group().add(middleware: login.requireSession).get("notes") { _, _ in "notes" }
        try await Application(router: router).test(.router) { client in
            for (address, expected) in [
                ("198.51.100.7", HTTPResponse.Status.ok), ("198.51.100.7", .ok),
                ("198.51.100.7", .tooManyRequests), ("203.0.113.9", .ok),
            ] {
                let fields: HTTPFields = [.authorization: "Bearer \(token)", .xForwardedFor: address]
                try await client.execute(uri: "/notes", method: .get, headers: fields) { response in
                    #expect(response.status == expected)
                }
            }
        }
    }

    @Test func `the server of a service limits its bodies, and the connections of a copy do not`() throws {
        var login = try service()
        login.connections.maximum = 4
        _ = login.application(router: Router(context: BasicLoginRequestContext.self))
        // Of so few connections, one network has ten at most, and not fifty.
        #expect((0..<50).count { _ in login.bodies.take("192.0.2.0/24") } == 10)
        var copy = login
        copy.connections.maximum = 1000
        #expect(!login.bodies.take("192.0.2.0/24"))
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
