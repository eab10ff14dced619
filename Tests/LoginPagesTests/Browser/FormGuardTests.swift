// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import LoginHummingbird
import LoginProviders
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

@testable import LoginPages

@Suite struct FormGuardTests {
    /// A client of a server whose page has a form.
    private struct Client {
        let client: any TestClientProtocol
        let auth: Auth

        struct Answer {
            let status: HTTPResponse.Status
            let headers: HTTPFields
            let text: String

            /// Returns the new value of a cookie; nil if the response does not set it.
            func cookie(_ name: String) -> String? {
                headers[values: .setCookie].first { $0.hasPrefix("\(name)=") }
                    .map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }
            }
        }

        func ask(_ method: HTTPRequest.Method, _ body: String? = nil, headers: HTTPFields = [:]) async throws -> Answer
        {
            let buffer = body.map { ByteBuffer(string: $0) }
            return try await client.execute(uri: "/form", method: method, headers: headers, body: buffer) { response in
                Answer(status: response.status, headers: response.headers, text: String(buffer: response.body))
            }
        }

        /// Signs a new user in, and returns the session token.
        func session() async throws -> String { try await auth.signInAnonymously().tokens.sessionToken }
    }

    /// Runs a test against a page with a form, and the handler of the form.
    private func run(_ test: @escaping @Sendable (Client) async throws -> Void) async throws {
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: .none,
            secrets: PageBench.secrets,
            clock: ManualClock()
        )
        let forms = FormGuard(secrets: PageBench.secrets, publicURL: PageBench.publicURL)
        let router = Router(context: BasicLoginRequestContext.self)
        router.addMiddleware {
            OriginMiddleware()
            ProblemMiddleware()
            SessionAuthenticator(auth, clock: ManualClock())
        }
        router.get("form") { request, context in
            let token = forms.token(for: request, context)
            var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: token.value)))
            token.set(in: &response)
            return response
        }
        router.post("form") { request, context in
            let form = try await FormBody(request, from: context.login)
            do throws(FormGuard.Fault) {
                try forms.check(form, of: request, context)
            } catch {
                return error.rawValue
            }
            return "taken"
        }
        try await Application(router: router).test(.router) { client in
            try await test(Client(client: client, auth: auth))
        }
    }

    private func post(_ client: Client, _ token: String?, cookie: String?, site: String = "same-origin") async throws
        -> Client.Answer
    {
        var headers: HTTPFields = [.secFetchSite: site, .contentType: "application/x-www-form-urlencoded"]
        headers[.cookie] = cookie
        return try await client.ask(.post, token.map { "csrf=\($0)&a=b" } ?? "a=b", headers: headers)
    }

    @Test func `a form with the CSRF token of a page of the same browser is accepted`() async throws {
        try await run { client in
            let page = try await client.ask(.get)
            let visitor = try #require(page.cookie(SessionCookies.visitorName))
            let cookie = "\(SessionCookies.visitorName)=\(visitor)"
            #expect(try await post(client, page.text, cookie: cookie).text == "taken")
            // The next page for the same browser has another token, and sets no cookie.
            let next = try await client.ask(.get, headers: [.cookie: cookie])
            #expect(next.text != page.text && next.cookie(SessionCookies.visitorName) == nil)
            #expect(try await post(client, next.text, cookie: cookie).text == "taken")
        }
    }

    @Test
    func `a form without a CSRF token, with another browser's token, two cookies or from another site is refused`()
        async throws
    {
        try await run { client in
            let page = try await client.ask(.get)
            let cookie = "\(SessionCookies.visitorName)=\(try #require(page.cookie(SessionCookies.visitorName)))"
            let other = try await client.ask(.get)
            let broken = String(page.text.dropLast(2)) + "AA"
            for (token, cookie, site, reason) in [
                (nil, cookie, "same-origin", "token-mismatch"), ("", cookie, "same-origin", "token-mismatch"),
                (other.text, cookie, "same-origin", "token-mismatch"),
                (broken, cookie, "same-origin", "token-mismatch"), (page.text, nil, "same-origin", "no-cookie"),
                (page.text, "\(cookie); \(cookie)", "same-origin", "repeated-cookie"),
                ("", "\(cookie); __Host-step=a; __Host-step=b", "same-origin", "repeated-cookie"),
                (page.text, "\(cookie); __Host-step=a; __Host-step=b", "same-origin", "taken"),
                (page.text, cookie, "cross-site", "other-site"), (page.text, cookie, "same-site", "other-site"),
            ] as [(String?, String?, String, String)] {
                #expect(try await post(client, token, cookie: cookie, site: site).text == reason)
            }
        }
    }

    @Test func `after a sign-in the visitor's CSRF token is refused, and each session has its own`() async throws {
        try await run { client in
            let page = try await client.ask(.get)
            let visitor = "\(SessionCookies.visitorName)=\(try #require(page.cookie(SessionCookies.visitorName)))"
            let session = try await client.session()
            let both = "\(visitor); \(SessionCookies.sessionName)=\(session)"
            #expect(try await post(client, page.text, cookie: both).text == "token-mismatch")
            let own = try await client.ask(.get, headers: [.cookie: both])
            #expect(try await post(client, own.text, cookie: both).text == "taken")
            let other = try await client.session()
            let others = "\(visitor); \(SessionCookies.sessionName)=\(other)"
            #expect(try await post(client, own.text, cookie: others).text == "token-mismatch")
        }
    }

    @Test func `a form with two CSRF tokens is refused`() async throws {
        try await run { client in
            let page = try await client.ask(.get)
            let visitor = "\(SessionCookies.visitorName)=\(try #require(page.cookie(SessionCookies.visitorName)))"
            let answer = try await post(client, "\(page.text)&csrf=\(page.text)", cookie: visitor)
            #expect(answer.text == "token-mismatch")
        }
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
