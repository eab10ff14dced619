// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
internal import LimitedLoginTesting
import LoginAccounts
import LoginHTTP
import LoginTesting
import LoginTokens
import Testing

@testable import LoginPages

/// Callbacks as browsers deliver them: from several tabs, again, early, and in another browser.
@Suite struct SecondCallbackTests {
    private static let problem = PageText.english.problem

    @Test(arguments: CallbackMode.allCases)
    func `logins in two tabs both succeed, in either order`(mode: CallbackMode) async throws {
        for isReversed in [false, true] {
            try await mode.bench().run { browser in
                var tabs: [(callback: WaitingCallback, target: String)] = []
                for target in ["/sessions", "/second-factor"] {
                    tabs.append((try await browser.leave(at: mode.provider, returnTo: target), target))
                }
                for tab in isReversed ? tabs.reversed() : tabs {
                    try await browser.arrive(with: tab.callback)
                    #expect(browser.path == tab.target && browser.status == 200)
                }
                #expect(browser.cookies[SessionCookies.sessionName] != nil && !browser.hasPendingLogin)
            }
        }
    }

    @Test(arguments: CallbackMode.allCases)
    func `a fourth login ends the oldest, and the other three succeed`(mode: CallbackMode) async throws {
        let bench = try await mode.bench()
        try await bench.run { browser in
            var callbacks: [WaitingCallback] = []
            for _ in 0..<4 {
                bench.clock.advance(by: .seconds(1))
                callbacks.append(try await browser.leave(at: mode.provider, returnTo: "/sessions"))
            }
            #expect(browser.logins.count == 3)
            try await browser.arrive(with: callbacks[0])
            #expect(browser.status == 403 && browser.body.contains(Self.problem.unknownLogin))
            for callback in callbacks.dropFirst() {
                try await browser.arrive(with: callback)
                #expect(browser.path == "/sessions")
            }
        }
    }

    @Test(arguments: CallbackMode.allCases)
    func `the same callback in the session that it opened leads on, and opens no other`(mode: CallbackMode)
        async throws
    {
        let bench = try await mode.bench()
        try await bench.run { browser in
            let callback = try await browser.leave(at: mode.provider, returnTo: "/sessions")
            try await browser.arrive(with: callback)
            let (session, requests) = (browser.cookies[SessionCookies.sessionName], bench.requestCount)
            try await browser.get("/")
            for _ in 0..<2 {
                try await browser.arrive(with: callback)
                #expect(browser.path == "/sessions" && browser.status == 200)
            }
            #expect(session != nil && browser.cookies[SessionCookies.sessionName] == session)
            #expect(bench.requestCount == requests, "no request to the provider")
            #expect(try browser.page().all("h2").count == 1, "no other session")
        }
    }

    @Test(arguments: CallbackMode.allCases)
    func `the same callback after the sign-out explains itself, and does not sign in`(mode: CallbackMode) async throws {
        let bench = try await mode.bench()
        try await bench.run { browser in
            let callback = try await browser.leave(at: mode.provider, returnTo: "/sessions")
            try await browser.arrive(with: callback)
            try await browser.submit("/sign-out")
            try await browser.arrive(with: callback)
            #expect(browser.status == 403 && browser.body.contains(Self.problem.finishedLogin))
            #expect(browser.cookies[SessionCookies.sessionName] == nil)
            // The page begins another login, with the return path.
            let another = try await browser.leave(by: "/login/\(mode.provider)")
            try await browser.arrive(with: another)
            #expect(browser.path == "/sessions")
        }
    }

