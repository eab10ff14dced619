// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginTokens
import HTTPTypes
import LimitedLogin
import LimitedLoginHTTP
import LoginAccounts
import LoginTesting
import TestSupport
import Testing

internal import LimitedLoginTesting
@testable import LoginHTTP

@Suite struct FacebookCallbackTests {
    private static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    private static let person = "1000000000000001"

    private let facebook: FacebookStandIn
    private let fixture: LoginFixture

    init() async throws {
        var fixture = try await LoginFixture()
        facebook = FacebookStandIn(appID: fixture.facebook.audience, clock: fixture.clock)
        fixture.options.facebookApp = try facebook.app()
        self.fixture = fixture
    }

    private func signedRequest() -> String {
        facebook.signedRequest { $0["user_id"] = .string(Self.person) }
    }

    /// Signs in the user of the callbacks.
    private func signIn(_ client: APIClient) async throws -> APIClient.Answer {
        let attempt = try await client.begin(.facebook)
        let token = fixture.facebook.token(nonce: try attempt.text("nonce"))
        let shown = #"{"type":"id-token","token":"\#(token)","attempt":"\#(try attempt.text("attempt"))"}"#
        return try await client.ask(.post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
    }

    @Test func `deauthorizing the app closes the user's sessions and keeps the account`() async throws {
        try await fixture.run { client in
            let answer = try await signIn(client)
            let body = "signed_request=\(signedRequest())"
            #expect(try await client.ask(.post, "/v1/facebook/deauthorize", body, headers: Self.form).status == .ok)
            try await client.refused(
                .invalidUserToken,
                .get,
                "/v1/session",
                bearer: try answer.text("tokens.sessionToken")
            )
            _ = try await fixture.auth.account(AccountID(rawValue: answer.text("account.id")))
            // The callback may be repeated.
            #expect(try await client.ask(.post, "/v1/facebook/deauthorize", body, headers: Self.form).status == .ok)
        }
    }

    @Test func `a data deletion request deletes the account and returns a confirmation code for its status`()
        async throws
    {
        try await fixture.run { client in
            let answer = try await signIn(client)
            let body = "signed_request=\(signedRequest())"
            for _ in 0..<2 {
                let deleted = try await client.ask(.post, "/v1/facebook/data-deletion", body, headers: Self.form)
                let code = try deleted.text("confirmation_code")
                #expect(try deleted.text("url") == "\(LoginFixture.publicURL)/v1/facebook/data-deletion/\(code)")
                let status = try await client.ask(.get, "/v1/facebook/data-deletion/\(code)")
                #expect(try status.text("status") == "deleted")
                let last = code.last == "0" ? "1" : "0"
                try await client.refused(
                    .notFound,
                    .get,
                    "/v1/facebook/data-deletion/\(code.dropLast())\(last)"
                )
            }
            try await client.refused(
                .invalidUserToken,
                .get,
                "/v1/session",
                bearer: try answer.text("tokens.sessionToken")
            )
            #expect(try await signIn(client).text("account.id") != answer.text("account.id"))
        }
    }

    @Test func `a callback without a valid signed request changes nothing`() async throws {
        try await fixture.run { client in
            let answer = try await signIn(client)
            let forged = FacebookStandIn.signedRequest(
                payload: Array(#"{"user_id":"\#(Self.person)","algorithm":"HMAC-SHA256","issued_at":1}"#.utf8),
                secret: "another secret"
            )
            for path in ["/v1/facebook/deauthorize", "/v1/facebook/data-deletion"] {
                for body in ["signed_request=\(forged)", "signed_request=", "", "a=b", "%"] {
                    try await client.refused(.invalidCredential, .post, path, body, headers: Self.form)
                }
                try await client.refused(.unsupportedType, .post, path, "{}")
                let long = "signed_request=" + String(repeating: "a", count: 40_000)
                try await client.refused(.tooLarge, .post, path, long, headers: Self.form)
            }
            let token = try answer.text("tokens.sessionToken")
            #expect(try await client.ask(.get, "/v1/session", bearer: token).status == .ok)
        }
    }
}
#endif
