// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
internal import LimitedLoginTesting
import LoginAccounts
import LoginHTTP
import LoginTesting
import Testing

@testable import LoginPages

/// Second factors, and logins that belong to another account.
@Suite struct PageFactorTests {
    @Test func `an authenticator app is added, required at sign-in and removed`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let app = try await browser.enroll()
            #expect(try browser.notice() == PageText.english.notices.factorAdded)
            #expect(browser.body.contains("You have no recovery codes."))
            try await browser.submit("/sign-out")
            bench.clock.advance(by: .seconds(60))

            try await browser.signIn()
            #expect(browser.path == "/login/second-factor")
            #expect(browser.cookies["__Host-session"] == nil)
            #expect(try browser.page().all("time").map(\.text) == ["Enter the code within 10 minutes."])
            bench.clock.advance(by: .seconds(120))
            try await browser.submit("/login/second-factor", ["code": ""])
            #expect(try browser.problems() == ["Enter the code."])
            #expect(try browser.page().all("time").map(\.text) == ["Enter the code within 8 minutes."])
            try await browser.submit("/login/second-factor", ["code": "000000"])
            #expect(try browser.problems().count == 1)
            #expect(browser.body.contains("You have 4 more tries."))
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(try browser.heading() == "Your account")
            #expect(browser.cookies["__Host-step"] == nil)

            let remove = try browser.page().all("form").compactMap { $0["action"] }.first { $0.hasSuffix("/remove") }
            try await browser.submit(try #require(remove))
            #expect(browser.body.contains(PageText.english.confirm.removeLastFactor))
            try await browser.submit(try #require(remove))
            #expect(try browser.notice() == PageText.english.notices.factorRemoved)
        }
    }

