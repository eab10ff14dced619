// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Sensitive operations require a recent login, and the second factor if there is one.
@Suite struct RecentLoginTests {
    /// Returns one otherwise valid request of each such operation, created anew so that nothing in it has expired.
    private func requests(_ client: APIClient, _ app: EnrolledApp, bearer: String) async throws -> [TableRequest] {
        let source = try await client.session(of: "ada", with: .facebook)
        let login = try await client.good("another", of: .facebook, for: "link", bearer: bearer)
        return [
            TableRequest(method: .get, path: "/v1/account/data", bearer: bearer),
            TableRequest(method: .delete, path: "/v1/account", bearer: bearer),
            TableRequest(
                method: .put,
                path: "/v1/account/password",
                body: #"{"password":"\#(APIClient.password)"}"#,
                bearer: bearer
            ),
            TableRequest(path: "/v1/link", body: #"{"credential":\#(login)}"#, bearer: bearer),
            TableRequest(path: "/v1/unlink", body: #"{"provider":"google"}"#, bearer: bearer),
            TableRequest(path: "/v1/merge", body: #"{"source":"\#(source)"}"#, bearer: bearer),
            TableRequest(path: "/v1/second-factors/totp", body: #"{"issuer":"Notes"}"#, bearer: bearer),
            TableRequest(path: "/v1/second-factors/phone", body: #"{"number":"\#(APIClient.phone)"}"#, bearer: bearer),
            TableRequest(path: "/v1/second-factors/recovery-codes", bearer: bearer),
            TableRequest(method: .delete, path: "/v1/second-factors/\(app.uid)", bearer: bearer),
        ]
    }

    /// Whether a request leaves unchanged what the others depend on.
    private func isHarmless(_ request: TableRequest) -> Bool {
        [
            "/v1/account/data", "/v1/second-factors/totp", "/v1/second-factors/phone",
            "/v1/second-factors/recovery-codes",
        ]
        .contains(request.path)
    }

    @Test func `sensitive operations are allowed up to five minutes after a login, and require a new one later`()
        async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let app = try await client.enrolApp(try await client.proven())
            fixture.clock.advance(by: .seconds(300))
            let early = try await requests(client, app, bearer: app.sessionToken)
            for request in early where isHarmless(request) { try await client.accepted(request) }
            fixture.clock.advance(by: .seconds(1))
            for request in try await requests(client, app, bearer: app.sessionToken) {
                try await client.refused(.requiresRecentLogin, request)
            }
            let preview = try await obstacles(client, bearer: app.sessionToken)
            #expect(preview == ["requires-recent-login"])
        }
    }

    @Test func `the second factor must be repeated after an hour, before the user can reauthenticate`()
        async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let app = try await client.enrolApp(try await client.proven())
            let old = app.sessionToken
            fixture.clock.advance(by: .seconds(3600))
            let shown = try await client.good("ada", for: "reauthenticate", bearer: old, email: "ada@example.com")
            let assertion = #"{"assertion":\#(app.assertion(at: fixture.clock.now))}"#
            let further = [
                TableRequest(path: "/v1/reauthenticate", body: #"{"credential":\#(shown)}"#, bearer: old),
                TableRequest(path: "/v1/second-factors/confirm", body: assertion, bearer: old),
            ]
            for request in try await requests(client, app, bearer: old) + further {
                try await client.refused(.secondFactorRequired, request)
            }
            #expect(try await obstacles(client, bearer: old) == ["second-factor-required"])
            let raised = try await client.ask(.post, "/v1/step-up", assertion, bearer: old)
            let second = try raised.text("tokens.sessionToken")
            // The attempt was not consumed.
            let proven = try await client.ask(
                .post,
                "/v1/reauthenticate",
                #"{"credential":\#(shown)}"#,
                bearer: second
            )
            let recent = try proven.text("tokens.sessionToken")
            for request in try await requests(client, app, bearer: recent) where isHarmless(request) {
                try await client.accepted(request)
            }
        }
    }

    /// Returns the obstacles that the preview of a merge lists.
    private func obstacles(_ client: APIClient, bearer: String) async throws -> [String] {
        let source = try await client.session(of: "ada", with: .facebook)
        let preview = try await client.ask(.post, "/v1/merge/preview", #"{"source":"\#(source)"}"#, bearer: bearer)
        let found = try #require(try preview.json()["obstacles"]?.elements)
        return found.compactMap(\.string)
    }

    @Test func `recovery codes require an enrolled second factor`() async throws {
        try await LoginFixture().run { client in
            let token = try await client.proven()
            let request = TableRequest(path: "/v1/second-factors/recovery-codes", bearer: token)
            try await client.refused(.secondFactorRequired, request)
            let app = try await client.enrolApp(token)
            try await client.accepted(TableRequest(path: request.path, bearer: app.sessionToken))
        }
    }
}
#endif
