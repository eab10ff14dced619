// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginProviders
import LoginTokens
import LoginTesting
import HTTPTypes
import LoginAccounts
import TestSupport
import Testing

@testable import LoginHTTP

@Suite struct BearerTests {
    @Test(arguments: ["Bearer", "bearer", "BEARER", "beArer"])
    func `the Bearer scheme is not case-sensitive`(scheme: String) async throws {
        try await LoginFixture().run { client in
            let token = try await client.session(of: "ada")
            let answer = try await client.ask(.get, "/v1/session", headers: [.authorization: "\(scheme) \(token)"])
            #expect(answer.status == .ok)
        }
    }

    @Test func `a request without credentials gets a Bearer challenge without an error`() async throws {
        try await LoginFixture().run { client in
            let answer = try await client.refused(.missingSession, .get, "/v1/session")
            #expect(answer.headers[.wwwAuthenticate] == "Bearer")
        }
    }

    @Test func `another authentication scheme is ignored`() async throws {
        try await LoginFixture().run { client in
            try await client.refused(.missingSession, .get, "/v1/session", headers: [.authorization: "Basic YTpi"])
            let answer = try await client.ask(.get, "/healthz", headers: [.authorization: "Basic YTpi"])
            #expect(answer.status == .ok)
        }
    }

    @Test(arguments: ["Bearer", "Bearer ", "Bearer a b", "Bearer lls_\"x\"", "Bearer ä"])
    func `a malformed bearer token is an invalid request`(value: String) async throws {
        try await LoginFixture().run { client in
            let answer = try await client.refused(
                .invalidRequest,
                .get,
                "/v1/session",
                headers: [.authorization: value]
            )
            #expect(answer.headers[.wwwAuthenticate] == #"Bearer error="invalid_request""#)
        }
    }

    @Test func `two Authorization fields are an invalid request`() async throws {
        try await LoginFixture().run { client in
            let token = try await client.session(of: "ada")
            var headers: HTTPFields = [:]
            headers.append(HTTPField(name: .authorization, value: "Bearer \(token)"))
            headers.append(HTTPField(name: .authorization, value: "Bearer \(token)"))
            try await client.refused(.invalidRequest, .get, "/v1/session", headers: headers)
        }
    }

    @Test func `an unknown session token is refused by the API and by the server's own routes`() async throws {
        try await LoginFixture().run { client in
            let token = try await client.session(of: "ada")
            let wrong = String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")
            for path in ["/v1/session", "/notes"] {
                let answer = try await client.ask(.get, path, bearer: wrong)
                #expect(answer.status == .unauthorized)
                #expect(try answer.text("code") == "invalid-user-token")
                #expect(
                    answer.headers[.wwwAuthenticate]
                        == #"Bearer error="invalid_token", error_description="invalid-user-token""#
                )
            }
        }
    }

    @Test(arguments: ["eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln", "eyJhbGciOiJkaXIifQ..aXY.dGV4dA.dGFn"])
    func `a JWT is refused with a hint at the session token, and logged once without the JWT`(token: String)
        async throws
    {
        let (bench, fixture) = (LogLines(), try await LoginFixture())
        try await fixture.run(logger: bench.logger) { client in
            try await bench.expectLine("error.code=invalid-user-token error.reason=jwt") {
                let answer = try await client.refused(.invalidUserToken, .get, "/v1/session", bearer: token)
                #expect(try answer.text("detail").contains("tokens.sessionToken"))
                #expect(answer.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
                #expect(!answer.text.contains("eyJ"))
                return try answer.text("requestID")
            }
        }
        #expect(!bench.lines.joined().contains("eyJ"))
    }

    @Test func `a user can sign in again with the token of a closed session`() async throws {
        try await LoginFixture().run { client in
            let token = try await client.session(of: "ada")
            try await client.ask(.post, "/v1/sign-out", bearer: token)
            let shown = try client.credential("ada", of: .google, attempt: try await client.begin(.google))
            let answer = try await client.ask(.post, "/v1/sign-in", #"{"credential":\#(shown)}"#, bearer: token)
            #expect(answer.status == .ok)
        }
    }

    @Test func `the session of a disabled account is refused with 401 and the reason`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let answer = try await client.signIn("ada")
            try await fixture.auth.disable(AccountID(rawValue: answer.text("account.id")))
            let refused = try await client.refused(
                .userDisabled,
                .get,
                "/v1/session",
                bearer: answer.text("tokens.sessionToken")
            )
            #expect(refused.status == .unauthorized)
            #expect(refused.headers[.xAuthError] == "user-disabled")
        }
    }
}
#endif
