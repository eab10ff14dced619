// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginProviders
import LoginTokens
import LoginTesting
import HTTPTypes
@testable import LoginAccounts
import TestSupport
import Testing

@testable import LoginHTTP

/// Invalid bodies, methods and paths.
@Suite struct RequestTests {
    @Test(arguments: [
        "", "{", "null", "[]", "1", "{}", #"{"provider":1}"#, #"{"provider":"google","provider":"google"}"#,
        #"{"provider":""}"#, #"{"provider":"google","more":1}"#, #"{"provider":"google","purpose":"other"}"#,
        #"{"provider":null}"#, #"{"provider":"google"} "x""#, "\u{FEFF}{\"provider\":\"google\"}",
        String(repeating: "[", count: 1000), #"{"provider":"\#(String(repeating: "x", count: 65))"}"#,
    ])
    func `a body that does not match the operation's schema is refused with a detail`(body: String) async throws {
        try await LoginFixture().run { client in
            let answer = try await client.refused(.invalidRequest, .post, "/v1/attempts", body)
            #expect(try answer.text("detail").isEmpty == false)
        }
    }

    @Test func `a valid body is accepted, with whitespace and optional members`() async throws {
        try await LoginFixture().run { client in
            for body in [#"{"provider":"google"}"#, " {\n\"provider\" : \"google\", \"purpose\": \"sign-in\"}\n"] {
                let answer = try await client.ask(.post, "/v1/attempts", body)
                #expect(answer.status == .created)
            }
        }
    }

    @Test func `a refusal does not quote the request`() async throws {
        try await LoginFixture().run { client in
            let answer = try await client.refused(
                .invalidRequest,
                .post,
                "/v1/sign-in",
                #"{"credential":{"type":"my-secret"}, "s3cret": "s3cret"}"#
            )
            #expect(!answer.text.contains("s3cret") && !answer.text.contains("my-secret"))
        }
    }

