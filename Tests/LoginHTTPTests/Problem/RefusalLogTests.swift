// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import Logging
import TestSupport
import Testing

@testable import LoginHTTP

/// The log lines about refused credentials.
@Suite struct RefusalLogTests {
    @Test func `a credential that the API refuses is logged once, with the request ID of the response`() async throws {
        let (bench, fixture) = (LogLines(), try await LoginFixture())
        try await fixture.run(logger: bench.logger) { client in
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
                try await bench.expectLine("error.code=missing-or-invalid-nonce error.reason=state-unknown") {
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

    @Test func `a login with the address of another account is logged once, without data of that account`()
        async throws
    {
        let (bench, fixture) = (LogLines(), try await LoginFixture())
        try await fixture.run(logger: bench.logger) { client in
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
                // The response does not reveal how the account holder signs in.
                #expect(!answer.text.contains("providers") && !answer.text.contains("google"))
                return try answer.text("requestID")
            }
        }
    }

    @Test
    func `a new subject of a provider with the address of another is logged with the remedy, without personal data`()
        async throws
    {
        let (bench, fixture) = (LogLines(), try await LoginFixture())
        try await fixture.run(logger: bench.logger) { client in
            _ = try await client.signIn("ada", email: "ada@example.com")
            let attempt = try await client.begin(.google)
            let shown = try client.credential("ada-2", of: .google, attempt: attempt, email: "ada@example.com")
            try await client.refused(
                .accountExistsWithDifferentCredential,
                .post,
                "/v1/sign-in",
                #"{"credential":\#(shown)}"#
            )
        }
        let line = try #require(bench.lines.first)
        #expect(bench.lines.count == 1 && line.contains(" error.code=account-exists-with-different-credential "))
        #expect(line.contains("has another login of this provider") && line.contains("verify-token accounts relink"))
        #expect(!line.contains("ada-2") && !line.contains("ada@example.com"))
    }

    @Test func `a refused second factor is logged once, and a missing one is not logged`() async throws {
        let (bench, fixture) = (LogLines(), try await LoginFixture())
        try await fixture.run(logger: bench.logger) { client in
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

    @Test func `accepted credentials, and requests without a credential, are not logged`() async throws {
        let (bench, fixture) = (LogLines(), try await LoginFixture())
        try await fixture.run(logger: bench.logger) { client in
            _ = try await client.signUp("mary@example.com")
            let body = #"{"credential":\#(client.password(of: "mary@example.com"))}"#
            try await client.accepted(TableRequest(path: "/v1/sign-in", body: body))
            _ = try await client.session(of: "ada")
            try await client.refused(.invalidRequest, .post, "/v1/sign-in", "{}")
            try await client.refused(.invalidUserToken, .get, "/v1/account", bearer: "lls_made-up")
        }
        #expect(bench.lines == [])
    }

    @Test func `a claim that an account cannot use is logged once, without its value`() async throws {
        let (bench, fixture) = (LogLines(), try await LoginFixture())
        try await fixture.run(logger: bench.logger) { client in
            let answer = try await client.signIn("ada", email: "ada@localhost")
            #expect(answer.status == .ok)
        }
        #expect(bench.lines.count == 1)
        let line = try #require(bench.lines.first)
        let reason = "the domain is not a name of two or more labels, or not valid as an internationalized name"
        #expect(line.hasPrefix("notice claim not used claim=email claim.reason=\(reason) provider=google request.id="))
    }

    @Test func `a login that is not recent is logged, and a session that is not recent is not`() {
        let bench = LogLines()
        let log = RefusalLog(bench.logger)
        log.record(AuthError(.requiresRecentLogin, "the session is too old"))
        log.record(
            AuthError(.requiresRecentLogin, "the provider authenticated the user too long ago", provider: .google)
        )
        #expect(bench.lines == ["info credential refused error.code=requires-recent-login provider=google"])
    }
}
#endif
