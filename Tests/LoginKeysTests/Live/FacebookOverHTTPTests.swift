// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import LimitedLogin
import LoginProviders
import LoginTestServers
import LoginTesting
import LoginTokens
import Testing

internal import LimitedLoginTesting
@testable import LoginKeys

/// Facebook's interfaces over real sockets, for cases that a stub cannot have, such as an aborted connection.
@Suite(.timeLimit(.minutes(10))) struct FacebookOverHTTPTests {
    /// One error of each category, with the number of requests that a reading call makes.
    static let errors: [(code: Int, subcode: Int?, category: GraphError.Category, requests: Int)] = [
        (190, 463, .relogin, 1), (190, 459, .userMustAct, 1), (10, nil, .permission, 1), (4, nil, .throttle, 1),
        (368, nil, .blocked, 1), (2, nil, .transient, 2), (100, nil, .caller, 1), (3, nil, .appConfiguration, 1),
        (987_654, nil, .other, 1),
    ]

    @Test(arguments: errors.indices)
    func `an error arrives with its category, and only transient ones are retried`(index: Int) async throws {
        let error = Self.errors[index]
        try await running { facebook, _, graph in
            let token = try await graph.debug(facebook.makeAccessToken())
            let fault = StandInFault.graphError(
                code: error.code,
                subcode: error.subcode,
                type: "made-up",
                headers: error.category == .throttle ? ["Retry-After": "60"] : [:]
            )
            facebook.failNext(10, path: "/me/permissions", with: fault)
            let seen = await #expect(throws: GraphError.self) { try await graph.permissions(of: token) }
            #expect(seen?.category == error.category && seen?.code == error.code && seen?.subcode == error.subcode)
            #expect(seen?.retryAfter == (error.category == .throttle ? .seconds(60) : nil))
            #expect(facebook.requestCount(of: "/me/permissions") == error.requests)
        }
    }

    @Test func `permissions are read over several pages, and no page leads to another server`() async throws {
        try await running { facebook, _, graph in
            try await ScriptedServer.run { thief in
                facebook.settings.pageSize = 2
                facebook.settings.nextPageOrigin = "http://127.0.0.1:\(thief.port)"
                let granted = ["public_profile", "email", "user_friends", "user_link", "user_gender"]
                let token = try await graph.debug(facebook.makeAccessToken(permissions: granted))
                let statuses = try await graph.permissions(of: token)
                #expect(statuses.granted == Set(granted.map(Permission.init(rawValue:))))
                #expect(facebook.requestCount(of: "/me/permissions") == 3 && thief.connectionCount == 0)
            }
        }
    }

    @Test func `a stopped server is unavailable, and requests succeed after its restart`() async throws {
        try await running { facebook, server, graph in
            let token = try await graph.debug(facebook.makeAccessToken())
            facebook.failNext(with: .unreachable())
            await expectUnavailable { try await graph.permissions(of: token) }
            await server.kill()
            await expectUnavailable { try await graph.permissions(of: token) }
            await expectUnavailable { try await graph.revokeAll(of: token) }
            try await server.revive()
            #expect(try await graph.permissions(of: token).hasGranted(.publicProfile))
        }
    }

    @Test(arguments: LoginTracking.allCases)
    func `a user logs in through the dialog and shares a profile`(tracking: LoginTracking) async throws {
        try await FacebookStandIn.run { facebook, server in
            let transport = AsyncHTTPClientTransport()
            var configuration = KeyCacheConfiguration()
            // A busy machine may be slow.
            configuration.fetchDeadline = .seconds(60)
            configuration.allowsPublishedTestKeys = true
            let keys = try KeyCache(
                providers: [facebook.provider],
                transport: transport,
                configuration: configuration,
                wallClock: facebook.clock
            )
            let redirectURL = "https://site.example/callback"
            facebook.settings.redirectURLs = [redirectURL]
            facebook.settings.person.declines = ["user_friends"]
            let providers = try SignInProviders(
                [.facebook(facebook.app(), permissions: [.email, .userFriends], tracking: tracking)],
                keys: keys,
                transport: transport,
                clock: facebook.clock
            )
            let logins = try await providers.loginManager(
                for: .facebook,
                redirectURL: redirectURL,
                attempts: InMemoryAttemptStore(clock: facebook.clock)
            )
            try await keys.running {
                let started = try await logins.begin(purpose: .signIn)
                let callback = LoginCallback(url: try await visit(started.url, transport))
                let result = try await logins.finish(callback, purpose: .signIn, secret: started.secret)
                guard case .success(let login) = result else {
                    Issue.record("the login does not end in success")
                    return
                }
                #expect(login.profile?.userID == facebook.person.id && login.profile?.email != nil)
                let permissions = try #require(login.identity.permissions)
                #expect(permissions.hasGranted(.email) && permissions.declined == [.userFriends])
                #expect(login.identity.permissionSource == (tracking == .enabled ? .provider : .callback))
                #expect((login.identity.accessToken != nil) == (tracking == .enabled))
            }
        }
    }

    /// Visits the dialog like a browser, and returns the URL to which it is redirected.
    private func visit(_ url: String, _ transport: AsyncHTTPClientTransport) async throws -> String {
        let address = try EndpointURL(url, allowsLoopbackHTTP: true)
        let request = TransportRequest(url: address, responseLimit: 1 << 16, deadline: .seconds(20))
        let response = try await transport.send(request)
        #expect((300..<400).contains(response.status))
        return try #require(response.values(of: "Location").first)
    }

    private func expectUnavailable<Value>(_ body: () async throws -> Value) async {
        let error = await #expect(throws: GraphError.self) { _ = try await body() }
        #expect(error?.category == .unavailable)
    }

    private func running(_ body: (FacebookStandIn, ScriptedServer, GraphAPI) async throws -> Void) async throws {
        try await FacebookStandIn.run { facebook, server in
            let graph = GraphAPI(
                app: try facebook.app(),
                transport: AsyncHTTPClientTransport(),
                wallClock: facebook.clock
            )
            try await body(facebook, server, graph)
        }
    }
}
#endif
