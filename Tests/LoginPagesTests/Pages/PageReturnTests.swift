// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import LimitedLogin
internal import LimitedLoginTesting
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginPages

/// Users return to the page that they requested, however they sign in.
@Suite struct PageReturnTests {
    /// The page that the user requested.
    private static let target = "/sessions"
    private static let login = "/login?returnTo=%2Fsessions"

    /// Creates an account from a provider's login, with an app as the second factor, and signs out.
    private func account(of provider: String, _ browser: PageBrowser) async throws -> AuthenticatorApp {
        try await browser.get("/login")
        try await browser.submit("/login/\(provider)")
        let app = try await browser.enroll()
        try await browser.submit("/sign-out")
        // A code can be used once.
        browser.bench.clock.advance(by: .seconds(60))
        return app
    }

    /// Creates an account with a verified address known to the other provider, a password and a Facebook login; signs
    /// out.
    private func accountWithAddress(_ browser: PageBrowser) async throws {
        try await browser.signUp("ada@example.com")
        try await browser.verifyAddress()
        try await browser.submit("/link/facebook")
        #expect(try browser.notice() == "The sign-in method is linked.")
        try await browser.submit("/sign-out")
        browser.bench.other.settings.person.claims["email"] = "ada@example.com"
    }

    @Test func `a sign-in that ends by wrong codes can begin again, and returns to the requested page`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            _ = try await account(of: "other", browser)
            try await browser.get(Self.login)
            try await browser.submit("/login/other")
            for _ in 0..<5 { try await browser.submit("/login/second-factor", ["code": "000000"]) }
            let links = try browser.page().all("main").flatMap { $0.all("a") }.compactMap { $0["href"] }
            #expect(links.contains(Self.login), "\(links)")
        }
    }

    @Test(arguments: [false, true])
    func `a second factor after a provider returns to the requested page, also after a wrong code`(isWrongFirst: Bool)
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            let app = try await account(of: "other", browser)
            try await browser.get(Self.login)
            try await browser.submit("/login/other")
            #expect(browser.path == "/login/second-factor")
            if isWrongFirst {
                try await browser.submit("/login/second-factor", ["code": "000000"])
                #expect(browser.status == 422)
            }
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(browser.path == Self.target)
        }
    }

    @Test func `a second factor after a posted callback returns to the requested page`() async throws {
        let bench = try await PageBench(postsForm: true)
        try await bench.run { browser in
            let app = try await account(of: "other", browser)
            try await browser.get(Self.login)
            try await browser.submit("/login/other")
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(browser.path == Self.target)
        }
    }

    @Test(arguments: ["//evil.example", "https://evil.example", "/\\evil.example", "/.//evil.example"])
    func `a second factor does not redirect to another site`(_ target: String) async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            let app = try await account(of: "other", browser)
            try await browser.get("/login")
            try await browser.submit("/login/other") { $0["returnTo"] = target }
            #expect(browser.path == "/login/second-factor")
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(browser.path == "/")
        }
    }

    @Test func `a password and a second factor return to the requested page`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let app = try await browser.enroll()
            try await browser.submit("/sign-out")
            bench.clock.advance(by: .seconds(60))
            try await browser.get(Self.login)
            let typed = ["email": "ada@example.com", "password": PageBrowser.password]
            try await browser.submit("/login/password", typed)
            try await browser.submit("/login/second-factor", ["code": "000000"])
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(browser.path == Self.target)
        }
    }

    @Test(arguments: ["facebook", "password"])
    func `a conflict returns to the requested page after the user has signed in to the account`(way: String)
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await accountWithAddress(browser)
            try await browser.get(Self.login)
            try await browser.submit("/login/other")
            #expect(try browser.heading() == "You already have an account")
            let typed = way == "password" ? ["password": PageBrowser.password] : [:]
            try await browser.submit("/login/\(way)", typed)
            #expect(browser.path == "\(Self.target)?notice=linked")
        }
    }

    @Test(arguments: ["facebook", "password"])
    func `a conflict links the login and returns to the requested page after a second factor`(way: String) async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await accountWithAddress(browser)
            try await browser.signIn()
            let app = try await browser.enroll()
            try await browser.submit("/sign-out")
            bench.clock.advance(by: .seconds(60))
            try await browser.get(Self.login)
            try await browser.submit("/login/other")
            let typed = way == "password" ? ["password": PageBrowser.password] : [:]
            try await browser.submit("/login/\(way)", typed)
            #expect(browser.path == "/login/second-factor")
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(browser.path == "\(Self.target)?notice=linked")
            #expect(browser.cookies["__Host-step"] == nil)
            try await browser.get("/")
            #expect(try browser.page().all("form").count { $0["action"] == "/unlink" } == 3)
        }
    }

    @Test func `a conflict is resolved by a login at a provider that posts its callback`() async throws {
        let bench = try await PageBench(postsForm: true)
        try await bench.run { browser in
            try await browser.signUp("ada@example.com")
            try await browser.verifyAddress()
            try await browser.submit("/link/other")
            try await browser.submit("/sign-out")
            bench.facebook.settings.person.claims["email"] = "ada@example.com"
            try await browser.get(Self.login)
            try await browser.submit("/login/facebook")
            #expect(try browser.heading() == "You already have an account")
            try await browser.submit("/login/other")
            #expect(browser.path == "\(Self.target)?notice=linked")
        }
    }

    @Test func `a conflict during a conflict returns to the requested page too`() async throws {
        let bench = try await PageBench { $0[0].emailTrust = .verifiedClaimOfAnyDomain }
        try await bench.run { browser in
            try await accountWithAddress(browser)
            try await browser.get(Self.login)
            try await browser.submit("/login/other")
            // A second login with the same address, from a provider that is trusted to verify it.
            bench.facebook.settings.person.id = "777"
            bench.facebook.settings.person.claims["email"] = "ada@example.com"
            bench.facebook.settings.changeIDToken = { $0.claims["email_verified"] = true }
            try await browser.submit("/login/facebook")
            #expect(browser.path == "/conflict")
            try await browser.submit("/login/password", ["password": PageBrowser.password])
            #expect(browser.path.hasPrefix(Self.target))
        }
    }

    @Test func `a conflict offers every login except the refused one, whichever the account has`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            func offered() throws -> [String] {
                try browser.page().all("form").compactMap { $0["action"] }.filter { $0.hasPrefix("/login/") }
            }
            for links in [true, false] {
                let email = links ? "ada@example.com" : "grace@example.com"
                try await browser.signUp(email)
                try await browser.verifyAddress()
                if links { try await browser.submit("/link/facebook") }
                try await browser.submit("/sign-out")
                bench.other.settings.person.claims["email"] = .string(email)
                try await browser.get("/login")
                try await browser.submit("/login/other")
                #expect(try browser.heading() == "You already have an account")
                #expect(try offered() == ["/login/facebook", "/login/password"])
            }
        }
    }

    @Test func `a user who cancels at one provider returns to the requested page after another login`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            bench.facebook.settings.person.cancels = true
            try await browser.get(Self.login)
            try await browser.submit("/login/facebook")
            #expect(browser.path == "\(Self.login)&notice=cancelled")
            try await browser.submit("/login/other")
            #expect(browser.path == Self.target)
        }
    }

    @Test func `a user who cancels at the provider in a conflict can choose again, and the login stays pending`()
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await accountWithAddress(browser)
            bench.facebook.settings.person.cancels = true
            try await browser.get(Self.login)
            try await browser.submit("/login/other")
            try await browser.submit("/login/facebook")
            #expect(browser.path == "/conflict?notice=cancelled")
            bench.facebook.settings.person.cancels = false
            try await browser.submit("/login/facebook")
            #expect(browser.path == "\(Self.target)?notice=linked")
        }
    }

    @Test func `a user who cancels a reauthentication at a provider can reauthenticate otherwise`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await accountWithAddress(browser)
            try await browser.signIn()
            bench.clock.advance(by: .seconds(3600))
            bench.facebook.settings.person.cancels = true
            try await browser.get("/account/delete")
            try await browser.submit("/reauthenticate/facebook")
            #expect(browser.path == "/reauthenticate?returnTo=%2Faccount%2Fdelete&notice=cancelled")
            try await browser.submit("/reauthenticate", ["password": PageBrowser.password])
            #expect(browser.path == "/account/delete?notice=confirmed")
        }
    }

    @Test func `a user without a second factor enrols one where it is required, and returns`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            _ = try await browser.enroll(at: "/reauthenticate?way=confirm&returnTo=%2Fsessions")
            #expect(browser.path == "/recovery-codes?returnTo=%2Fsessions&notice=factorAdded")
            let later = try browser.page().all("a").first { $0.text == PageText.english.recovery.later }
            #expect(later?["href"] == Self.target)
        }
    }

    @Test func `recovery codes are offered on the way back only with a second factor and without codes`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            let offer = "/recovery-codes?returnTo=%2Fsessions"
            try await browser.signUp()
            try await browser.get(offer)
            #expect(browser.path == Self.target)
            _ = try await browser.enroll()
            try await browser.get(offer)
            #expect(browser.path == offer)
            try await browser.submit("/recovery-codes")
            try await browser.get(offer)
            #expect(browser.path == Self.target)
            _ = try await browser.enroll(at: "/second-factor?returnTo=%2Fsessions")
            #expect(browser.path == "\(Self.target)?notice=factorAdded")
        }
    }

    @Test func `reauthenticating at a provider requires the second factor first, and returns`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            let app = try await account(of: "other", browser)
            try await browser.get("/login")
            try await browser.submit("/login/other")
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            bench.clock.advance(by: .seconds(86400 * 2))
            try await browser.get("/reauthenticate?returnTo=%2Fsessions")
            try await browser.submit("/reauthenticate/other")
            #expect(browser.path == "/reauthenticate?way=confirm&returnTo=%2Fsessions")
            try await browser.submit("/reauthenticate", ["code": app.code(at: bench.clock.now)])
            #expect(browser.path == "\(Self.target)?notice=confirmed")
        }
    }
}
#endif
