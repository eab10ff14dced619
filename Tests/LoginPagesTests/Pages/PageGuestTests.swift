// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
internal import LimitedLoginTesting
import LoginAccounts
import LoginProviders
import LoginTesting
import Testing

@testable import LoginPages

/// Guests, who have an account without a login.
@Suite struct PageGuestTests {
    @Test func `a guest continues without a login, and keeps the account by setting a password`() async throws {
        var options = SignInPagesOptions()
        options.allowsGuests = true
        let bench = try await PageBench(options: options)
        try await bench.run { browser in
            try await browser.get("/login?returnTo=/sessions")
            try await browser.submit("/guest")
            #expect(browser.path == "/sessions" && browser.cookies["__Host-session"] != nil)
            try await browser.get("/")
            #expect(browser.body.contains(PageText.english.account.guest))
            try await browser.get("/password")
            #expect(try browser.heading() == PageText.english.password.add)
            try await browser.submit("/password", ["email": "", "password": PageBrowser.password])
            #expect(try browser.problems() == [PageText.english.login.emailMissing])
            try await browser.submit("/password", ["email": "ada@example.com", "password": PageBrowser.password])
            #expect(try browser.notice() == PageText.english.notices.passwordSaved)
            #expect(!browser.body.contains(PageText.english.account.guest))
            let other = browser.another()
            try await other.signIn()
            #expect(try other.heading() == "Your account")
        }
    }

    @Test func `a guest who signs out loses the account, and confirms it`() async throws {
        var options = SignInPagesOptions()
        options.allowsGuests = true
        let bench = try await PageBench(options: options)
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/guest")
            #expect(try browser.page().all("header").first?.text.contains("Guest") == true)
            try await browser.submit("/sign-out")
            #expect(try browser.heading() == PageText.english.confirm.signOutTitle)
            #expect(browser.cookies["__Host-session"] != nil)
            try await browser.submit(
                "/sign-out",
                where: { form in form.all("input").contains { $0["name"] == "sure" } }
            )
            #expect(try browser.heading() == "You are signed out")
            #expect(browser.cookies["__Host-session"] == nil)
        }
    }

    @Test func `a guest who has an account enters its password and merges the two`() async throws {
        var options = SignInPagesOptions()
        options.allowsGuests = true
        let bench = try await PageBench(options: options)
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.submit("/sign-out")
            try await browser.get("/login")
            try await browser.submit("/guest")
            try await browser.get("/password")
            #expect(browser.body.contains(PageText.english.password.existing))
            try await browser.submit("/password", ["email": "ada@example.com", "password": PageBrowser.password])
            #expect(browser.status == 422)
            #expect(try browser.problems().count == 1)
            func join(_ password: String) async throws {
                try await browser.submit(
                    "/password",
                    ["other-email": "ada@example.com", "other-password": password],
                    where: { $0.all("input").contains { $0["value"] == "join" } }
                )
            }
            try await join("another horse battery")
            #expect(browser.status == 422)
            #expect(try browser.problems().count == 1)
            try await join(PageBrowser.password)
            #expect(try browser.heading() == PageText.english.conflict.elsewhereTitle)
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            try await browser.submit("/merge")
            #expect(try browser.notice() == PageText.english.notices.merged)
            #expect(!browser.body.contains(PageText.english.account.guest))
            let other = browser.another()
            try await other.signIn()
            #expect(try other.heading() == "Your account")
        }
    }

    @Test func `a guest who links a login with the address of an account signs in to it, without the guest's account`()
        async throws
    {
        var options = SignInPagesOptions()
        options.allowsGuests = true
        let bench = try await PageBench(options: options)
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.verifyAddress()
            try await browser.submit("/sign-out")
            try await browser.get("/login")
            try await browser.submit("/guest")
            let guest = try await bench.auth.session(try #require(browser.cookies["__Host-session"]))
            bench.other.settings.person.claims["email"] = "ada@example.com"
            try await browser.get("/")
            try await browser.submit("/link/other")
            #expect(try browser.heading() == PageText.english.conflict.title)
            try await browser.submit("/login/password", ["password": PageBrowser.password])
            #expect(try browser.notice() == PageText.english.notices.linked)
            #expect(!browser.body.contains(PageText.english.account.guest))
            let session = try await bench.auth.session(try #require(browser.cookies["__Host-session"]))
            #expect(try await session.account().providerData.map(\.providerID).contains("other"))
            #expect(session.accountID != guest.accountID)
            // The guest's account was not merged: it stays without a login until it is swept.
            let left = try await bench.auth.account(guest.accountID)
            #expect(left.id == guest.accountID && left.isAnonymous)
        }
    }

    @Test func `without guest access no page offers it, and its route is not found`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login")
            #expect(!browser.body.contains("/guest"))
            try await browser.submit("/login/password", ["email": "a@example.com", "password": "x"])
            let token = try #require(try browser.page().all("input").first { $0["name"] == "csrf" }?["value"])
            try await browser.send("/guest", .post, ["csrf": token], "same-origin")
            #expect(browser.status == 404 && browser.cookies["__Host-session"] == nil)
        }
    }
}
#endif