    @Test(arguments: [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json"])
    func `a body with another content type is refused`(type: String?) async throws {
        try await LoginFixture().run { client in
            let headers: HTTPFields = [.contentType: type ?? ""]
            try await client.refused(
                .unsupportedType,
                .post,
                "/v1/attempts",
                #"{"provider":"google"}"#,
                headers: headers
            )
        }
    }

    @Test(arguments: ["application/json; charset=utf-8", "Application/JSON", "application/json ;charset=UTF-8"])
    func `parameters and case of the content type are ignored`(type: String) async throws {
        try await LoginFixture().run { client in
            let answer = try await client.ask(
                .post,
                "/v1/attempts",
                #"{"provider":"google"}"#,
                headers: [.contentType: type]
            )
            #expect(answer.status == .created)
        }
    }

    @Test func `a body of more than 64 KiB is refused`() async throws {
        try await LoginFixture().run { client in
            let space = String(repeating: " ", count: 64 * 1024)
            try await client.refused(.tooLarge, .post, "/v1/attempts", #"{"provider":"google"}"# + space)
            let fits = #"{"provider":"google"}"# + String(repeating: " ", count: 64 * 1024 - 21)
            #expect(try await client.ask(.post, "/v1/attempts", fits).status == .created)
        }
    }

    @Test func `an unsupported method is refused with the allowed methods`() async throws {
        try await LoginFixture().run { client in
            let answer = try await client.refused(.methodNotAllowed, .get, "/v1/attempts")
            #expect(answer.headers[.allow] == "POST")
            let account = try await client.refused(.methodNotAllowed, .post, "/v1/account", "{}")
            #expect(account.headers[.allow] == "DELETE, GET, HEAD, PATCH")
            let document = try await client.refused(.methodNotAllowed, .post, "/openapi.json", "{}")
            #expect(document.headers[.allow] == "GET, HEAD")
        }
    }

    @Test func `HEAD is allowed wherever GET is, and its response has no body`() async throws {
        try await LoginFixture().run { client in
            for (path, status) in [
                ("/healthz", HTTPResponse.Status.ok), ("/openapi.json", .ok), ("/problems/not-found", .ok),
                ("/problems/no-such-code", .notFound), ("/nowhere", .notFound), ("/v1/session", .unauthorized),
                ("/v1/attempts", .methodNotAllowed),
            ] {
                let answer = try await client.ask(.head, path)
                #expect(answer.status == status && answer.text.isEmpty, "\(path)")
                // The length is that of the response to GET.
                #expect(answer.headers[.contentLength].flatMap { Int($0) } ?? 0 > 0, "\(path)")
            }
            #expect(try await client.ask(.head, "/v1/attempts").headers[.allow] == "POST")
        }
    }

    @Test func `an unknown path is not found`() async throws {
        try await LoginFixture().run { client in
            for path in ["/", "/v2/verify", "/v1/sessions/a/b"] {
                try await client.refused(.notFound, .get, path)
            }
        }
    }

    @Test func `a problem has the request ID and a type that leads to the explanation of its code`() async throws {
        try await LoginFixture().run { client in
            let answer = try await client.refused(.missingSession, .get, "/v1/session")
            #expect(try answer.text("requestID") == answer.headers[.xRequestID])
            #expect(try answer.text("type") == "https://login.example.com/problems/missing-session")
            #expect(answer.headers[.cacheControl] == "no-store")
            for code in ProblemCode.all {
                let page = try await client.ask(.get, "/problems/\(code.rawValue)")
                #expect(page.status == .ok && page.text.contains(code.explanation))
            }
            try await client.refused(.notFound, .get, "/problems/no-such-code")
        }
    }

    @Test(arguments: ["2", "second"])
    func `forward-auth refuses a session of level 1 for level 2, and an unknown level`(level: String)
        async throws
    {
        try await LoginFixture().run { client in
            let token = try await client.session(of: "ada")
            if level == "2" {
                let answer = try await client.refused(
                    .secondFactorRequired,
                    .get,
                    "/v1/forward-auth?level=2",
                    bearer: token
                )
                #expect(answer.headers[.xAuthError] == "second-factor-required")
            } else {
                try await client.refused(.invalidRequest, .get, "/v1/forward-auth?level=\(level)", bearer: token)
            }
            #expect(try await client.ask(.get, "/v1/forward-auth?level=1", bearer: token).status == .ok)
        }
    }

    @Test func `a successful forward-auth response has every identity header, empty if the value is unknown`()
        async throws
    {
        try await LoginFixture().run { client in
            let signedIn = try await client.signIn("ada", email: "ada@example.com")
            let known = try await client.ask(
                .get,
                "/v1/forward-auth",
                bearer: try signedIn.text("tokens.sessionToken")
            )
            let guest = try await client.ask(.post, "/v1/sign-in/anonymous", "{}")
            let unknown = try await client.ask(
                .get,
                "/v1/forward-auth",
                bearer: try guest.text("tokens.sessionToken")
            )
            for (field, _) in ForwardedIdentity.headers {
                #expect(known.headers[values: field].count == 1)
                #expect(unknown.headers[values: field].count == 1)
            }
            let (account, email) = (
                try #require(HTTPField.Name("X-Auth-Account")), try #require(HTTPField.Name("X-Auth-Email"))
            )
            #expect(known.headers[account] == (try signedIn.text("account.id")))
            #expect(known.headers[email] == "ada@example.com")
            #expect(unknown.headers[email] == "")
            let anonymous = try #require(HTTPField.Name("X-Auth-Anonymous"))
            #expect(known.headers[anonymous] == "false" && unknown.headers[anonymous] == "true")
            #expect(known.text.isEmpty)
        }
    }

    @Test func `the readiness response names the check that fails`() async throws {
        var fixture = try await LoginFixture()
        let isReady = Box(false)
        fixture.options.readiness = [
            .store(of: fixture.auth), ReadinessCheck("keys") { isReady.value },
        ]
        try await fixture.run { client in
            let answer = try await client.refused(.notReady, .get, "/readyz")
            #expect(try answer.text("detail") == "Not ready: keys.")
            #expect(try await client.ask(.get, "/healthz").status == .ok)
            isReady.change { $0 = true }
            #expect(try await client.ask(.get, "/readyz").status == .ok)
        }
    }

    @Test func `retryAfter in the body repeats the seconds of the Retry-After header`() async throws {
        let late = AuthError(.tooManyRequests(retryAfter: .milliseconds(29_500)), "")
        let problems: [(path: String, problem: Problem, seconds: Int?)] = [
            ("limit", Problem(ProblemCode(.tooManyRequests), headers: [.retryAfter: "30"]), 30),
            ("account", Problem(late), 30),
            ("ready", Problem(.notReady, headers: [.retryAfter: "1"]), 1),
            ("keys", .keysUnavailable(), 1),
            ("store", Problem(AuthError(.storeUnavailable, "")), 1),
            ("wrong", Problem(.invalidRequest), nil),
            ("date", Problem(.notReady, headers: [.retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT"]), nil),
        ]
        let fixture = try await LoginFixture()
        let routes: [(String, TestServer.Route)] = problems.map { path, problem, _ in
            ("/\(path)", { _ in throw problem })
        }
        try await fixture.run(routes: Dictionary(uniqueKeysWithValues: routes)) { client in
            for (path, _, seconds) in problems {
                let body = try await client.ask(.get, "/\(path)").json()
                #expect(body["retryAfter"]?.integer == seconds, "\(path)")
            }
        }
    }

    /// One reason for each code.
    private static let reasons: [AuthError.Reason] = [
        .credentialAlreadyInUse(nil, owner: nil), .accountExistsWithDifferentCredential, .emailAlreadyInUse(),
        .providerAlreadyLinked, .noSuchProvider, .ambiguousProvider, .lastProvider, .requiresRecentLogin, .userMismatch,
        .userDisabled, .userNotFound, .operationNotAllowed, .invalidCredential, .wrongPassword, .weakPassword,
        .invalidEmail, .invalidProfile, .invalidPhoneNumber, .missingOrInvalidNonce(.replayed), .secondFactorRequired,
        .missingMultiFactorSession, .invalidMultiFactorSession, .missingMultiFactorInfo, .multiFactorInfoNotFound,
        .invalidVerificationCode, .invalidVerificationID, .sessionExpired, .quotaExceeded(retryAfter: .zero),
        .tooManyRequests(retryAfter: .zero), .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded,
        .unsupportedFirstFactor, .unverifiedEmail, .invalidUserToken, .userTokenExpired,
        .accountMerged(into: AccountID(rawValue: "target")), .mergeConflict([]), .idempotencyMismatch, .conflictRetry,
        .storeUnavailable, .providerUnavailable, .internalError,
    ]

    @Test(arguments: AuthError.Code.all)
    func `each account error is a problem with its own status and no internal details`(code: AuthError.Code)
        async throws
    {
        let reason = try #require(Self.reasons.first { $0.code == code })
        let fixture = try await LoginFixture()
        try await fixture.run(routes: ["/failing": { _ in throw AuthError(reason, "for the operator alone") }]) {
            client in
            let answer = try await client.refused(code, .get, "/failing")
            #expect(answer.status.code == ProblemCode(code).status.code)
            #expect(try answer.text("title") == code.explanation)
            #expect(!answer.text.contains("operator"))
        }
    }
}
#endif