    @Test func `the same callback in a later session of the browser does not lead on`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            let callback = try await browser.leave(at: "facebook", returnTo: "/sessions")
            try await browser.arrive(with: callback)
            try await browser.submit("/sign-out")
            try await browser.signUp()
            let session = browser.cookies[SessionCookies.sessionName]
            try await browser.arrive(with: callback)
            #expect(browser.status == 403 && browser.body.contains(Self.problem.finishedLogin))
            #expect(browser.cookies[SessionCookies.sessionName] == session)
            #expect(try browser.page().all("form").allSatisfy { $0["action"] != "/login/facebook" })
        }
    }

    @Test func `the same callback of a linked login leads on in its session`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let callback = try await browser.leave(by: "/link/facebook")
            for _ in 0..<2 {
                try await browser.arrive(with: callback)
                #expect(try browser.notice() == PageText.english.notices.linked)
            }
        }
    }

    @Test func `a callback whose first response was lost explains itself, and changes no cookie`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            let callback = try await browser.leave(at: "facebook", returnTo: "/sessions")
            let before = browser.cookies
            try await browser.arrive(with: callback)
            browser.cookies = before
            try await browser.arrive(with: callback)
            #expect(try browser.heading() == Self.problem.title && browser.body.contains(Self.problem.finishedLogin))
            #expect(browser.cookies == before)
        }
    }

    @Test func `a cancelled login is not continued by another callback`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            bench.facebook.settings.person.cancels = true
            let callback = try await browser.leave(at: "facebook", returnTo: "/sessions")
            try await browser.arrive(with: callback)
            #expect(try browser.notice() == PageText.english.notices.cancelled)
            try await browser.arrive(with: callback)
            #expect(browser.status == 403 && browser.body.contains(Self.problem.finishedLogin))
        }
    }

    @Test(arguments: CallbackMode.allCases)
    func `a callback in another browser uses nothing up, and begins another login there`(mode: CallbackMode)
        async throws
    {
        let bench = try await mode.bench()
        try await bench.run { browser in
            let callback = try await browser.leave(at: mode.provider, returnTo: "/sessions")
            let requests = bench.requestCount
            let inApp = browser.another()
            try await inApp.arrive(with: callback)
            #expect(inApp.status == 403 && inApp.body.contains(Self.problem.unknownLogin))
            #expect(inApp.cookies[SessionCookies.sessionName] == nil && inApp.logins.isEmpty)
            #expect(bench.requestCount == requests, "the code was not exchanged")
            // A form of the provider's shows no cookies, so its page leads to the sign-in page.
            if mode == .form { try await inApp.get("/login") }
            try await inApp.arrive(with: try await inApp.leave(by: "/login/\(mode.provider)"))
            #expect(inApp.cookies[SessionCookies.sessionName] != nil)
            try await browser.arrive(with: callback)
            #expect(browser.path == "/sessions")
        }
    }

    @Test(arguments: CallbackMode.allCases, ["prefetch", "prefetch;prerender"])
    func `a callback that the browser preloads uses nothing up`(mode: CallbackMode, purpose: String) async throws {
        let bench = try await mode.bench()
        try await bench.run { browser in
            let callback = try await browser.leave(at: mode.provider, returnTo: "/sessions")
            let requests = bench.requestCount
            let cookies = browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
            for method in [HTTPRequest.Method.get, .head, .post] {
                let headers: HTTPFields = [
                    .cookie: cookies, .known("Sec-Purpose"): purpose, .secFetchSite: "cross-site",
                    .contentType: "application/x-www-form-urlencoded",
                ]
                let response = try await bench.respond(
                    to: ServerRequest(
                        method,
                        callback.path,
                        headers: headers,
                        body: PageBrowser.encoded(callback.fields)
                    )
                )
                #expect(response.status == .serviceUnavailable)
                #expect(response.headers[.cacheControl] == "no-store" && response.headers[.setCookie] == nil)
            }
            #expect(bench.requestCount == requests)
            try await browser.arrive(with: callback)
            #expect(browser.path == "/sessions")
        }
    }

    @Test func `preloaded callbacks count against no limit, renew no session, and other pages are preloaded`()
        async throws
    {
        let bench = try await PageBench(limits: RequestLimits(requests: 1))
        let session = "\(SessionCookies.sessionName)=made-up"
        func get(_ path: String, purpose: String?) async throws -> ServerResponse {
            var headers: HTTPFields = [.cookie: session]
            headers[.known("Purpose")] = purpose
            return try await bench.respond(
                to: ServerRequest(.get, path, headers: headers, from: .address("198.51.100.7"))
            )
        }
        let callback = "/login/facebook/callback?code=x"
        for _ in 0..<3 {
            let response = try await get(callback, purpose: "prefetch")
            #expect(response.status == .serviceUnavailable && response.headers[.setCookie] == nil)
        }
        #expect(try await get("/login", purpose: "prefetch").status == .ok)
        #expect(try await get(callback, purpose: nil).status == .tooManyRequests)
    }

    @Test(arguments: CallbackMode.allCases)
    func `HEAD and other methods use nothing up`(mode: CallbackMode) async throws {
        let bench = try await mode.bench()
        try await bench.run { browser in
            let callback = try await browser.leave(at: mode.provider, returnTo: "/sessions")
            let cookies = browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
            for method in [HTTPRequest.Method.head, .put, .delete, .options] {
                let request = ServerRequest(method, callback.path, headers: [.cookie: cookies])
                let response = try await bench.respond(to: request)
                #expect(response.status == .methodNotAllowed && response.headers[.setCookie] == nil)
            }
            try await browser.arrive(with: callback)
            #expect(browser.path == "/sessions")
        }
    }
}

extension PageBench {
    /// The number of requests to the two providers.
    fileprivate var requestCount: Int { facebook.requestCount() + other.requestCount() }
}
#endif
