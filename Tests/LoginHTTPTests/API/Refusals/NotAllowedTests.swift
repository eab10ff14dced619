// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Operations that a service does not offer, and cross-site requests.
@Suite struct NotAllowedTests {
    private static let email = "mary@example.com"

    /// Returns requests that need a provider, each valid while it is enabled.
    private func requests(_ client: APIClient) async throws -> [TableRequest] {
        let made = try await client.signUp(Self.email)
        let token = try made.text("tokens.sessionToken")
        try await client.ask(.post, "/v1/password-resets", #"{"email":"\#(Self.email)"}"#)
        let reset = try #require(client.fixture.mail.token(.resetPassword))
        let password = client.password(of: Self.email)
        let phone = try await client.phoneCredential(APIClient.phone)
        let linked = try await client.phoneCredential("+14155550101", for: "link", bearer: token)
        let another = #""password":"another horse battery""#
        return [
            TableRequest(path: "/v1/attempts", body: #"{"provider":"google"}"#),
            TableRequest(path: "/v1/phone-codes", body: #"{"number":"+14155550102"}"#),
            TableRequest(path: "/v1/sign-up", body: #"{"email":"eve@example.com",\#(another)}"#),
            TableRequest(path: "/v1/sign-in", body: #"{"credential":\#(phone)}"#),
            TableRequest(path: "/v1/sign-in", body: #"{"credential":\#(password)}"#),
            TableRequest(path: "/v1/account/email-verification", bearer: token),
            TableRequest(path: "/v1/reauthenticate", body: #"{"credential":\#(password)}"#, bearer: token),
            TableRequest(path: "/v1/link", body: #"{"credential":\#(linked)}"#, bearer: token),
            TableRequest(path: "/v1/password-resets/confirm", body: #"{"token":"\#(reset)",\#(another)}"#),
            TableRequest(path: "/v1/password-resets", body: #"{"email":"\#(Self.email)"}"#),
        ]
    }

    @Test func `operations of a provider that is not configured are refused, and accepted once it is`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            var requests = try await requests(client)
            try fixture.disable(.google, .facebook, .password, .phone)
            for request in requests { try await client.refused(.operationNotAllowed, request) }
            try fixture.disable()
            // Linking a login revokes earlier messages, including the one for the password reset.
            requests.removeAll { $0.path == "/v1/link" }
            for request in requests { try await client.accepted(request) }
        }
    }

    @Test func `a password can be set only if passwords are enabled`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let request = TableRequest(
                method: .put,
                path: "/v1/account/password",
                body: #"{"password":"\#(APIClient.password)"}"#,
                bearer: try await client.proven()
            )
            try fixture.disable(.password)
            try await client.refused(.operationNotAllowed, request)
            try fixture.disable()
            try await client.accepted(request)
        }
    }

    @Test func `an attempt can begin only with a configured identity provider`() async throws {
        try await LoginFixture().run { client in
            for provider in ["apple", "Google", "password", "phone", "made-up"] {
                try await client.refused(
                    .operationNotAllowed,
                    .post,
                    "/v1/attempts",
                    #"{"provider":"\#(provider)"}"#
                )
            }
            for provider in ["google", "facebook"] {
                try await client.accepted(
                    TableRequest(path: "/v1/attempts", body: #"{"provider":"\#(provider)"}"#)
                )
            }
        }
    }

    @Test func `guests are not allowed by default`() async throws {
        #expect(LoginAPIOptions().allowsGuests == false)
    }

    @Test(arguments: [true, false])
    func `guests can sign in only if the service allows them`(isAllowed: Bool) async throws {
        var fixture = try await LoginFixture()
        fixture.options.allowsGuests = isAllowed
        try await fixture.run { client in
            let request = TableRequest(path: "/v1/sign-in/anonymous", body: "{}")
            if isAllowed {
                try await client.accepted(request)
            } else {
                try await client.refused(.operationNotAllowed, request)
            }
        }
    }

    @Test func `only a same-origin request can sign in with cookies`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let app = try await client.enrolApp(try await client.proven())
            fixture.clock.advance(by: .seconds(60))
            let resolver = try await client.resolver()
            let assertion = app.assertion(at: fixture.clock.now)
            let shown = #""email":"mary@example.com","password":"\#(APIClient.password)""#
            for (path, members) in [
                ("/v1/sign-in/anonymous", ""), ("/v1/sign-up", shown + ","),
                ("/v1/second-factors/resolve", #""resolver":"\#(resolver)","assertion":\#(assertion),"#),
            ] {
                let body = #"{\#(members)"cookies":true}"#
                for headers: HTTPFields in [[:], [.origin: "https://evil.example"]] {
                    try await client.refused(.crossSite, .post, path, body, headers: headers)
                }
                let own: HTTPFields = [.origin: LoginFixture.publicURL]
                let answer = try await client.accepted(TableRequest(path: path, body: body, headers: own))
                #expect(answer.cookie(SessionCookies.sessionName) != nil, "\(path)")
            }
        }
    }

    @Test func `undelivered mail is reported to its signed-in recipient, and not for a password reset`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = try await client.signUp(Self.email).text("tokens.sessionToken")
            let own = TableRequest(path: "/v1/account/email-verification", bearer: token)
            let reset = TableRequest(path: "/v1/password-resets", body: #"{"email":"\#(Self.email)"}"#)
            fixture.mail.fault = .fails
            try await client.refused(.providerUnavailable, own)
            // A refusal would reveal whether an account has the address.
            try await client.accepted(reset)
            fixture.mail.fault = nil
            try await client.accepted(own)
        }
    }
}
#endif
