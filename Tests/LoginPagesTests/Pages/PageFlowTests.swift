// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
internal import LimitedLoginTesting
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginPages

/// Complete flows on the pages, each in a browser that runs no scripts.
@Suite struct PageFlowTests {
    @Test func `a signed-out user is redirected to the sign-in and back`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/sessions")
            #expect(try browser.heading() == "Sign in")
            #expect(browser.path == "/login?returnTo=%2Fsessions")
            try await browser.get("/login?returnTo=%2Fsessions")
            try await browser.get("/sign-up?returnTo=%2Fsessions")
            try await browser.submit("/sign-up", ["email": "ada@example.com", "password": PageBrowser.password])
            #expect(try browser.heading() == PageText.english.frame.sessions)
            #expect(try browser.page().all("h2").map(\.text) == ["Firefox on Linux"])
            try await browser.get("/login?returnTo=%2Fsecond-factor")
            #expect(browser.path == "/second-factor")
        }
    }

    @Test(arguments: ["//evil.example", "https://evil.example", "/\\evil.example", "/%0a/evil.example?a=b c"])
    func `a sign-in does not redirect to another site`(_ target: String) async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.submit("/sign-out")
            try await browser.get("/login")
            try await browser.submit(
                "/login/password",
                ["email": "ada@example.com", "password": PageBrowser.password]
            ) { $0["returnTo"] = target }
            #expect(browser.path == "/" && browser.status == 200)
        }
    }

    @Test func `a wrong password is reported, with the typed address and without the password`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.submit("/sign-out")
            #expect(try browser.heading() == "You are signed out")
            try await browser.signIn(password: "something else")
            #expect(browser.status == 422)
            #expect(try browser.problems().count == 1)
            let email = try browser.page().all("input").first { $0["name"] == "email" }
            #expect(email?["value"] == "ada@example.com")
            #expect(!browser.body.contains("something else"))
            try await browser.submit("/login/password", ["password": ""])
            #expect(try browser.problems() == ["Enter your password."])
            try await browser.submit("/login/password", ["password": PageBrowser.password])
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `invalid input of a sign-up is reported beside its field`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/sign-up")
            try await browser.submit("/sign-up", ["email": "", "password": ""])
            #expect(try browser.problems() == ["Enter your e-mail address.", "Enter your password."])
            try await browser.submit("/sign-up", ["email": "ada@example.com", "password": "short"])
            #expect(try browser.page().all("input").first { $0["name"] == "password" }?["aria-invalid"] == "true")
            try await browser.submit("/sign-up", ["email": "nobody", "password": PageBrowser.password])
            #expect(try browser.page().all("input").first { $0["name"] == "email" }?["aria-invalid"] == "true")
            #expect(browser.cookies["__Host-session"] == nil)
        }
    }

    @Test func `a form with a missing or foreign CSRF token, or from another site, changes nothing`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            let typed = ["email": "ada@example.com", "password": PageBrowser.password]
            try await browser.get("/sign-up")
            try await browser.submit("/sign-up", typed) { $0["csrf"] = nil }
            #expect(browser.status == 403)
            #expect(browser.body.contains("The page was open for too long."))
            try await browser.get("/sign-up")
            try await browser.submit("/sign-up", typed) { $0["csrf"]? += "x" }
            #expect(browser.status == 403)
            let eve = browser.another()
            try await eve.get("/sign-up")
            let token = try eve.page().all("input").first { $0["name"] == "csrf" }?["value"]
            try await browser.get("/sign-up")
            try await browser.submit("/sign-up", typed) { $0["csrf"] = token }
            #expect(browser.status == 403)
            try await browser.get("/sign-up")
            let own = try browser.page().all("input").first { $0["name"] == "csrf" }?["value"]
            try await browser.send("/sign-up", .post, typed.merging(["csrf": own ?? ""]) { $1 }, "cross-site")
            #expect(browser.status == 403)
            #expect(browser.cookies["__Host-session"] == nil)
            try await browser.signUp()
            #expect(browser.cookies["__Host-session"] != nil)
        }
    }

    @Test func `a GET request changes nothing, whatever its query`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            for path in [
                "/sign-out", "/unlink?provider=password", "/account/delete?sure=yes", "/sessions/close-others",
                "/recovery-codes", "/merge?action=merge", "/conflict?action=join", "/second-factor?action=begin",
                "/login/facebook", "/link/facebook",
            ] {
                try await browser.get(path)
            }
            try await browser.get("/")
            #expect(try browser.heading() == "Your account")
            #expect(bench.facebook.requestCount() == 0)
        }
    }

    @Test func `a user signs in with a provider, and can unlink a login only after linking another`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login?returnTo=%2Fsessions")
            #expect(browser.headers[.contentSecurityPolicy]?.contains(bench.facebook.origin) ?? false)
            try await browser.submit("/login/facebook")
            #expect(browser.path == "/sessions")
            #expect(!browser.hasPendingLogin)
            try await browser.get("/")
            #expect(browser.body.contains("This is your only working sign-in method."))
            #expect(try browser.page().all("form").allSatisfy { $0["action"] != "/unlink" })
            // The page says so, and the account refuses it too.
            try await browser.submit("/link/other") { $0["returnTo"] = "//evil.example" }
            #expect(try browser.notice() == "The sign-in method is linked.")
            #expect(try browser.page().all("form").count { $0["action"] == "/unlink" } == 2)
            try await browser.submit("/unlink") { $0["provider"] = "facebook" }
            #expect(try browser.heading().contains("Facebook: ") && browser.notice() == nil)
            #expect(browser.body.contains("You can no longer sign in to this account with"))
            try await browser.submit("/unlink")
            #expect(try browser.notice() == "The sign-in method is unlinked.")
        }
    }

    @Test func `the sign-in page has a button for each provider, with its name`() async throws {
        try await PageBench().run { browser in
            try await browser.get("/login")
            let buttons = try browser.page().all("form").filter { $0["action"]?.hasPrefix("/login/") == true }
                .flatMap { $0.all("button") }.map(\.text)
            #expect(buttons.starts(with: ["Continue with Facebook", "Continue with Other"]))
        }
    }

    @Test func `a provider returns to the callback path of its own name`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            for (name, provider) in [("facebook", bench.facebook), ("other", bench.other)] {
                try await browser.get("/login")
                try await browser.submit("/login/\(name)")
                let dialog = provider.requests.last { $0.path.hasSuffix("/dialog/oauth") }
                #expect(dialog?["redirect_uri"] == "\(PageBench.publicURL)/login/\(name)/callback")
                #expect(browser.visited.contains { $0.hasPrefix("/login/\(name)/callback") })
                try await browser.submit("/sign-out")
            }
        }
    }

    @Test func `a disabled provider is not offered for linking`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            func offered() throws -> [String] {
                try browser.page().all("form").compactMap { $0["action"] }.filter { $0.hasPrefix("/link/") }
            }
            try await browser.signUp()
            #expect(try offered() == ["/link/facebook", "/link/other"])
            var settings = SignInProviders.Settings()
            settings.disabled = ["other"]
            try bench.auth.providers.apply(settings)
            try await browser.get("/")
            #expect(try offered() == ["/link/facebook"])
        }
    }

    @Test func `a user who cancels at the provider sees a notice that nothing has changed`() async throws {
        let bench = try await PageBench()
        bench.facebook.settings.person.cancels = true
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/login/facebook")
            #expect(try browser.heading() == "Sign in")
            #expect(try browser.notice() == PageText.english.notices.cancelled)
            try await browser.signUp()
            try await browser.submit("/link/facebook")
            #expect(try browser.heading() == "Your account")
            #expect(try browser.notice() == PageText.english.notices.cancelled)
        }
    }

    @Test func `an unsolicited or failed callback does not sign in`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login/facebook/callback?code=x&state=y")
            #expect(try browser.heading() == "Something went wrong")
            #expect(browser.cookies["__Host-session"] == nil)
            try await browser.get("/login/nobody/callback?code=x")
            #expect(browser.status == 404)
            try await browser.get("/login")
            bench.facebook.failNext(path: "oauth/access_token", with: .unreachable())
            try await browser.submit("/login/facebook")
            #expect(try browser.heading() == "Something went wrong")
            #expect(browser.status == 503)
            #expect(browser.headers[.retryAfter] == nil, "the same callback cannot be repeated")
            // A response with an error of the server sets no cookie. The attempt has ended in the store.
            browser.cookies = browser.cookies.filter { !$0.key.hasPrefix("__Host-login-") }
            bench.other.settings.changeIDToken = { $0.claims["aud"] = "another client" }
            try await browser.get("/login")
            try await browser.submit("/login/other")
            #expect(try browser.heading() == "Something went wrong")
            #expect(!browser.hasPendingLogin, "the attempt has ended")
        }
    }

    @Test(arguments: [
        "facebook/callback?code=x&state=y", "facebook/callback?code=x", "facebook/callback?error=access_denied",
        "facebook/callback?state=" + String(repeating: "A", count: 43), "nobody/callback?code=x",
    ])
    func `an unsolicited callback does not end the pending login`(answer: String)
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login?returnTo=%2Fsessions")
            browser.goAstray(to: "/login/\(answer)")
            try await browser.submit("/login/facebook")
            #expect(browser.path == "/sessions")
            #expect(browser.cookies["__Host-session"] != nil && !browser.hasPendingLogin)
        }
    }

    @Test func `a posted callback signs in, and links in the session that began it, with no code in a URL`()
        async throws
    {
        let bench = try await PageBench(postsForm: true)
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/login/other")
            #expect(try browser.heading() == "Your account")
            try await browser.submit("/sign-out")
            bench.other.settings.person.id = "333"
            bench.other.settings.person.claims["email"] = "eve@example.com"
            try await browser.signUp()
            try await browser.submit("/link/other")
            #expect(try browser.notice() == "The sign-in method is linked.")
            #expect(browser.body.contains("ada@example.com"))
            // The code of a posted callback is in no URL.
            #expect(browser.visited.contains { $0.hasPrefix("/login/other/callback?login=") })
            #expect(!browser.visited.contains { $0.contains("code=") || $0.contains("state=") })
        }
    }

    @Test func `a form that another site posts to the callback does not end the pending login`()
        async throws
    {
        let bench = try await PageBench(postsForm: true)
        try await bench.run { browser in
            try await browser.signUp()
            browser.goAstray(to: "/login/other/callback", posting: ["code": "x", "state": "y"])
            try await browser.submit("/link/other")
            #expect(try browser.notice() == "The sign-in method is linked.")
            #expect(!browser.hasPendingLogin)
        }
    }

    @Test(arguments: [(0, 2), (1, 1)])
    func `a posted callback of a sign-in that is too long for a cookie is completed at once`(
        excess: Int,
        requests: Int
    ) async throws {
        let bench = try await PageBench(postsForm: true)
        try await bench.run { browser in
            let callback = try await browser.leave(at: "other", returnTo: "/sessions")
            try await browser.arrive(with: callback.padded(to: PendingLogin.longestCallback + excess))
            // With the second request, the browser sends the session and a pending conflict.
            #expect(browser.visited.count { $0.hasPrefix("/login/other/callback") } == requests)
            #expect(browser.path == "/sessions")
        }
    }

    @Test(arguments: [(0, 200), (1, 400)])
    func `a posted callback of a link that is too long for a cookie is refused`(excess: Int, status: Int) async throws {
        let bench = try await PageBench(postsForm: true)
        try await bench.run { browser in
            try await browser.signUp()
            let callback = try await browser.leave(by: "/link/other")
            try await browser.arrive(with: callback.padded(to: PendingLogin.longestCallback + excess))
            #expect(browser.status == status)
            #expect(browser.hasPendingLogin == (status != 200), "the attempt is not used up")
        }
    }

    @Test func `an unavailable store is reported on a page, and the user stays signed in`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            bench.store.failure = .unavailable
            for path in ["/", "/login", "/sessions"] {
                try await browser.get(path)
                #expect(browser.status == 503)
                #expect(try browser.heading() == "Something went wrong")
                #expect(browser.body.contains("store-unavailable"))
                #expect(!browser.body.contains("the disk"))
            }
            bench.store.failure = nil
            try await browser.get("/")
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `sessions are listed and closed, one or all others`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let others = [browser.another(), browser.another(), browser.another()]
            for other in others { try await other.signIn() }
            try await browser.get("/sessions")
            let close = try browser.page().all("form").compactMap { $0["action"] }.filter { $0.hasSuffix("/close") }
            #expect(close.count == 3)
            try await browser.submit(try #require(close.first))
            #expect(try browser.notice() == "That device is signed out.")
            try await browser.submit("/sessions/close-others")
            #expect(try browser.notice() == "All other devices are signed out.")
            for other in others {
                try await other.get("/")
                #expect(try other.heading() == "Sign in")
                #expect(other.cookies["__Host-session"] == nil)
            }
            #expect(browser.body.contains("You are not signed in anywhere else."))
        }
    }

    @Test func `account data and deletion require a recent login`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.get("/account/data")
            #expect(browser.headers[.contentDisposition] == "attachment; filename=\"account.json\"")
            #expect(browser.body.contains("ada@example.com"))
            bench.clock.advance(by: .seconds(3600))
            try await browser.get("/account/data")
            #expect(browser.path == "/reauthenticate?returnTo=%2Faccount%2Fdata")
            try await browser.submit("/reauthenticate", ["password": "something else"])
            #expect(try browser.problems().count == 1)
            try await browser.submit("/reauthenticate", ["password": PageBrowser.password])
            #expect(browser.path == "/account/data?notice=confirmed")
            try await browser.get("/account/delete")
            try await browser.submit("/account/delete")
            #expect(try browser.problems() == [PageText.english.deletion.sureMissing])
            try await browser.submit("/account/delete", ["sure": "yes"])
            #expect(try browser.heading() == "Your account is deleted")
            #expect(try browser.page().all("main").flatMap { $0.all("a") }.isEmpty)
            try await browser.signIn()
            #expect(try browser.problems().count == 1)
        }
    }

    @Test func `an address is verified by the link of a message and a button`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            #expect(try browser.notice() == PageText.english.notices.signedUp)
            #expect(browser.body.contains("not confirmed"))
            try await browser.submit("/verify-email/send")
            #expect(try browser.notice() == PageText.english.notices.messageSent)
            let token = try #require(bench.mail.token(.verifyEmail))
            try await browser.get("/verify-email?token=\(token)")
            try await browser.submit("/verify-email")
            #expect(try browser.notice() == PageText.english.notices.emailVerified)
            #expect(!browser.body.contains("not confirmed"))
        }
    }

    @Test func `the style sheet and the script are cached only under their current hashes`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            for asset in PageAsset.all {
                try await browser.get(asset.path.text)
                #expect(
                    browser.body == String(decoding: asset.bytes, as: UTF8.self)
                        && browser.headers[.contentType] == asset.type
                )
                #expect(browser.headers[.cacheControl] == "public, max-age=31536000, immutable")
                try await browser.get("\(asset.route)?v=old")
                #expect(browser.headers[.cacheControl] == "no-store")
            }
        }
    }
}
#endif
