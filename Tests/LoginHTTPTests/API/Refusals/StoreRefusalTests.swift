// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LimitedLoginHTTP
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

internal import LimitedLoginTesting
@testable import LoginHTTP

/// Operations without a session while the store is unavailable; `EveryOperationTests` covers the others.
@Suite struct StoreRefusalTests {
    private static let email = "mary@example.com"

    /// Returns one valid request of each operation without a session, so that each reaches the store.
    private func requests(_ client: APIClient, _ facebook: FacebookStandIn) async throws -> [TableRequest] {
        let fixture = client.fixture
        let app = try await client.enrolApp(try await client.proven())
        let phone = try await client.enrolPhone(app.sessionToken)
        fixture.clock.advance(by: .seconds(60))
        let resolver = try await client.resolver()
        _ = try await client.signUp(Self.email)
        try await client.ask(.post, "/v1/password-resets", #"{"email":"\#(Self.email)"}"#)
        let reset = try #require(fixture.mail.token(.resetPassword))
        let refresh = try await client.signIn("grace").text("tokens.refreshToken")
        let resume = try await client.signIn("joan").text("tokens.refreshToken")
        let attempt = try await client.begin(.google)
        let token = fixture.google.token(nonce: try attempt.text("nonce"))
        let attemptID = try attempt.text("attempt")
        let shown = try await client.good("eve")
        let signed = facebook.signedRequest { $0["user_id"] = "1000000000000001" }
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let assertion = app.assertion(at: fixture.clock.now)
        let password = #""password":"another horse battery""#
        return [
            TableRequest(path: "/v1/refresh", body: #"{"refreshToken":"\#(refresh)"}"#),
            TableRequest(path: "/v1/resume", body: #"{"refreshToken":"\#(resume)"}"#),
            TableRequest(path: "/v1/sign-in", body: #"{"credential":\#(shown)}"#),
            TableRequest(path: "/v1/sign-up", body: #"{"email":"new@example.com",\#(password)}"#),
            TableRequest(path: "/v1/sign-in/anonymous", body: "{}"),
            TableRequest(path: "/v1/password-resets/confirm", body: #"{"token":"\#(reset)",\#(password)}"#),
            TableRequest(path: "/v1/password-resets", body: #"{"email":"\#(Self.email)"}"#),
            TableRequest(
                path: "/v1/second-factors/challenge",
                body: #"{"resolver":"\#(resolver)","uid":"\#(phone.uid)"}"#
            ),
            TableRequest(
                path: "/v1/second-factors/resolve",
                body: #"{"resolver":"\#(resolver)","assertion":\#(assertion)}"#
            ),
            TableRequest(
                path: "/v1/verify",
                body: #"{"token":"\#(token)","policy":"app","attempt":"\#(attemptID)"}"#
            ),
            TableRequest(path: "/v1/facebook/deauthorize", body: "signed_request=\(signed)", headers: form),
            TableRequest(path: "/v1/facebook/data-deletion", body: "signed_request=\(signed)", headers: form),
        ]
    }

    @Test(arguments: [
        (StoreError.Code.unavailable, AuthError.Code.storeUnavailable), (.busy, .conflictRetry),
    ])
    func `operations without a session report an unavailable or busy store, and accept the same request later`(
        failure: StoreError.Code,
        code: AuthError.Code
    ) async throws {
        let store = BreakableStore()
        var fixture = try await LoginFixture(store: store)
        let facebook = FacebookStandIn(appID: fixture.facebook.audience, clock: fixture.clock)
        fixture.options.facebookApp = try facebook.app()
        try await fixture.run { client in
            let requests = try await requests(client, facebook)
            store.failure = failure
            for request in requests {
                let answer = try await client.refused(code, request)
                #expect(answer.headers[.retryAfter] == "1", "\(request.path)")
            }
            store.failure = nil
            for request in requests { try await client.accepted(request) }
        }
    }
}
#endif
