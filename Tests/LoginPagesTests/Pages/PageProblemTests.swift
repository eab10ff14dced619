// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginAccounts
import LoginProviders
import Testing

@testable import LoginHummingbird
@testable import LoginPages

/// The error page for browsers.
@Suite struct PageProblemTests {
    private func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        accept: String,
        times: Int = 1,
        on service: PageBench? = nil
    ) async throws -> (status: HTTPResponse.Status, type: String?, body: String, retryAfter: String?) {
        let bench = if let service { service } else { try await PageBench() }
        let now = ContinuousClock.now
        let headers: HTTPFields = [.accept: accept, .xForwardedFor: "198.51.100.7"]
        let router = Router(context: BasicLoginRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            OriginMiddleware(trustedProxies: TrustedProxies([]))
            ProblemMiddleware()
            PageProblemMiddleware(bench.pages)
            RateLimitMiddleware(now: { now }) { 2 }
        }
        bench.pages.addRoutes(to: router)
        router.get("refused") { _, _ -> Response in throw Problem(.notFound) }
        return try await Application(router: router).test(.router) { client in
            for _ in 1..<times {
                try await client.execute(uri: path, method: method, headers: headers) { _ in }
            }
            return try await client.execute(uri: path, method: method, headers: headers) {
                ($0.status, $0.headers[.contentType], String(buffer: $0.body), $0.headers[.retryAfter])
            }
        }
    }

    @Test func `a browser gets an error page, and a program a problem document`() async throws {
        let page = try await ask(.get, "/nowhere", accept: "text/html,*/*;q=0.8")
        #expect(page.status == .notFound && page.type?.hasPrefix("text/html") ?? false && !page.body.isEmpty)
        let problem = try await ask(.get, "/nowhere", accept: "*/*")
        #expect(problem.status == .notFound && problem.type == "application/problem+json" && !problem.body.isEmpty)
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `a browser over the rate limit gets an error page, and a program a problem document`(
        method: HTTPRequest.Method
    ) async throws {
        let last = try await ask(method, "/nowhere", accept: "text/html", times: 2)
        #expect(last.status == .notFound)
        let page = try await ask(method, "/nowhere", accept: "text/html", times: 3)
        #expect(page.status == .tooManyRequests && page.type == "text/html; charset=utf-8")
        #expect(page.body.contains("too-many-requests") && page.retryAfter != nil)
        let problem = try await ask(method, "/nowhere", accept: "*/*", times: 3)
        #expect(problem.status == .tooManyRequests && problem.type == "application/problem+json")
        #expect(problem.retryAfter != nil)
    }

    @Test func `a problem that a route throws stays a problem document`() async throws {
        let answer = try await ask(.get, "/refused", accept: "text/html")
        #expect(answer.status == .notFound && answer.type == "application/problem+json")
    }

    @Test(arguments: ["text/html", "*/*"]) func `HEAD to an unknown path is answered without a body`(accept: String)
        async throws
    {
        let answer = try await ask(.head, "/nowhere", accept: accept)
        #expect(answer.status == .notFound && answer.body.isEmpty)
        #expect(answer.type == (accept == "*/*" ? "application/problem+json" : "text/html; charset=utf-8"))
    }

    @Test func `HEAD to a callback is refused`() async throws {
        let path = "/login/facebook/callback?code=x&state=y"
        #expect(try await ask(.head, path, accept: "text/html").status == .methodNotAllowed)
        #expect(try await ask(.get, path, accept: "text/html").status == .forbidden)
        let (limited, page) = (try await PageBench.limited(), "/login/facebook/callback")
        #expect(try await ask(.head, page, accept: "text/html", on: limited).status == .methodNotAllowed)
        #expect(try await ask(.get, page, accept: "text/html", on: limited).status == .ok)
    }

    @Test func `a rejected client registration is an internal error, and an error of the provider is named`()
        async throws
    {
        let actions = PageActions(auth: try await PageBench().auth)
        let rejected = LoginFailure(.exchangeRefused, "the error invalid_client", isMisconfigured: true)
        for (reason, status, words) in [
            (rejected, 500, "This is not your fault."),
            (LoginFailure(.providerError, "the error access_denied"), 403, "cancelled or failed at the provider"),
        ] {
            let failure = BrowserLogin.Failure(reason, purpose: .signIn)
            let reply = try await actions.providers.failed(failure, PageRequest(csrf: "", requestID: ""))
            guard case .page(let page) = reply.body else {
                Issue.record("no page")
                return
            }
            #expect(reply.status == status && page.html.markup.contains(words))
        }
        let other = BrowserLogin.Failure(LoginFailure(.exchangeRefused, "the error invalid_grant"), purpose: .signIn)
        await #expect(throws: Problem.self) {
            try await actions.providers.failed(other, PageRequest(csrf: "", requestID: ""))
        }
    }

    @Test func `an error page has the user's name, the step that helps, and the support if there is one`() async throws
    {
        var options = SignInPagesOptions()
        options.support = SupportLink("mailto:help@example.com")
        for (options, support) in [(options, ["mailto:help@example.com"]), (SignInPagesOptions(), [String]())] {
            try await PageBench(options: options).run { browser in
                func links() throws -> [String] {
                    try browser.page().all("main").flatMap { $0.all("a") }.compactMap { $0["href"] }
                }
                try await browser.get("/login/facebook/callback?code=x&state=y")
                #expect(try links() == ["/login"] + support)
                try await browser.get("/new-password?token=x")
                try await browser.submit("/new-password", ["password": PageBrowser.password])
                #expect(try links() == ["/forgotten-password"] + support)
                try await browser.signUp()
                try await browser.get("/verify-email?token=x")
                try await browser.submit("/verify-email")
                #expect(try links() == ["/"] + support)
                #expect(try browser.page().all("header").first?.text.contains("ada@example.com") == true)
            }
        }
    }

    @Test func `support is a URL with https or mailto`() {
        for text in ["https://example.com/help?a=b", "mailto:help@example.com"] {
            #expect(SupportLink(text)?.text == text)
        }
        for text in ["", "https://", "mailto:", "http://example.com", "javascript:alert(1)", "mailto:a b", "https://é"]
        {
            #expect(SupportLink(text) == nil, "\(text)")
        }
    }

    @Test func `an error that a hook throws is rethrown as if a handler had thrown it`() async throws {
        struct Refusal: Error {}
        let bench = try await PageBench()
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: bench.auth.providers,
            secrets: PageBench.secrets,
            clock: bench.clock,
            hooks: AuthHooks(onSignIn: { _, _ in throw Refusal() })
        )
        await #expect(throws: Refusal.self) {
            try await PageActions(auth: auth).problems.run(PageRequest(csrf: "", requestID: "")) { _ in
                _ = try await auth.signInAnonymously()
                return .redirect(.home)
            }
        }
    }
}
#endif
