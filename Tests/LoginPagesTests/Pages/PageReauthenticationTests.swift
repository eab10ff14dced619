// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
internal import LimitedLoginTesting
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginPages

/// Reauthentication at a provider on the pages.
@Suite struct PageReauthenticationTests {
    /// Sets the `auth_time` of the other provider's tokens to this many seconds ago; nil for none.
    private func name(_ seconds: Int?, _ bench: PageBench) {
        bench.other.settings.changeIDToken = { token in
            token.claims["email_verified"] = true
            token.claims["auth_time"] = seconds.map {
                .number("\(Int(bench.clock.now.timeIntervalSince1970) - $0)")
            }
        }
    }

    @Test(.rule("R-LNK-11", "R-LNK-12"), arguments: [20, nil] as [Int?])
    func `an old authentication does not reauthenticate, and a notice says what to do`(later: Int?) async throws {
        let bench = try await PageBench { $0[1].provider = $0[1].provider.with(.openID) }
        try await bench.run { browser in
            name(nil, bench)
            try await browser.get("/login")
            try await browser.submit("/login/other")
            bench.clock.advance(by: .seconds(3600))
            name(86400, bench)
            try await browser.get("/account/delete")
            try await browser.submit("/reauthenticate/other")
            #expect(browser.path == "/reauthenticate?returnTo=%2Faccount%2Fdelete&notice=notRecent")
            #expect(try browser.notice() == PageText.english.notices.notRecent)
            name(later, bench)
            try await browser.submit("/reauthenticate/other")
            #expect(browser.path == "/account/delete?notice=confirmed")
            try await browser.submit("/account/delete", ["sure": "yes"])
            #expect(try browser.heading() == "Your account is deleted")
        }
    }

    @Test(.rule("R-LNK-14"))
    func `signing in with an old authentication does not allow the deletion of the account`() async throws {
        let bench = try await PageBench { $0[1].provider = $0[1].provider.with(.openID) }
        try await bench.run { browser in
            name(86400, bench)
            try await browser.get("/login")
            try await browser.submit("/login/other")
            #expect(try browser.heading() == "Your account")
            try await browser.get("/account/delete")
            #expect(browser.path == "/reauthenticate?returnTo=%2Faccount%2Fdelete")
        }
    }

    @Test(.rule("R-MFA-11"), arguments: ["/second-factor", "/second-factor/phone"])
    func `enrolling a second factor requires a recent login, and continues after it`(path: String) async throws {
        let bench = try await PageBench(phones: .secondFactor)
        try await bench.run { browser in
            try await browser.signUp()
            bench.clock.advance(by: .seconds(301))
            try await browser.get(path)
            #expect(browser.path == "/reauthenticate?returnTo=\(path.replacing("/", with: "%2F"))")
            try await browser.submit("/reauthenticate", ["password": PageBrowser.password])
            #expect(browser.path == "\(path)?notice=confirmed")
            bench.clock.advance(by: .seconds(301))
            // A form that was opened in time.
            try await browser.submit(path, path == "/second-factor" ? [:] : ["number": PageBrowser.number])
            #expect(browser.path == "/reauthenticate?returnTo=\(path.replacing("/", with: "%2F"))")
            #expect(bench.codes.messages.isEmpty)
        }
    }

    @Test func `a form that was opened in time is shown again after a reauthentication`() async throws {
        let bench = try await PageBench()
        try await bench.run { browser in
            try await browser.signUp()
            try await browser.get("/account/delete")
            bench.clock.advance(by: .seconds(301))
            try await browser.submit("/account/delete", ["sure": "yes"])
            #expect(browser.path == "/reauthenticate?returnTo=%2Faccount%2Fdelete")
            try await browser.submit("/reauthenticate", ["password": PageBrowser.password])
            #expect(browser.path == "/account/delete?notice=confirmed")
        }
    }
}
#endif
