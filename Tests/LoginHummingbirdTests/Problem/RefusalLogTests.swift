// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import InMemoryLogging
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import Logging
import Testing

@testable import LoginHummingbird

/// The lines that tell an operator of refused credentials, in the API and on the pages.
@Suite struct RefusalLogTests {
    /// A log that a test reads.
    private struct Bench: Sendable {
        private let handler = InMemoryLogHandler()

        var logger: Logger {
            let handler = handler
            return Logger(label: "test") { _ in handler }
        }

        /// The lines, each as a text of its level, message and metadata; without the request ID of Hummingbird.
        var lines: [String] {
            handler.entries.map { entry in
                let metadata = entry.metadata.filter { $0.key != "hb.request.id" }.sorted { $0.key < $1.key }
                return
                    "\(entry.level) \(entry.message) \(metadata.map { "\($0.key)=\($0.value)" }.joined(separator: " "))"
            }
        }

        /// Expects that an action logs one line.
        func expectLine(
            _ line: String,
            sourceLocation: SourceLocation = #_sourceLocation,
            of action: () async throws -> String
        ) async throws {
            let before = lines.count
            let requestID = try await action()
            let expected = "info credential refused \(line) request.id=\(requestID)"
            #expect(lines.dropFirst(before) == [expected], sourceLocation: sourceLocation)
            #expect(requestID.utf8.count == 16, sourceLocation: sourceLocation)
        }
    }

    @Test func `a credential that the API refuses is one line, under the request ID of the answer`() async throws {
        let (bench, fixture) = (Bench(), try await LoginFixture())
        try await fixture.run(fixture.router, logger: bench.logger) { client in
            _ = try await client.signUp("mary@example.com")
            let bearer = try await client.session(of: "ada")
            let unknown = #"{"type":"id-token","token":"a.b.c","attempt":"made-up"}"#
            let attempt = try await client.begin(.google).text("attempt")
            let malformed = #"{"type":"id-token","token":"a.b.c","attempt":"\#(attempt)"}"#
            let phone = try await client.phoneCredential(APIClient.phone, isWrong: true)
            let wrong: [(AuthError.Code, String, String)] = [
                (.wrongPassword, client.password(of: "mary@example.com", "another horse"), " provider=password"),
                (.wrongPassword, client.password(of: "no address"), " provider=password"),
                (.invalidVerificationCode, phone, " provider=phone"),
                (.invalidCredential, malformed, " error.reason=encoding provider=google"),
                (.invalidCredential, #"{"type":"pending","token":"made-up","provider":"ada@example.com"}"#, ""),
            ]
            #expect(bench.lines == [])
            for (code, credential, rest) in wrong {
                try await bench.expectLine("error.code=\(code)\(rest)") {
                    let body = #"{"credential":\#(credential)}"#
                    return try await client.refused(code, .post, "/v1/sign-in", body).text("requestID")
                }
            }
            for path in ["/v1/sign-in", "/v1/link", "/v1/reauthenticate"] {
                try await bench.expectLine("error.code=missing-or-invalid-nonce") {
                    let body = #"{"credential":\#(unknown)}"#
                    return try await client.refused(.missingOrInvalidNonce, .post, path, body, bearer: bearer)
                        .text("requestID")
                }
            }
            try await bench.expectLine("error.code=user-mismatch provider=google") {
                let other = try await client.good("bob", for: "reauthenticate", bearer: bearer)
                let body = #"{"credential":\#(other)}"#
                return try await client.refused(.userMismatch, .post, "/v1/reauthenticate", body, bearer: bearer)
                    .text("requestID")
            }
        }
    }

    @Test func `a login whose address belongs to another account is one line, which says nothing of that account`()
        async throws
    {
        let (bench, fixture) = (Bench(), try await LoginFixture())
        try await fixture.run(fixture.router, logger: bench.logger) { client in
            _ = try await client.signIn("ada", email: "ada@example.com")
            let attempt = try await client.begin(.facebook)
            let shown = try client.credential("eve", of: .facebook, attempt: attempt, email: "ada@example.com")
            #expect(bench.lines == [])
            try await bench.expectLine("error.code=account-exists-with-different-credential provider=facebook") {
                let answer = try await client.refused(
                    .accountExistsWithDifferentCredential,
                    .post,
                    "/v1/sign-in",
                    #"{"credential":\#(shown)}"#
                )
                // A stranger is not told how the holder of the account signs in.
                #expect(!answer.text.contains("providers") && !answer.text.contains("google"))
                return try answer.text("requestID")
            }
        }
    }

    @Test func `a second factor that the API refuses is one line, and one that is only missing is none`() async throws {
        let (bench, fixture) = (Bench(), try await LoginFixture())
        try await fixture.run(fixture.router, logger: bench.logger) { client in
            let app = try await client.enrolApp(try await client.proven())
            let resolver = try await client.resolver()
            #expect(bench.lines == [])
            for (isWrong, rest) in [(true, ""), (false, " error.reason=replayed")] {
                try await bench.expectLine("error.code=invalid-verification-code" + rest) {
                    let assertion = app.assertion(at: fixture.clock.now, isWrong: isWrong)
                    let body = #"{"resolver":"\#(resolver)","assertion":\#(assertion)}"#
                    return try await client.refused(
                        .invalidVerificationCode,
                        .post,
                        "/v1/second-factors/resolve",
                        body
                    ).text("requestID")
                }
            }
        }
    }

    @Test func `what is accepted, and what is no credential, is no line`() async throws {
        let (bench, fixture) = (Bench(), try await LoginFixture())
        try await fixture.run(fixture.router, logger: bench.logger) { client in
            _ = try await client.signUp("mary@example.com")
            let body = #"{"credential":\#(client.password(of: "mary@example.com"))}"#
            try await client.accepted(TableRequest(path: "/v1/sign-in", body: body))
            _ = try await client.session(of: "ada")
            try await client.refused(.invalidRequest, .post, "/v1/sign-in", "{}")
            try await client.refused(.invalidUserToken, .get, "/v1/account", bearer: "lls_made-up")
        }
        #expect(bench.lines == [])
    }

    @Test func `refusals on pages are lines too, and say nothing personal`() async throws {
        let (bench, pages) = (Bench(), try await PageBench())
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

    @Test func `a callback in a browser that began nothing is one line`() async throws {
        let (bench, pages) = (Bench(), try await PageBench())
        try await pages.run(logger: bench.logger) { browser in
            try await bench.expectLine("error.code=missing-or-invalid-nonce provider=facebook") {
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

    @Test func `a login that is not recent is a line, and a session that is not recent is none`() {
        let bench = Bench()
        let log = RefusalLog(bench.logger)
        log.record(AuthError(.requiresRecentLogin, "the session is too old"))
        log.record(
            AuthError(.requiresRecentLogin, "the provider authenticated the user too long ago", provider: .google)
        )
        #expect(bench.lines == ["info credential refused error.code=requires-recent-login provider=google"])
    }
}
#endif
