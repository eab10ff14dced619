// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginHTTP
import LoginKeys
import LoginProviders
import LoginTokens
import LoginTesting
import Foundation
import HTTPTypes
import LoginAccounts
import TestSupport
import Testing

@testable import LoginPages

@Suite struct FormGuardTests {
    /// A service whose page has a form.
    private struct Site {
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: .none,
            secrets: PageBench.secrets,
            clock: ManualClock()
        )
        let routes: LoginRoutes

        init() throws {
            let keys = try KeyCache(providers: [], transport: StubTransport())
            let login = LoginService(publicURL: PageBench.publicURL, auth: auth, keys: keys, logger: PageBench.silent)
            let forms = FormGuard(secrets: PageBench.secrets, publicURL: PageBench.publicURL)
            let page: LoginService.PageHandler = { visit, _ in
                let token = forms.token(for: visit)
                var response = ServerResponse(status: .ok, body: ServerResponse.Body(token.value.utf8))
                token.set(in: &response)
                return response
            }
            let form: LoginService.PageHandler = { visit, _ in
                let form = try await visit.form()
                var reason = "taken"
                do throws(FormGuard.Fault) {
                    try forms.check(form, of: visit)
                } catch {
                    reason = error.rawValue
                }
                return ServerResponse(status: .ok, body: ServerResponse.Body(reason.utf8))
            }
            routes = LoginRoutes([login.pageRoute("/form", [(.get, page), (.post, form)], refusesOtherMethods: true)])
        }

        /// Requests the page, whose only text is the CSRF token.
        func page(cookie: String? = nil) async throws -> ServerResponse {
            var headers = HTTPFields()
            headers[.cookie] = cookie
            return try #require(try await routes.respond(to: ServerRequest(.get, "/form", headers: headers)))
        }

        /// Posts the form, and returns the reason why it is refused, or "taken".
        func post(_ token: String?, cookie: String?, site: String = "same-origin") async throws -> String {
            var headers: HTTPFields = [.secFetchSite: site, .contentType: "application/x-www-form-urlencoded"]
            headers[.cookie] = cookie
            let body = token.map { "csrf=\($0)&a=b" } ?? "a=b"
            let request = ServerRequest(.post, "/form", headers: headers, body: body)
            return try #require(try await routes.respond(to: request)).text
        }

        /// Signs a new user in, and returns the session token.
        func session() async throws -> String { try await auth.signInAnonymously().tokens.sessionToken }
    }

    @Test func `a form with the CSRF token of a page of the same browser is accepted`() async throws {
        let site = try Site()
        let page = try await site.page()
        let visitor = try #require(page.cookie(SessionCookies.visitorName))
        let cookie = "\(SessionCookies.visitorName)=\(visitor)"
        #expect(try await site.post(page.text, cookie: cookie) == "taken")
        // The next page for the same browser has another token, and sets no cookie.
        let next = try await site.page(cookie: cookie)
        #expect(next.text != page.text && next.cookie(SessionCookies.visitorName) == nil)
        #expect(try await site.post(next.text, cookie: cookie) == "taken")
    }

    @Test
    func `a form without a CSRF token, with another browser's token, two cookies or from another site is refused`()
        async throws
    {
        let site = try Site()
        let page = try await site.page()
        let cookie = "\(SessionCookies.visitorName)=\(try #require(page.cookie(SessionCookies.visitorName)))"
        let other = try await site.page()
        let broken = String(page.text.dropLast(2)) + "AA"
        for (token, cookie, initiator, reason) in [
            (nil, cookie, "same-origin", "token-mismatch"), ("", cookie, "same-origin", "token-mismatch"),
            (other.text, cookie, "same-origin", "token-mismatch"),
            (broken, cookie, "same-origin", "token-mismatch"), (page.text, nil, "same-origin", "no-cookie"),
            (page.text, "\(cookie); \(cookie)", "same-origin", "repeated-cookie"),
            ("", "\(cookie); __Host-step=a; __Host-step=b", "same-origin", "repeated-cookie"),
            (page.text, "\(cookie); __Host-step=a; __Host-step=b", "same-origin", "taken"),
            (page.text, cookie, "cross-site", "other-site"), (page.text, cookie, "same-site", "other-site"),
        ] as [(String?, String?, String, String)] {
            #expect(try await site.post(token, cookie: cookie, site: initiator) == reason)
        }
    }

    @Test func `after a sign-in the visitor's CSRF token is refused, and each session has its own`() async throws {
        let site = try Site()
        let page = try await site.page()
        let visitor = "\(SessionCookies.visitorName)=\(try #require(page.cookie(SessionCookies.visitorName)))"
        let session = try await site.session()
        let both = "\(visitor); \(SessionCookies.sessionName)=\(session)"
        #expect(try await site.post(page.text, cookie: both) == "token-mismatch")
        let own = try await site.page(cookie: both)
        #expect(try await site.post(own.text, cookie: both) == "taken")
        let other = try await site.session()
        let others = "\(visitor); \(SessionCookies.sessionName)=\(other)"
        #expect(try await site.post(own.text, cookie: others) == "token-mismatch")
    }

    @Test func `a form with two CSRF tokens is refused`() async throws {
        let site = try Site()
        let page = try await site.page()
        let visitor = "\(SessionCookies.visitorName)=\(try #require(page.cookie(SessionCookies.visitorName)))"
        let answer = try await site.post("\(page.text)&csrf=\(page.text)", cookie: visitor)
        #expect(answer == "token-mismatch")
    }

    @Test func `a CSRF token of a previous key is accepted after a key rotation`() throws {
        let (old, new) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let before = CSRFTokens(try AccountSecrets([old])).make(for: "x")
        #expect(CSRFTokens(try AccountSecrets([new, old])).isValid(before, for: "x"))
        #expect(!CSRFTokens(try AccountSecrets([new])).isValid(before, for: "x"))
        #expect(!CSRFTokens(try AccountSecrets([new, old])).isValid(before, for: "y"))
    }
}
#endif
