// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginTokens
import LoginTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginAccounts
import NIOCore
import TestSupport
import Testing

@testable import LoginHummingbird

@Suite struct FormGuardTests {
    /// A page with a form, and what takes it.
    private func run(_ test: @Sendable (APIClient) async throws -> Void) async throws {
        let fixture = try await LoginFixture()
        let router = fixture.router
        let forms = FormGuard(secrets: LoginFixture.secrets, publicURL: LoginFixture.publicURL)
        let pages = router.group().add(middleware: SessionAuthenticator(fixture.auth, clock: fixture.clock))
        pages.get("form") { request, context in
            let token = forms.token(for: request, context)
            var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: token.value)))
            token.set(in: &response)
            return response
        }
        pages.post("form") { request, context in
            try forms.check(try await FormBody(request), of: request, context)
            return "taken"
        }
        try await fixture.run(router, test)
    }

    private func post(_ client: APIClient, _ token: String?, cookie: String?, site: String = "same-origin") async throws
        -> APIClient.Answer
    {
        var headers: HTTPFields = [.secFetchSite: site, .contentType: "application/x-www-form-urlencoded"]
        headers[.cookie] = cookie
        return try await client.ask(.post, "/form", token.map { "csrf=\($0)&a=b" } ?? "a=b", headers: headers)
    }

    @Test func `a form of a page that this browser was shown is taken`() async throws {
        try await run { client in
            let page = try await client.ask(.get, "/form")
            let visitor = try #require(page.cookie(FormGuard.visitorCookie))
            let cookie = "\(FormGuard.visitorCookie)=\(visitor)"
            #expect(try await post(client, page.text, cookie: cookie).text == "taken")
            // The next page of the same browser has another token, and no new cookie.
            let next = try await client.ask(.get, "/form", headers: [.cookie: cookie])
            #expect(next.text != page.text && next.cookie(FormGuard.visitorCookie) == nil)
            #expect(try await post(client, next.text, cookie: cookie).text == "taken")
        }
    }

    @Test func `one without a token, with another browser's, or of another site is refused`() async throws {
        try await run { client in
            let page = try await client.ask(.get, "/form")
            let cookie = "\(FormGuard.visitorCookie)=\(try #require(page.cookie(FormGuard.visitorCookie)))"
            let other = try await client.ask(.get, "/form")
            let broken = String(page.text.dropLast(2)) + "AA"
            for (token, cookie, site) in [
                (nil, cookie, "same-origin"), ("", cookie, "same-origin"), (other.text, cookie, "same-origin"),
                (broken, cookie, "same-origin"), (page.text, nil, "same-origin"), (page.text, cookie, "cross-site"),
                (page.text, cookie, "same-site"),
            ] as [(String?, String?, String)] {
                let answer = try await post(client, token, cookie: cookie, site: site)
                #expect(try answer.text("code") == "cross-site-request")
            }
        }
    }

    @Test func `once somebody is signed in, what was made for the visitor is no good`() async throws {
        try await run { client in
            let page = try await client.ask(.get, "/form")
            let visitor = "\(FormGuard.visitorCookie)=\(try #require(page.cookie(FormGuard.visitorCookie)))"
            let session = try await client.session(of: "ada")
            let both = "\(visitor); \(SessionCookies.sessionName)=\(session)"
            #expect(try await post(client, page.text, cookie: both).status == .forbidden)
            let own = try await client.ask(.get, "/form", headers: [.cookie: both])
            #expect(try await post(client, own.text, cookie: both).text == "taken")
            let other = try await client.session(of: "grace")
            let others = "\(visitor); \(SessionCookies.sessionName)=\(other)"
            #expect(try await post(client, own.text, cookie: others).status == .forbidden)
        }
    }

    @Test func `a form with a field twice has none`() async throws {
        try await run { client in
            let page = try await client.ask(.get, "/form")
            let visitor = "\(FormGuard.visitorCookie)=\(try #require(page.cookie(FormGuard.visitorCookie)))"
            let answer = try await post(client, "\(page.text)&csrf=\(page.text)", cookie: visitor)
            #expect(answer.status == .forbidden)
        }
    }

    @Test func `keys that were rotated still open what was made with those before`() throws {
        let (old, new) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let before = CSRFTokens(AccountSecrets([old])).make(for: "x")
        #expect(CSRFTokens(AccountSecrets([new, old])).isGood(before, for: "x"))
        #expect(!CSRFTokens(AccountSecrets([new])).isGood(before, for: "x"))
        #expect(!CSRFTokens(AccountSecrets([new, old])).isGood(before, for: "y"))
    }
}
#endif
