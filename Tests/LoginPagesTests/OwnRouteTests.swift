// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginAccounts
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHTTP
@testable import LoginPages

/// Routes of an application that need a session, beside the pages: a browser is sent to a page, and comes back.
@Suite struct OwnRouteTests {
    /// Responds to a request for a page, or for a route of the application: `/notes`, `/secrets`, which requires a recent
    /// login, or `/admin`, which requires a second factor.
    private static func respond(to request: ServerRequest, _ bench: PageBench) async throws -> ServerResponse {
        guard ["/notes", "/secrets", "/admin"].contains(request.path) else {
            return try await bench.respond(to: request)
        }
        switch try await bench.login.session(of: request, level: request.path == "/admin" ? 2 : 1) {
        case .signedIn(let session, let visit):
            do {
                if request.path == "/secrets" { try await session.requireRecentLogin() }
                var response = ServerResponse(status: .ok, body: ServerResponse.Body(request.path.utf8.dropFirst()))
                visit.finish(&response.headers)
                return response
            } catch {
                return try await bench.login.answer(to: error, of: visit)
            }
        case .signedOut(let visit): return try await bench.login.answer(to: Problem(.missingSession), of: visit)
        case .answer(let response): return response
        }
    }

    /// Runs a test with the browser of one user.
    private func run(_ test: (PageBrowser) async throws -> Void) async throws {
        let bench = try await PageBench()
        try await test(PageBrowser(bench: bench) { try await Self.respond(to: $0, bench) })
    }

    @Test func `a sign-in leads back to the route`() async throws {
        try await run { browser in
            try await browser.another().signUp()
            try await browser.get("/notes?of=today")
            #expect(browser.path == "/login?returnTo=%2Fnotes%3Fof%3Dtoday")
            let typed = ["email": "ada@example.com", "password": PageBrowser.password]
            try await browser.submit("/login/password", typed)
            #expect(browser.path == "/notes?of=today" && browser.body == "notes")
            browser.cookies["__Host-session"] = "unknown"
            try await browser.get("/notes")
            #expect(browser.path == "/login?returnTo=%2Fnotes")
            #expect(browser.cookies["__Host-session"] == nil)
        }
    }

    @Test func `a second factor is enrolled, and later confirmed, on the way to a route that requires it`() async throws
    {
        try await run { browser in
            try await browser.signUp()
            let app = try await browser.enroll(at: "/admin")
            #expect(browser.visited.contains("/second-factor?returnTo=%2Fadmin"))
            #expect(browser.path == "/recovery-codes?returnTo=%2Fadmin&notice=factorAdded")
            try await browser.submit("/recovery-codes")
            #expect(try browser.page().all("ol").flatMap { $0.all("code") }.count == 10)
            let saved = try browser.page().all("a").first { $0.text == PageText.english.recovery.done }
            try await browser.get(try #require(saved?["href"]))
            #expect(browser.path == "/admin" && browser.body == "admin")
            browser.bench.clock.advance(by: .seconds(86400 * 2))
            try await browser.get("/admin")
            #expect(browser.path == "/reauthenticate?way=confirm&returnTo=%2Fadmin")
            try await browser.submit("/reauthenticate", ["code": app.code(at: browser.bench.clock.now)])
            #expect(browser.path == "/admin?notice=confirmed" && browser.body == "admin")
        }
    }

    @Test func `a user reauthenticates on the way to a route that requires a recent login`() async throws {
        try await run { browser in
            try await browser.signUp()
            try await browser.get("/secrets")
            #expect(browser.path == "/secrets" && browser.body == "secrets")
            browser.bench.clock.advance(by: .seconds(3600))
            try await browser.get("/secrets")
            #expect(browser.path == "/reauthenticate?returnTo=%2Fsecrets")
            try await browser.submit("/reauthenticate", ["password": PageBrowser.password])
            #expect(browser.path == "/secrets?notice=confirmed" && browser.body == "secrets")
        }
    }

    @Test func `the redirect returns only to paths of this service, and is not cached`() async throws {
        let redirect = try #require(try await PageBench().login.addedPages.functions).redirect
        let expected: [(LoginStep, path: String, location: String)] = [
            (.signIn, "/notes?a=b%20c&d=e", "/login?returnTo=%2Fnotes%3Fa%3Db%2520c%26d%3De"),
            (.stepUp, "/notes", "/reauthenticate?way=confirm&returnTo=%2Fnotes"),
            (.reauthenticate, "/notes", "/reauthenticate?returnTo=%2Fnotes"),
            (.signIn, "//evil.example", "/login"), (.signIn, "https://evil.example/", "/login"),
            (.signIn, "/\\evil.example", "/login"), (.stepUp, "/.//evil.example", "/reauthenticate?way=confirm"),
            (.signIn, "/" + String(repeating: "x", count: 2048), "/login"),
        ]
        for (step, path, location) in expected {
            let response = redirect(step, path)
            #expect(response.status == .seeOther && response.headers[.location] == location, "\(path)")
            #expect(response.headers[.cacheControl] == "no-store", "\(path)")
        }
    }
}
#endif
