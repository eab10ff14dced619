// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import LimitedLogin
import LoginTestServers
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// The stand-in for Facebook, over HTTP.
@Suite(.timeLimit(.minutes(10)))
struct StandInServerTests {
    @Test func `the stand-in answers over HTTP as it does in memory`() async throws {
        try await FacebookStandIn.run { facebook, server in
            #expect(facebook.endpoints.graph.description == server.url("/graph/"))
            let token = facebook.makeAccessToken()
            let target = "/graph/v27.0/me?access_token=\(token)"
            let (text, _) = try LoopbackClient.ask(server.port, for: target)
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("\"id\":\"\(facebook.person.id)\""))
            facebook.failNext(with: .graphError(code: 17, status: 429, headers: ["Retry-After": "7"]))
            let throttled = try LoopbackClient.ask(server.port, for: target).text
            #expect(throttled.hasPrefix("HTTP/1.1 429 ") && throttled.contains("\r\nRetry-After: 7\r\n"))
            let keys = try LoopbackClient.ask(server.port, for: "/.well-known/oauth/openid/jwks/").text
            #expect(keys.contains(facebook.issuer.key.keyID))
            #expect(facebook.requestCount(of: "/me") == 2)
        }
    }

    @Test func `an unreachable stand-in breaks the connection, and a slow one delays the response`() async throws {
        try await FacebookStandIn.run { facebook, server in
            facebook.failNext(with: .unreachable())
            let broken = try LoopbackClient.ask(server.port, for: "/graph/v27.0/me").text
            #expect(broken.isEmpty)
            facebook.failNext(with: .slow(.milliseconds(50)))
            let start = ContinuousClock.now
            let late = try LoopbackClient.ask(server.port, for: "/graph/v27.0/me").text
            #expect(late.hasPrefix("HTTP/1.1 400 "))
            #expect(ContinuousClock.now - start >= .milliseconds(50))
        }
    }

    @Test func `a request handler answers the paths without a script`() async throws {
        try await ScriptedServer.run { server in
            server.answer { request in .send(request.target) }
            server.answer("/known", with: .send("script"))
            let any = try LoopbackClient.ask(server.port, for: "/any?x=1").text
            let known = try LoopbackClient.ask(server.port, for: "/known").text
            #expect(any == "/any?x=1" && known == "script")
        }
    }
}

#endif
