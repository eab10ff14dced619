// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginAccounts
import LoginTesting
import Testing

@testable import LoginPages

/// The reset and the change of a password on the pages.
@Suite struct PagePasswordTests {
    @Test func `a forgotten password is reset, and the page is the same for an unknown address`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let stranger = browser.another()
            var answers: [String] = []
            for email in ["nobody@example.com", "ada@example.com"] {
                try await stranger.get("/forgotten-password")
                try await stranger.submit("/forgotten-password", ["email": email])
                answers.append(try stranger.page().all("main").map(\.text).joined())
                #expect(try stranger.page().all("a").contains { $0["href"] == "/forgotten-password" })
            }
            #expect(answers[0] == answers[1])
            let token = try #require(bench.mail.token(.resetPassword))
            try await stranger.get("/new-password?token=\(token)")
            try await stranger.submit("/new-password", ["password": "short"])
            #expect(try stranger.problems().count == 1)
            try await stranger.submit("/new-password", ["password": "another good one"])
            #expect(try stranger.notice() == PageText.english.notices.passwordChanged)
            try await stranger.signIn(password: "another good one")
            #expect(try stranger.heading() == "Your account")
            try await browser.get("/")
            #expect(try browser.heading() == "Sign in")
        }
    }

    @Test func `a password change keeps the session open and closes the others`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let other = browser.another()
            try await other.signIn()
            try await browser.get("/password")
            #expect(try browser.heading() == PageText.english.password.change)
            let address = try browser.page().all("input").first { $0["autocomplete"] == "username" }
            #expect(address?["value"] == "ada@example.com")
            try await browser.submit("/password", ["password": "short"])
            #expect(try browser.problems().count == 1)
            try await browser.submit("/password", ["password": "another good one"])
            #expect(try browser.notice() == PageText.english.notices.passwordSaved)
            try await other.get("/")
            #expect(try other.heading() == "Sign in")
            try await other.signIn(password: "another good one")
            #expect(try other.heading() == "Your account")
            bench.clock.advance(by: .seconds(3600))
            try await browser.get("/password")
            #expect(browser.path == "/reauthenticate?returnTo=%2Fpassword")
        }
    }
}
#endif
