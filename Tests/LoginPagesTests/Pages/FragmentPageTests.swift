// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
internal import LimitedLoginTesting
import Testing

@testable import LoginPages

/// Logins at a provider that responds in the fragment of the URL, with the page whose script posts it.
@Suite struct FragmentPageTests {
    private static let path = "/login/facebook/callback"

    /// Begins a Limited Login, and returns from Facebook.
    private func begin(_ browser: PageBrowser, at page: String = "/login") async throws {
        try await browser.get(page)
        try await browser.submit("/login/facebook")
        #expect(browser.path == Self.path && browser.status == 200)
        #expect(try browser.heading() == PageText.english.fragment.title)
    }

    @Test func `a Limited Login signs in when the script posts the fragment`() async throws {
        let bench = try await PageBench.limited()
        try await bench.run { browser in
            try await begin(browser, at: "/login?returnTo=%2Fsessions")
            #expect(browser.headers[.contentSecurityPolicy]?.contains("script-src 'self';") ?? false)
            #expect(browser.cookies["__Host-session"] == nil)
            try await browser.postFragment()
            #expect(browser.path == "/sessions")
            #expect(browser.headers[.contentSecurityPolicy]?.contains("script-src") == false)
            #expect(browser.cookies["__Host-session"] != nil && !browser.hasPendingLogin)
            // The form of the same site has the cookies, and needs no second request.
            #expect(browser.visited.count { $0 == Self.path } == 2)
            #expect(!browser.visited.contains { $0.contains("id_token") || $0.contains("state=") })
        }
    }

    @Test func `a Limited Login is linked in the session that began it`() async throws {
        let bench = try await PageBench.limited()
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.submit("/link/facebook")
            try await browser.postFragment()
            #expect(try browser.notice() == PageText.english.notices.linked)
        }
    }

    @Test func `a fragment with a wrong state or ID token does not sign in, and a wrong ID token ends the login`()
        async throws
    {
        let bench = try await PageBench.limited()
        try await bench.run { browser in
            try await begin(browser)
            for other in [nil, String(repeating: "A", count: 43)] {
                try await browser.postFragment { $0["state"] = other }
                #expect(try browser.heading() == PageText.english.problem.title)
                #expect(browser.cookies["__Host-session"] == nil && browser.hasPendingLogin)
                try await browser.get(Self.path)
            }
            try await browser.postFragment { $0["id_token"] = "e30.e30.e30" }
            #expect(try browser.heading() == PageText.english.problem.title)
            #expect(browser.cookies["__Host-session"] == nil && !browser.hasPendingLogin)
            // The attempt has ended: the right fragment is too late.
            try await browser.get(Self.path)
            try await browser.postFragment()
            #expect(try browser.heading() == PageText.english.problem.title)
            #expect(browser.cookies["__Host-session"] == nil)
        }
    }

    @Test func `a fragment that another site posts does not sign in, and does not end the login`() async throws {
        let bench = try await PageBench.limited()
        try await bench.run { browser in
            try await begin(browser)
            let cookies = browser.cookies
            for site in ["cross-site", "same-site"] {
                // A subdomain's form has the cookies, those of other sites have none.
                try await browser.send(Self.path, .post, browser.fragment, site)
                #expect(browser.status == 403)
                #expect(try browser.heading() == PageText.english.problem.title)
                #expect(browser.cookies == cookies)
            }
            try await browser.get(Self.path)
            try await browser.postFragment()
            #expect(browser.path == "/" && browser.cookies["__Host-session"] != nil)
        }
    }

    @Test(arguments: [true, false])
    func `a cancelled Limited Login changes nothing, whether the fragment or the query reports it`(
        isInQuery: Bool
    ) async throws {
        let bench = try await PageBench.limited()
        bench.facebook.settings.person.cancels = true
        try await bench.run { browser in
            try await begin(browser)
            if isInQuery {
                let state = try #require(browser.fragment["state"])
                try await browser.get("\(Self.path)?error=access_denied&error_reason=user_denied&state=\(state)")
            } else {
                try await browser.postFragment()
            }
            #expect(try browser.notice() == PageText.english.notices.cancelled)
            #expect(browser.cookies["__Host-session"] == nil && !browser.hasPendingLogin)
        }
    }

    @Test func `a provider that responds in the query has no page for a fragment`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get(Self.path)
            #expect(try browser.heading() == PageText.english.problem.title)
            #expect(try browser.page().all("script").isEmpty)
        }
    }
}
#endif
