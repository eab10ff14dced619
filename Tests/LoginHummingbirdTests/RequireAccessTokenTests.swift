// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginHTTP
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHummingbird

/// Routes of an application that need an access token.
@Suite struct RequireAccessTokenTests {
    private let issuer: TestIssuer
    private let orders: ProtectedResource

    init() throws {
        let form = AccessTokenIssuer.rfc9068(issuers: ["https://login.example"])
        issuer = TestIssuer(accessTokensOf: form, audience: "orders")
        let policy = try AccessTokenPolicy(issuer: form, audiences: ["orders"])
        orders = try ProtectedResource(
            "https://api.example",
            verifier: AccessTokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
        )
    }

    private func bearer(_ scopes: String...) -> HTTPFields {
        [.authorization: "Bearer \(issuer.accessToken(scopes: scopes))"]
    }

    @Test func `a route has the token in its context, and may require more than its group`() async throws {
        let router = Router(context: BasicLoginRequestContext.self)
        orders.addMetadata(to: router)
        let group = router.group().add(middleware: orders.requireToken())
        group.get("me") { _, context in try context.token.subject }
        group.group().add(middleware: orders.requireScopes("orders:read")).get("orders") { _, _ in "orders" }
        let (plain, read) = (bearer(), bearer("orders:read"))
        try await Application(router: router).test(.router) { client async throws in
            #expect(try await client.ask(.get, "/me", plain).text == "1000000000000001")
            #expect(try await client.ask(.get, "/orders", plain).code == "insufficient-scope")
            #expect(try await client.ask(.get, "/orders", read).text == "orders")
            #expect(try await client.ask(.get, "/me").code == "missing-token")
            #expect(try await client.ask(.get, "/.well-known/oauth-protected-resource").status == .ok)
        }
    }

    @Test
    func `preflights are answered for routes that have no handler for OPTIONS, and all responses have the origin`()
        async throws
    {
        let shop = try ProtectedResource(
            "https://api.example",
            verifier: orders.verifier,
            allowedOrigins: AllowedOrigins(["https://app.example.com"])
        )
        let router = Router(context: BasicLoginRequestContext.self)
        router.add(middleware: shop.answerPreflights())
        router.group().add(middleware: shop.requireToken()).get("me") { _, context in try context.token.subject }
        let app: HTTPFields = [.origin: "https://app.example.com"]
        var preflight = app
        preflight[.accessControlRequestMethod] = "GET"
        var signedIn = bearer()
        signedIn[.origin] = "https://app.example.com"
        let requests: [(HTTPRequest.Method, HTTPFields, HTTPResponse.Status)] = [
            (.options, preflight, .noContent), (.get, app, .unauthorized), (.get, signedIn, .ok),
        ]
        try await Application(router: router).test(.router) { client async throws in
            for (method, fields, status) in requests {
                let answer = try await client.ask(method, "/me", fields)
                #expect(answer.status == status)
                #expect(answer.headers[.accessControlAllowOrigin] == "https://app.example.com", "\(status)")
            }
            #expect(try await client.ask(.options, "/me", app).headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test func `a handler without the middleware has no token, and its errors become problems behind it`() async throws
    {
        let router = Router(context: BasicLoginRequestContext.self)
        router.get("open") { _, context in try context.token.subject }
        router.group().add(middleware: orders.requireToken()).get("missing") { _, _ -> String in
            throw HTTPError(.notFound)
        }
        let bearer = bearer()
        try await Application(router: router).test(.router) { client async throws in
            #expect(try await client.ask(.get, "/open", bearer).code == "missing-token")
            #expect(try await client.ask(.get, "/missing", bearer).code == "not-found")
        }
    }
}
#endif
