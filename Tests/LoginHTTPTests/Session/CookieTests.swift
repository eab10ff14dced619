// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginProviders
import LoginTesting
import Foundation
import HTTPTypes
import LoginAccounts
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

@Suite struct CookieTests {
    private static let ownPage: HTTPFields = [.secFetchSite: "same-origin"]

    /// Signs in as a page of the site does, and returns the headers that the browser sends afterwards.
    private func browser(_ client: APIClient) async throws -> (answer: APIClient.Answer, headers: HTTPFields) {
        let shown = try client.credential("ada", of: .google, attempt: try await client.begin(.google))
        let body = #"{"credential":\#(shown),"cookies":true}"#
        let answer = try await client.ask(.post, "/v1/sign-in", body, headers: Self.ownPage)
        let token = try #require(answer.cookie(SessionCookies.sessionName))
        return (answer, [.cookie: "\(SessionCookies.sessionName)=\(token)"])
    }

    @Test(.rule("SS-13"))
    func `the session is stored in a Secure, HttpOnly, host-only cookie, and not in the response body`() async throws {
        try await LoginFixture().run { client in
            let (answer, headers) = try await browser(client)
            let cookie = try #require(answer.headers[values: .setCookie].first)
            #expect(cookie.hasPrefix("__Host-session=lls_"))
            for attribute in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax", "; Max-Age="] {
                #expect(cookie.contains(attribute))
            }
            #expect(!cookie.contains("Domain"))
            // The token is only in the cookie.
            #expect(!answer.text.contains("lls_") && !answer.text.contains("llr_"))
            #expect(try await client.ask(.get, "/v1/session", headers: headers).status == .ok)
        }
    }

    @Test func `a cross-site request cannot sign in with cookies`() async throws {
        try await LoginFixture().run { client in
            let shown = try client.credential("eve", of: .google, attempt: try await client.begin(.google))
            let body = #"{"credential":\#(shown),"cookies":true}"#
            for headers: HTTPFields in [[:], [.secFetchSite: "cross-site"], [.origin: "https://evil.example"]] {
                try await client.refused(.crossSite, .post, "/v1/sign-in", body, headers: headers)
            }
            // The attempt was not consumed.
            #expect(try await client.ask(.post, "/v1/sign-in", body, headers: Self.ownPage).status == .ok)
        }
    }

    @Test(.rule("S-CSR-2"), arguments: ["cross-site", "same-site", "", "same-origin, cross-site"])
    func `a change by cookie requires Sec-Fetch-Site same-origin, whatever the Origin`(site: String) async throws {
        try await LoginFixture().run { client in
            var (_, headers) = try await browser(client)
            headers[.secFetchSite] = site
            headers[.origin] = LoginFixture.publicURL
            try await client.refused(.crossSite, .post, "/v1/sign-out", headers: headers)
            headers[.secFetchSite] = "same-origin"
            #expect(try await client.ask(.post, "/v1/sign-out", headers: headers).status == .noContent)
        }
    }

    @Test(arguments: [
        nil, "null", "https://evil.example", "http://login.example.com", "https://login.example.com.evil.example",
    ])
    func `without Sec-Fetch-Site a change by cookie requires the Origin of this service`(origin: String?) async throws {
        try await LoginFixture().run { client in
            var (_, headers) = try await browser(client)
            headers[.origin] = origin
            try await client.refused(.crossSite, .post, "/v1/sign-out", headers: headers)
            headers[.origin] = LoginFixture.publicURL
            #expect(try await client.ask(.post, "/v1/sign-out", headers: headers).status == .noContent)
        }
    }

    @Test func `reading by cookie and changing by bearer token are allowed from another site`() async throws {
        try await LoginFixture().run { client in
            var (_, headers) = try await browser(client)
            headers[.secFetchSite] = "cross-site"
            #expect(try await client.ask(.get, "/v1/session", headers: headers).status == .ok)
            let token = try await client.session(of: "ada")
            let answer = try await client.ask(
                .post,
                "/v1/sign-out",
                bearer: token,
                headers: [.secFetchSite: "cross-site"]
            )
            #expect(answer.status == .noContent)
        }
    }

    @Test func `signing out deletes the cookie and closes the session`() async throws {
        try await LoginFixture().run { client in
            var (_, headers) = try await browser(client)
            headers[.secFetchSite] = "same-origin"
            let answer = try await client.ask(.post, "/v1/sign-out", headers: headers)
            #expect(answer.cookie(SessionCookies.sessionName) == "")
            try await client.refused(.invalidUserToken, .get, "/v1/session", headers: headers)
        }
    }

    @Test func `an invalid session cookie is refused and deleted, so that the user can sign in again`()
        async throws
    {
        try await LoginFixture().run { client in
            var (_, headers) = try await browser(client)
            headers[.secFetchSite] = "same-origin"
            try await client.ask(.post, "/v1/sign-out", headers: headers)
            let body = #"{"provider":"google"}"#
            let refused = try await client.refused(.invalidUserToken, .post, "/v1/attempts", body, headers: headers)
            #expect(refused.cookie(SessionCookies.sessionName) == "")
            #expect(refused.cookie(SessionCookies.refreshName) == "")
            headers[.cookie] = nil
            #expect(try await client.ask(.post, "/v1/attempts", body, headers: headers).status == .created)
            // A wrong bearer token does not delete the cookie.
            let bearer = try await client.refused(.invalidUserToken, .get, "/v1/session", bearer: "lls_made-up")
            #expect(bearer.cookie(SessionCookies.sessionName) == nil)
        }
    }

    @Test(arguments: SessionCookies.names + ["__Host-login-0123456789abcdef"])
    func `a cookie that occurs twice is deleted in both of its forms, and no other is`(name: String) async throws {
        try await LoginFixture().run { client in
            for second in ["tossed", "x"] {
                let sent: HTTPFields = [.cookie: "a=b; \(name)=x; \(name)=\(second)"]
                let answer = try await client.ask(.get, "/healthz", headers: sent)
                let deletion = "\(name)=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"
                #expect(answer.headers[values: .setCookie] == [deletion, "\(deletion); Partitioned"])
            }
            for sent in ["\(name)=x", "\(name)=x; \(name)x=y; x\(name)=z", "a=\(name)=x; \(name)=x", "a=b; a=b"] {
                let answer = try await client.ask(.get, "/healthz", headers: [.cookie: sent])
                #expect(answer.headers[.setCookie] == nil)
            }
            var two = HTTPFields()
            for value in ["x", "y"] { two.append(HTTPField(name: .cookie, value: "\(name)=\(value)")) }
            #expect(try await client.ask(.get, "/healthz", headers: two).headers[values: .setCookie].count == 2)
        }
    }

    @Test func `a browser with two session cookies can sign in again, and its refusals delete them`() async throws {
        try await LoginFixture().run { client in
            let (_, headers) = try await browser(client)
            let both = "\(try #require(headers[.cookie])); \(SessionCookies.sessionName)=tossed"
            let refused = try await client.refused(.missingSession, .get, "/v1/session", headers: [.cookie: both])
            #expect(refused.headers[values: .setCookie].filter { $0.contains("Max-Age=0; Partitioned") }.count == 1)
            let shown = try client.credential("ada", of: .google, attempt: try await client.begin(.google))
            let body = #"{"credential":\#(shown),"cookies":true}"#
            let own: HTTPFields = [.secFetchSite: "same-origin", .cookie: both]
            let answer = try await client.ask(.post, "/v1/sign-in", body, headers: own)
            let set = answer.headers[values: .setCookie].filter { $0.hasPrefix(SessionCookies.sessionName) }
            #expect(set.count == 2 && set[0].contains("=lls_") && set[1].hasSuffix("Max-Age=0; Partitioned"))
            let token = try #require(answer.cookie(SessionCookies.sessionName))
            let next: HTTPFields = [.cookie: "\(SessionCookies.sessionName)=\(token)"]
            #expect(try await client.ask(.get, "/v1/session", headers: next).status == .ok)
        }
    }

    @Test func `two session cookies are both ignored`() async throws {
        try await LoginFixture().run { client in
            let (_, headers) = try await browser(client)
            let one = try #require(headers[.cookie])
            try await client.refused(.missingSession, .get, "/v1/session", headers: [.cookie: "\(one); \(one)"])
            let other = "a=b; \(one); c=d"
            #expect(try await client.ask(.get, "/v1/session", headers: [.cookie: other]).status == .ok)
        }
    }

    @Test func `a bearer token takes precedence over a cookie`() async throws {
        try await LoginFixture().run { client in
            let (_, headers) = try await browser(client)
            let bearer = try await client.signIn("grace")
            let answer = try await client.ask(
                .get,
                "/v1/session",
                bearer: bearer.text("tokens.sessionToken"),
                headers: headers
            )
            #expect(try answer.text("account") == bearer.text("account.id"))
        }
    }

    @Test func `an expired session cookie is renewed during a request if there is a refresh cookie`()
        async throws
    {
        let policy = AuthPolicy(sessions: SessionPolicy(tokenLifetime: .seconds(600)))
        let fixture = try await LoginFixture(policy: policy)
        try await fixture.run { client in
            let (answer, _) = try await browser(client)
            let session = try #require(answer.cookie(SessionCookies.sessionName))
            let refresh = try #require(answer.cookie(SessionCookies.refreshName))
            let cookies = "\(SessionCookies.sessionName)=\(session); \(SessionCookies.refreshName)=\(refresh)"
            fixture.clock.advance(by: .seconds(1200))
            let alone = "\(SessionCookies.sessionName)=\(session)"
            try await client.refused(.userTokenExpired, .get, "/v1/session", headers: [.cookie: alone])
            let first = try await client.ask(.get, "/v1/session", headers: [.cookie: cookies])
            #expect(first.status == .ok)
            let new = try #require(first.cookie(SessionCookies.sessionName))
            #expect(new != session)
            // A simultaneous request of the browser still carries the previous cookies.
            let second = try await client.ask(.get, "/v1/session", headers: [.cookie: cookies])
            #expect(second.status == .ok)
            let next = "\(SessionCookies.sessionName)=\(new)"
            #expect(try await client.ask(.get, "/v1/session", headers: [.cookie: next]).status == .ok)
        }
    }

    @Test func `pages treat a closed session as signed out and delete its cookie`() async throws {
        let fixture = try await LoginFixture()
        let login = try fixture.service()
        let handlers: [(HTTPRequest.Method, LoginService.PageHandler)] = [
            (
                .get,
                { visit, _ in
                    let text = visit.session == nil ? "nobody" : "somebody"
                    return ServerResponse(status: .ok, body: ServerResponse.Body(text.utf8))
                }
            )
        ]
        let route = login.pageRoute("/page", handlers, refusesOtherMethods: true)
        let pages = TestServer { request in try await route.respond(to: request) }
        try await fixture.run { client in
            let (_, headers) = try await browser(client)
            let token = try await client.session(of: "grace")
            #expect(try await pages.send(.get, "/page", headers).text == "somebody")
            try await client.ask(.post, "/v1/sign-out", headers: headers.merging(Self.ownPage))
            let signedOut = try await pages.send(.get, "/page", headers)
            #expect(signedOut.text == "nobody")
            #expect(signedOut.headers[values: .setCookie].contains { $0.hasPrefix("__Host-session=;") })
            // A bearer token is refused, since there is no cookie to delete.
            try await client.ask(.post, "/v1/sign-out", bearer: token)
            #expect(try await pages.send(.get, "/page", [.authorization: "Bearer \(token)"]).status == .unauthorized)
        }
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        var merged = self
        for field in others { merged.append(field) }
        return merged
    }
}
#endif