    @Test func `the code that added an app cannot be used to sign in, and the page asks to wait for the next`()
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let app = try await browser.enroll()
            try await browser.submit("/sign-out")
            try await browser.signIn()
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(
                try browser.problems() == [
                    "This code was already used. Wait until the app shows the next one. You have 4 more tries."
                ]
            )
            bench.clock.advance(by: .seconds(30))
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `the page for a second factor has a way out: to the sign-in, or to the account of a signed-in user`()
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            func wayOut() throws -> String? {
                try browser.page().all("main").flatMap { $0.all("a") }.last?["href"]
            }
            try await browser.signUp()
            _ = try await browser.enroll()
            try await browser.get("/reauthenticate?way=confirm&returnTo=%2Fsessions")
            #expect(try wayOut() == "/")
            try await browser.submit("/sign-out")
            try await browser.signIn()
            #expect(try wayOut() == "/login")
            try await browser.get("/login")
            #expect(try browser.heading() == "Sign in" && browser.cookies["__Host-step"] == nil)
        }
    }

    @Test func `after a wrong first code the page does not show the key again, and the right code is accepted`()
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.get("/second-factor")
            try await browser.submit("/second-factor", ["name": ""])
            #expect(try browser.page().all("svg").count == 1)
            let steps = try browser.page().all("ol").flatMap(\.elements)
            #expect(steps.map { $0.all("form").count } == [0, 1])
            let key = try #require(try browser.page().all("code").first?.text)
            try await browser.submit("/second-factor", ["code": "000000"])
            #expect(try browser.problems().count == 1)
            #expect(!browser.body.contains(key))
            let app = try AuthenticatorApp(secret: key)
            let code = app.code(at: bench.clock.now)
            try await browser.submit("/second-factor", ["code": code]) { #expect($0["action"] == "confirm") }
            #expect(try browser.notice() == PageText.english.notices.factorAdded)
        }
    }

    @Test func `the name of an app is preserved when its enrolment starts again`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.get("/second-factor")
            try await browser.submit("/second-factor", ["name": "Ada's phone"])
            try await browser.submit("/second-factor", ["code": "000000"])
            try await browser.submit("/second-factor", where: { $0.all("input").contains { $0["value"] == "begin" } })
            let key = try #require(try browser.page().all("code").first?.text)
            let code = try AuthenticatorApp(secret: key).code(at: bench.clock.now)
            try await browser.submit("/second-factor", ["code": code])
            try await browser.get("/")
            #expect(try browser.page().all("h3").contains { $0.text == "Ada's phone" })
        }
    }

    @Test func `recovery codes are shown once, and each signs in once`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            _ = try await browser.enroll()
            try await browser.submit("/recovery-codes")
            let codes = try browser.page().all("ol").flatMap { $0.all("code") }.map(\.text)
            #expect(codes.count == 10)
            #expect(!browser.body.contains(PageText.english.recovery.replaced))
            try await browser.get("/")
            #expect(browser.body.contains("10 recovery codes are left."))
            #expect(!browser.body.contains(codes[0]))
            try await browser.submit("/sign-out")
            for isFirst in [true, false] {
                try await browser.signIn()
                let link = try browser.page().all("a").compactMap { $0["href"] }.first { $0.hasSuffix("way=choose") }
                try await browser.get(try #require(link))
                try await browser.get("/login/second-factor?way=recovery")
                try await browser.submit("/login/second-factor", ["code": codes[0]])
                let title = PageText.english.secondFactor.title
                #expect(try browser.heading() == (isFirst ? "Your account" : title))
                if isFirst { try await browser.submit("/sign-out") }
            }
        }
    }

    @Test func `new recovery codes replace the earlier ones after a confirmation, and the page says so`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            _ = try await browser.enroll()
            try await browser.submit("/recovery-codes")
            let first = try browser.page().all("ol").flatMap { $0.all("code") }.map(\.text)
            try await browser.get("/")
            try await browser.submit("/recovery-codes")
            #expect(browser.body.contains(PageText.english.confirm.makeCodes))
            #expect(try browser.page().all("ol").isEmpty)
            try await browser.submit("/recovery-codes")
            #expect(browser.body.contains(PageText.english.recovery.replaced))
            let second = try browser.page().all("ol").flatMap { $0.all("code") }.map(\.text)
            #expect(Set(first).isDisjoint(with: second))
        }
    }

    @Test func `new recovery codes need no recent login after a recent second factor`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            bench.clock.advance(by: .seconds(240))
            _ = try await browser.enroll()
            try await browser.submit("/recovery-codes")
            bench.clock.advance(by: .seconds(120))
            try await browser.get("/")
            try await browser.submit("/recovery-codes")
            #expect(browser.body.contains(PageText.english.confirm.makeCodes))
            try await browser.submit("/recovery-codes")
            #expect(browser.body.contains(PageText.english.recovery.replaced))
        }
    }

    @Test func `an open session confirms its second factor when an operation requires it`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            let app = try await browser.enroll()
            bench.clock.advance(by: .seconds(86400 * 2))
            try await browser.get("/")
            try await browser.submit("/recovery-codes")
            #expect(browser.path.hasPrefix("/reauthenticate"))
            if try browser.page().all("form").contains(where: { $0.all("input").contains { $0["name"] == "password" } })
            {
                try await browser.submit("/reauthenticate", ["password": PageBrowser.password])
                try await browser.get("/reauthenticate?way=confirm")
            }
            try await browser.submit("/reauthenticate", ["code": "000000"])
            #expect(try browser.problems().count == 1)
            try await browser.submit("/reauthenticate", ["code": app.code(at: bench.clock.now)])
            #expect(try browser.notice() == PageText.english.notices.confirmed)
        }
    }

    @Test func `a recovery code confirms an open session whose account has a single app`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            func follow(_ suffix: String) async throws {
                let links = try browser.page().all("a").compactMap { $0["href"] }
                try await browser.get(try #require(links.first { $0.hasSuffix(suffix) }))
            }
            try await browser.signUp()
            _ = try await browser.enroll()
            try await browser.submit("/recovery-codes")
            let codes = try browser.page().all("ol").flatMap { $0.all("code") }.map(\.text)
            try await browser.get("/reauthenticate?way=confirm&returnTo=%2Fsessions")
            #expect(browser.body.contains(PageText.english.secondFactor.appCode))
            try await follow("way=choose")
            try await follow("way=recovery")
            try await browser.submit("/reauthenticate", ["code": "no code"])
            #expect(try browser.problems().count == 1)
            try await browser.submit("/reauthenticate", ["code": codes[0]])
            #expect(browser.path == "/sessions?notice=confirmed")
        }
    }

    @Test func `a login with the address of an account is linked after its user has signed in to the account`()
        async throws
    {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp("ada@example.com")
            try await browser.verifyAddress()
            try await browser.submit("/sign-out")
            bench.other.settings.person.claims["email"] = "ada@example.com"
            try await browser.get("/login")
            try await browser.submit("/login/other")
            #expect(try browser.heading() == "You already have an account")
            #expect(browser.cookies["__Host-session"] == nil)
            let email = try browser.page().all("input").first { $0["name"] == "email" }
            #expect(email?["value"] == "ada@example.com")
            try await browser.submit("/login/password", ["password": PageBrowser.password])
            #expect(try browser.notice() == "The sign-in method is linked.")
            #expect(browser.cookies["__Host-step"] == nil)
            try await browser.submit("/sign-out")
            try await browser.get("/login")
            try await browser.submit("/login/other")
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `a user who does not want to link the login returns to the sign-in`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp("ada@example.com")
            try await browser.verifyAddress()
            try await browser.submit("/sign-out")
            bench.other.settings.person.claims["email"] = "ada@example.com"
            try await browser.get("/login")
            try await browser.submit("/login/other")
            try await browser.submit("/conflict")
            #expect(try browser.heading() == "Sign in")
            #expect(browser.cookies["__Host-step"] == nil)
        }
    }

    /// Creates two accounts, signs in to one, and tries to link the login of the other.
    private func meet(_ browser: PageBrowser) async throws {
        try await browser.get("/login")
        try await browser.submit("/login/other")
        try await browser.submit("/sign-out")
        try await browser.signUp()
        try await browser.submit("/link/other")
    }

    @Test func `two accounts are merged after their user has seen the preview`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await meet(browser)
            #expect(try browser.heading() == "This login belongs to another account")
            #expect(try browser.page().all("main").flatMap { $0.all("bdi") }.map(\.text).contains("ada@example.com"))
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            #expect(try browser.heading() == "Merge two accounts")
            let login = try browser.page().all("section").first?.all("bdi").last?.text
            let names = try browser.page().all("main").first?.all("p").first?.all("bdi").map(\.text)
            #expect(names?.first == login && names?.last == "ada@example.com")
            #expect(try browser.page().all("section").first?.all("li").count == 1)
            try await browser.submit("/merge")
            #expect(try browser.notice() == "The two accounts are merged.")
            #expect(browser.cookies["__Host-step"] == nil)
            try await browser.submit("/sign-out")
            try await browser.get("/login")
            try await browser.submit("/login/other")
            #expect(browser.body.contains("ada@example.com"))
        }
    }

    @Test func `accounts are merged only in the session that began it, also after a second factor`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/login/other")
            let app = try await browser.enroll()
            try await browser.submit("/sign-out")
            bench.clock.advance(by: .seconds(60))
            try await browser.signUp()
            try await browser.submit("/link/other")
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            #expect(browser.path == "/login/second-factor")
            let stranger = browser.another()
            try await stranger.signUp("eve@example.com")
            stranger.cookies["__Host-step"] = browser.cookies["__Host-step"]
            try await stranger.get("/login/second-factor")
            try await stranger.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(stranger.path == "/" && stranger.cookies["__Host-step"] == nil)
            try await browser.submit("/login/second-factor", ["code": app.code(at: bench.clock.now)])
            #expect(try browser.heading() == "Merge two accounts")
        }
    }

    @Test func `a pending login is not linked to the next account that signs in with the same browser`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            let owner = browser.another()
            try await owner.signUp("ada@example.com")
            try await owner.verifyAddress()
            bench.other.settings.person.claims["email"] = "ada@example.com"
            // A login with that address leads to the conflict page, and the user leaves it.
            try await browser.get("/login")
            try await browser.submit("/login/other")
            #expect(browser.cookies["__Host-step"] != nil)
            try await browser.get("/")
            #expect(browser.cookies["__Host-step"] == nil)
            try await browser.signIn("ada@example.com")
            #expect(try browser.heading() == "Your account")
            #expect(!browser.body.contains("The sign-in method is linked."))
            #expect(try browser.page().all("form").filter { $0["action"] == "/unlink" }.isEmpty)
        }
    }

    @Test func `a pending step of one session is discarded in the session of another account`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await meet(browser)
            let thief = browser.another()
            bench.facebook.settings.person.id = "666"
            try await thief.get("/login")
            try await thief.submit("/login/other")
            thief.cookies["__Host-step"] = browser.cookies["__Host-step"]
            try await thief.get("/conflict")
            #expect(thief.path == "/" && thief.cookies["__Host-step"] == nil)
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            thief.cookies["__Host-step"] = browser.cookies["__Host-step"]
            try await thief.get("/merge")
            #expect(thief.path == "/" && thief.cookies["__Host-step"] == nil)
            // In the right browser it is still valid.
            try await browser.submit("/merge", where: { $0.all("input").contains { $0["value"] == "merge" } })
            #expect(try browser.notice() == "The two accounts are merged.")
        }
    }

    @Test func `a cancelled merge leaves both accounts unchanged`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await meet(browser)
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            try await browser.submit("/merge", where: { $0.all("input").contains { $0["value"] == "cancel" } })
            #expect(try browser.heading() == "Your account")
            #expect(browser.cookies["__Host-step"] == nil)
            try await browser.get("/merge")
            #expect(browser.path == "/")
        }
    }

    @Test func `a merge of accounts with logins of the same provider asks which one to keep`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/login/other")
            bench.facebook.settings.person.id = "222"
            try await browser.submit("/link/facebook")
            #expect(try browser.notice() == "The sign-in method is linked.")
            try await browser.submit("/sign-out")
            bench.facebook.settings.person.id = "111"
            try await browser.get("/login")
            try await browser.submit("/login/facebook")
            try await browser.submit("/link/other")
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            #expect(browser.body.contains("Which account keeps its own?"))
            try await browser.submit("/merge")
            #expect(browser.status == 422)
            #expect(try browser.problems() == ["Choose an account."])
            try await browser.submit("/merge", ["keep": "this"])
            #expect(try browser.notice() == "The two accounts are merged.")
        }
    }

    @Test func `a merge whose last login is too old links to the reauthentication`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await meet(browser)
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            bench.clock.advance(by: .seconds(400))
            try await browser.get("/merge")
            let links = try browser.page().all("main").flatMap { $0.all("a") }.compactMap { $0["href"] }
            #expect(links == ["/reauthenticate?returnTo=%2Fmerge"])
        }
    }

    @Test func `a merge that no login can allow has no link to a login`() async throws {
        let bench = try await PageBench(phones: .signIn)
        try await bench.run { browser in
            func confirm(_ code: String, at path: String) async throws {
                try await browser.submit(
                    path,
                    ["code": code],
                    where: { $0.all("input").contains { $0["value"] == "confirm" } }
                )
            }
            try await browser.get("/login")
            try await browser.submit("/login/other")
            try await confirm(try await browser.sendCode(at: "/link/phone"), at: "/link/phone")
            try await browser.submit("/sign-out")
            try await browser.signUp()
            let factor = "/second-factor/phone"
            try await confirm(try await browser.sendCode(at: factor, to: "+14155550101"), at: factor)
            try await browser.get("/")
            try await browser.submit("/link/other")
            try await browser.submit("/conflict") { #expect($0["action"] == "join") }
            #expect(try browser.page().all("main").flatMap { $0.all("p") }.contains { $0["class"] == "problem" })
            #expect(try browser.page().all("main").flatMap { $0.all("a") }.isEmpty)
        }
    }

    @Test func `a pending step is encrypted in its cookie, and expires after ten minutes`() async throws {
        let bench = try await PageBench()
        let secrets = bench.auth.secrets
        let step = PendingStep.merge(session: "lls_secret", into: AccountID(rawValue: "account"))
        var response = ServerResponse(status: .ok)
        PendingStep.cookie.set(step, in: &response, secrets: secrets, at: bench.clock.now)
        let line = try #require(response.headers[.setCookie])
        #expect(!line.contains("secret"))
        let value = line.prefix { $0 != ";" }
        func read(_ cookie: String, at date: Date) -> PendingStep? {
            let request = ServerRequest(.get, "/", headers: [.cookie: cookie])
            return PendingStep.cookie.value(in: request, secrets: secrets, at: date)
        }
        #expect(read(String(value), at: bench.clock.now) == step)
        #expect(read(String(value) + "x", at: bench.clock.now) == nil)
        #expect(read("__Host-step=", at: bench.clock.now) == nil)
        #expect(read(String(value), at: bench.clock.now.addingTimeInterval(599)) == step)
        #expect(read(String(value), at: bench.clock.now.addingTimeInterval(600)) == nil)
        #expect("\(step)" == "merge to confirm")
    }
}
#endif
