// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import LoginAccounts
import LoginTesting
import Testing

@testable import LoginPages

/// Codes to phones: as second factor, and to sign in.
@Suite struct PagePhoneTests {
    private static let number = PageBrowser.number

    /// Returns the value of a hidden field of the forms to a path.
    private func hidden(_ name: String, _ action: String, _ browser: PageBrowser) throws -> [String] {
        try browser.page().all("form").filter { $0["action"] == action }.flatMap { $0.all("input") }
            .filter { $0["name"] == name }.compactMap { $0["value"] }
    }

    private func isResend(_ form: StrictHTML.Element) -> Bool {
        form.all("input").contains { ["begin", "send"].contains($0["value"] ?? "") }
    }

    @Test func `a phone is enrolled with a name, and a code sent to it completes a sign-in`() async throws {
        let bench = try await PageBench(phones: .secondFactor)
        try await bench.run { browser in
            try await browser.signUp()
            #expect(browser.body.contains("href=\"/second-factor/phone\""))
            let code = try await browser.sendCode(at: "/second-factor/phone", name: "Work phone")
            try await browser.submit("/second-factor/phone", ["code": code], where: { !isResend($0) })
            #expect(try browser.notice() == PageText.english.notices.phoneAdded)
            try await browser.get("/")
            #expect(browser.body.contains("Work phone"))
            try await browser.submit("/sign-out")
            bench.clock.advance(by: .seconds(60))

            try await browser.signIn()
            #expect(browser.path == "/login/second-factor" && browser.body.contains("Work phone"))
            try await browser.submit("/login/second-factor")
            #expect(browser.body.contains("0100") && !browser.body.contains(Self.number))
            let sent = try #require(bench.codes.last(to: Self.number)).code
            try await browser.submit("/login/second-factor", ["code": sent], where: { !isResend($0) })
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `second factors are listed by name, and a phone can be enrolled only once`() async throws {
        let bench = try await PageBench(phones: .secondFactor)
        try await bench.run { browser in
            try await browser.signUp()
            _ = try await browser.enroll()
            for (number, name) in [(Self.number, "Work phone"), ("+14155550101", "Home phone")] {
                let code = try await browser.sendCode(at: "/second-factor/phone", to: number, name: name)
                try await browser.submit("/second-factor/phone", ["code": code], where: { !isResend($0) })
            }
            bench.clock.advance(by: .seconds(60))
            try await browser.get("/second-factor/phone")
            try await browser.submit("/second-factor/phone", ["number": Self.number])
            #expect(browser.status == 422)
            #expect(try browser.problems().count == 1)
            try await browser.submit("/sign-out")
            try await browser.signIn()
            for name in ["Ada's phone", "Work phone", "Home phone"] {
                #expect(try browser.page().all("li").contains { $0.text.contains(name) }, "\(name)")
            }
        }
    }

    @Test func `a number of a country that the policy excludes is reported at its field`() async throws {
        let bench = try await PageBench(phones: .signIn)
        try await bench.run { browser in
            try await browser.get("/login/phone")
            try await browser.submit("/login/phone", ["number": "+49 30 123456"])
            #expect(browser.status == 422)
            #expect(try browser.problems().count == 1 && browser.body.contains("49 30 123456"))
            #expect(bench.codes.messages.isEmpty)
        }
    }

    @Test func `a missing or invalid number and a wrong code are reported at their fields`() async throws {
        let bench = try await PageBench(phones: .signIn)
        try await bench.run { browser in
            try await browser.get("/login/phone")
            try await browser.submit("/login/phone", ["number": ""])
            #expect(try browser.problems() == [PageText.english.phone.numberMissing])
            try await browser.submit("/login/phone", ["number": "0415 555 0100"])
            #expect(browser.status == 422)
            #expect(try browser.problems().count == 1 && browser.body.contains("0415 555 0100"))
            #expect(bench.codes.messages.isEmpty)
            let code = try await browser.sendCode(at: "/login/phone")
            let wrong = code == "000000" ? "000001" : "000000"
            try await browser.submit("/login/phone", ["code": wrong], where: { !isResend($0) })
            #expect(browser.status == 422)
            #expect(try browser.problems().count == 1)
            #expect(browser.cookies["__Host-session"] == nil)
            try await browser.submit("/login/phone", ["code": code], where: { !isResend($0) })
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `another code can be requested only after 30 seconds, and replaces the first one`()
        async throws
    {
        let bench = try await PageBench(phones: .signIn)
        try await bench.run { browser in
            let first = try await browser.sendCode(at: "/login/phone")
            try await browser.submit("/login/phone", where: isResend)
            #expect(browser.status == 422)
            #expect(try browser.problems().first?.contains("Try again in a minute.") == true)
            #expect(bench.codes.messages.count == 1)
            bench.clock.advance(by: .seconds(31))
            try await browser.submit("/login/phone", where: isResend)
            #expect(browser.status == 200 && bench.codes.messages.count == 2)
            let second = try #require(bench.codes.last(to: Self.number)).code
            if first != second {
                try await browser.submit("/login/phone", ["code": first], where: { !isResend($0) })
                #expect(browser.status == 422)
            }
            try await browser.submit("/login/phone", ["code": second], where: { !isResend($0) })
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `another code for a second factor is limited too, and the first one stays valid`() async throws {
        let bench = try await PageBench(phones: .secondFactor)
        try await bench.run { browser in
            try await browser.signUp()
            let code = try await browser.sendCode(at: "/second-factor/phone")
            try await browser.submit("/second-factor/phone", ["code": code], where: { !isResend($0) })
            try await browser.submit("/sign-out")
            try await browser.signIn()
            try await browser.submit("/login/second-factor")
            let challenge = try hidden("challenge", "/login/second-factor", browser)
            #expect(challenge.count == 2)
            try await browser.submit("/login/second-factor", where: isResend)
            #expect(browser.status == 422)
            #expect(try hidden("challenge", "/login/second-factor", browser) == challenge)
            let sent = try #require(bench.codes.last(to: Self.number)).code
            try await browser.submit("/login/second-factor", ["code": sent], where: { !isResend($0) })
            #expect(try browser.heading() == "Your account")
        }
    }

    @Test func `a phone number is linked, signs in, and reauthenticates without being typed`() async throws {
        let bench = try await PageBench(phones: .signIn)
        try await bench.run { browser in
            try await browser.signUp()
            let code = try await browser.sendCode(at: "/link/phone")
            try await browser.submit("/link/phone", ["code": code], where: { !isResend($0) })
            #expect(try browser.notice() == PageText.english.notices.linked)
            // One phone cannot be both factors.
            #expect(!browser.body.contains("href=\"/second-factor/phone\""))
            try await browser.get("/second-factor/phone")
            #expect(browser.path == "/")
            try await browser.submit("/sign-out")
            bench.clock.advance(by: .seconds(60))
            try await browser.get("/login")
            #expect(browser.body.contains("href=\"/login/phone\""))
            let next = try await browser.sendCode(at: "/login/phone")
            try await browser.submit("/login/phone", ["code": next], where: { !isResend($0) })
            #expect(browser.body.contains("ada@example.com"))
            bench.clock.advance(by: .seconds(3600))
            try await browser.get("/account/delete")
            #expect(browser.path == "/reauthenticate?returnTo=%2Faccount%2Fdelete")
            try await browser.submit("/reauthenticate/phone")
            let last = try #require(bench.codes.last(to: Self.number)).code
            try await browser.submit("/reauthenticate/phone", ["code": last], where: { !isResend($0) })
            #expect(browser.path == "/account/delete?notice=confirmed")
        }
    }

    @Test func `a user whose second factor is a phone cannot link one`() async throws {
        let bench = try await PageBench(phones: .signIn)
        try await bench.run { browser in
            try await browser.signUp()
            #expect(browser.body.contains("href=\"/link/phone\""))
            let code = try await browser.sendCode(at: "/second-factor/phone")
            try await browser.submit("/second-factor/phone", ["code": code], where: { !isResend($0) })
            try await browser.get("/")
            #expect(!browser.body.contains("href=\"/link/phone\""))
            try await browser.get("/link/phone")
            #expect(browser.path == "/")
        }
    }

    @Test func `without code delivery or phone sign-in no page asks for a number`() async throws {
        for phones in [PageBench.Phones.off, .secondFactor] {
            let bench = try await PageBench(phones: phones)
            try await bench.run { browser in
                try await browser.get("/login/phone")
                #expect(try browser.heading() == "Sign in" && !browser.body.contains("/login/phone"))
                try await browser.signUp()
                #expect(!browser.body.contains("/link/phone"))
                #expect(browser.body.contains("/second-factor/phone") == (phones == .secondFactor))
                try await browser.get("/second-factor/phone")
                #expect(browser.path == (phones == .secondFactor ? "/second-factor/phone" : "/"))
            }
        }
    }
}
#endif
