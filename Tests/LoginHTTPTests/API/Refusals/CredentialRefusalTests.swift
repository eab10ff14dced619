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

/// Invalid credentials, sent to each operation that takes one.
@Suite struct CredentialRefusalTests {
    /// An operation that takes a credential, with the purpose of its attempts.
    private struct Taker {
        let purpose, path: String
        /// The provider whose login the operation accepts for a user who has signed in with Google.
        let provider: ProviderID
        let bearer: String?

        func request(_ credential: String) -> TableRequest {
            TableRequest(path: path, body: #"{"credential":\#(credential)}"#, bearer: bearer)
        }
    }

    private func takers(_ bearer: String) -> [Taker] {
        [
            Taker(purpose: "sign-in", path: "/v1/sign-in", provider: .google, bearer: nil),
            Taker(purpose: "link", path: "/v1/link", provider: .facebook, bearer: bearer),
            Taker(purpose: "reauthenticate", path: "/v1/reauthenticate", provider: .google, bearer: bearer),
        ]
    }

    /// Returns a credential that the operation accepts.
    private func good(_ taker: Taker, _ client: APIClient) async throws -> String {
        try await client.good("ada", of: taker.provider, for: taker.purpose, bearer: taker.bearer)
    }

    @Test func `every operation with a credential refuses a wrong token, password or code`() async throws {
        try await LoginFixture().run { client in
            _ = try await client.signUp("mary@example.com")
            let bearer = try await client.session(of: "ada")
            for (index, taker) in takers(bearer).enumerated() {
                let attempt = try await client.begin(taker.provider, taker.purpose, bearer: taker.bearer)
                let secret = try attempt.text("attempt")
                let other = taker.purpose == "link" ? "reauthenticate" : "link"
                let foreign = try await client.begin(taker.provider, other, bearer: bearer)
                let number = "+1415555012\(index)"
                let wrong: [(AuthError.Code, String)] = [
                    (.invalidCredential, #"{"type":"id-token","token":"a.b.c","attempt":"\#(secret)"}"#),
                    (.missingOrInvalidNonce, #"{"type":"id-token","token":"a.b.c","attempt":"made-up"}"#),
                    (.missingOrInvalidNonce, try client.credential("ada", of: taker.provider, attempt: foreign)),
                    (.wrongPassword, client.password(of: "mary@example.com", "another horse battery")),
                    (.wrongPassword, client.password(of: "nobody@example.com")),
                    (.wrongPassword, client.password(of: "no address")),
                    (.invalidVerificationID, #"{"type":"phone","verificationID":"made-up","code":"123456"}"#),
                    (
                        .invalidVerificationCode,
                        try await client.phoneCredential(
                            number,
                            for: taker.purpose,
                            bearer: taker.bearer,
                            isWrong: true
                        )
                    ),
                    // No Facebook app is configured to verify access tokens.
                    (
                        .operationNotAllowed,
                        #"{"type":"access-token","token":"EAA","attempt":"\#(try await facebookAttempt(client))"}"#
                    ),
                ]
                for (code, credential) in wrong {
                    try await client.refused(code, taker.request(credential))
                }
                try await client.accepted(taker.request(try await good(taker, client)))
            }
        }
    }

    private func facebookAttempt(_ client: APIClient) async throws -> String {
        try await client.begin(.facebook).text("attempt")
    }

    @Test func `every operation with a credential refuses an expired code and accepts a new one`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let number = APIClient.phone
            let first = try await client.ask(
                .post,
                "/v1/sign-in",
                #"{"credential":\#(try await client.phoneCredential(number))}"#
            )
            let bearer = try first.text("tokens.sessionToken")
            fixture.clock.advance(by: .seconds(31))
            for taker in takers(bearer) where taker.purpose != "link" {
                let late = try await client.phoneCredential(number, for: taker.purpose, bearer: taker.bearer)
                fixture.clock.advance(by: .seconds(301))
                try await client.refused(.sessionExpired, taker.request(late))
                let new = try await client.phoneCredential(number, for: taker.purpose, bearer: taker.bearer)
                try await client.accepted(taker.request(new))
                fixture.clock.advance(by: .seconds(31))
            }
            let ada = try await client.session(of: "ada")
            let late = try await client.phoneCredential("+14155550199", for: "link", bearer: ada)
            fixture.clock.advance(by: .seconds(301))
            let body = #"{"credential":\#(late)}"#
            try await client.refused(.sessionExpired, .post, "/v1/link", body, bearer: ada)
            let again = try await client.session(of: "ada")
            let new = try await client.phoneCredential("+14155550199", for: "link", bearer: again)
            try await client.accepted(
                TableRequest(path: "/v1/link", body: #"{"credential":\#(new)}"#, bearer: again)
            )
        }
    }

    @Test func `every operation with a credential reports unavailable provider keys, and accepts the token later`()
        async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let first = try await client.signIn("ada", with: .facebook)
            let facebook = try first.text("tokens.sessionToken")
            // The login is linked first, so that it can reauthenticate afterwards.
            for purpose in ["link", "reauthenticate", "sign-in"] {
                let bearer = purpose == "sign-in" ? nil : facebook
                let shown = try await client.good("ada", for: purpose, bearer: bearer)
                let request = TableRequest(path: "/v1/\(purpose)", body: #"{"credential":\#(shown)}"#, bearer: bearer)
                fixture.keys.areUnavailable.change { $0 = true }
                let answer = try await client.refused(.providerUnavailable, request)
                #expect(answer.headers[.retryAfter] == "1")
                fixture.keys.areUnavailable.change { $0 = false }
                try await client.accepted(request)
            }
        }
    }

    @Test func `a login of another account, or of none, cannot reauthenticate a user`() async throws {
        try await LoginFixture().run { client in
            let bearer = try await client.session(of: "ada")
            _ = try await client.session(of: "grace")
            for (name, provider) in [("grace", ProviderID.google), ("nobody", .google), ("ada", .facebook)] {
                let shown = try await client.good(name, of: provider, for: "reauthenticate", bearer: bearer)
                let body = #"{"credential":\#(shown)}"#
                try await client.refused(.userMismatch, .post, "/v1/reauthenticate", body, bearer: bearer)
            }
            let own = try await client.good("ada", for: "reauthenticate", bearer: bearer)
            let request = TableRequest(
                path: "/v1/reauthenticate",
                body: #"{"credential":\#(own)}"#,
                bearer: bearer
            )
            try await client.accepted(request)
        }
    }

    @Test func `a disabled user cannot sign in until enabled again`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let id = AccountID(rawValue: try await client.signIn("ada").text("account.id"))
            try await fixture.auth.disable(id)
            let body = #"{"credential":\#(try await client.good("ada"))}"#
            try await client.refused(.userDisabled, .post, "/v1/sign-in", body)
            try await fixture.auth.enable(id)
            try await client.accepted(TableRequest(path: "/v1/sign-in", body: body))
        }
    }
}
#endif
