// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginTesting
import TestSupport
import Testing

@testable import LoginHTTP
@testable import LoginPages

/// The log lines about credentials that the pages refused.
@Suite struct PageRefusalTests {
    @Test func `credentials that the pages refuse are logged once, without personal data`() async throws {
        let (bench, pages) = (LogLines(), try await PageBench())
        try await pages.run(logger: bench.logger) { browser in
            try await browser.signUp()
            let app = try await browser.enroll()
            try await browser.submit("/sign-out")
            #expect(bench.lines == [])
            func requestID() throws -> String { try #require(browser.headers[.xRequestID]) }
            try await bench.expectLine("error.code=wrong-password provider=password") {
                try await browser.signIn(password: "another horse")
                return try requestID()
            }
            try await browser.signIn()
            try await bench.expectLine("error.code=invalid-verification-code") {
                try await browser.submit("/login/second-factor", ["code": "000000"])
                return try requestID()
            }
            try await bench.expectLine("error.code=invalid-verification-code error.reason=replayed") {
                try await browser.submit("/login/second-factor", ["code": app.code(at: pages.clock.now)])
                return try requestID()
            }
            pages.clock.advance(by: .seconds(30))
            try await browser.submit("/login/second-factor", ["code": app.code(at: pages.clock.now)])
            #expect(try browser.heading() == "Your account")
        }
        #expect(bench.lines.count == 3)
        for personal in ["ada@example.com", "horse", "198.51", "Firefox"] {
            #expect(!bench.lines.joined().contains(personal))
        }
    }

    @Test func `a callback in a browser that began no login is logged once`() async throws {
        let (bench, pages) = (LogLines(), try await PageBench())
        try await pages.run(logger: bench.logger) { browser in
            try await bench.expectLine(
                "error.code=missing-or-invalid-nonce error.reason=state-unknown provider=facebook"
            ) {
                try await browser.get("/login/facebook/callback?code=secret&state=secret")
                #expect(browser.status == 403)
                return try #require(browser.headers[.xRequestID])
            }
            try await browser.get("/login")
            try await browser.submit("/login/facebook")
            #expect(try browser.heading() == "Your account")
        }
        #expect(bench.lines.count == 1)
        #expect(!bench.lines.joined().contains("secret"))
    }

    @Test func `a refused form is logged once with its reason, which the page explains`() async throws {
        let (bench, pages) = (LogLines(), try await PageBench())
        let cases = [
            ("same-origin", true, "token-mismatch", "open for too long"),
            ("same-origin", false, "no-cookie", "Allow cookies"),
            ("cross-site", true, "other-site", "does not come from a page of this site"),
        ]
        try await pages.run(logger: bench.logger) { browser in
            for (site, hasCookie, reason, words) in cases {
                try await browser.get("/login")
                if !hasCookie { browser.cookies = [:] }
                try await browser.send("/login/password", .post, ["csrf": "x"], site)
                #expect(browser.status == 403 && browser.body.contains(words))
                let requestID = try #require(browser.headers[.xRequestID])
                let line = "error.code=cross-site-request error.reason=\(reason) request.id=\(requestID)"
                #expect(bench.lines.last == "info form refused \(line)")
            }
        }
        #expect(bench.lines.count == cases.count)
    }

    @Test func `a repeated callback is logged as replayed, and only the page of its browser says so`() async throws {
        let (bench, pages) = (LogLines(), try await PageBench())
        try await pages.run(logger: bench.logger) { browser in
            let callback = try await browser.leave(at: "facebook", returnTo: "/")
            try await browser.arrive(with: callback)
            try await browser.submit("/sign-out")
            for (visitor, isOwn) in [(browser, true), (browser.another(), false)] {
                try await bench.expectLine(
                    "error.code=missing-or-invalid-nonce error.reason=replayed provider=facebook"
                ) {
                    try await visitor.arrive(with: callback)
                    #expect(visitor.status == 403)
                    #expect(visitor.body.contains(PageText.english.problem.finishedLogin) == isOwn)
                    return try #require(visitor.headers[.xRequestID])
                }
            }
        }
    }
}
#endif
