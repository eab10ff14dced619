// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Second factors in an open session and in a pending sign-in.
@Suite struct FactorRefusalTests {
    /// A user with an app and a phone, and a pending sign-in.
    private struct Guarded {
        let app: EnrolledApp
        let phone: String
        let resolver: String

        /// Returns the two requests that take a second factor, with this assertion.
        func takers(_ assertion: String) -> [TableRequest] {
            [
                TableRequest(
                    path: "/v1/step-up",
                    body: #"{"assertion":\#(assertion)}"#,
                    bearer: app.sessionToken
                ),
                TableRequest(
                    path: "/v1/second-factors/resolve",
                    body: #"{"resolver":"\#(resolver)","assertion":\#(assertion)}"#
                ),
            ]
        }

        /// The requests that send a code for each of them.
        var senders: [TableRequest] {
            [
                TableRequest(path: "/v1/step-up/challenge", body: #"{"uid":"\#(phone)"}"#, bearer: app.sessionToken),
                TableRequest(
                    path: "/v1/second-factors/challenge",
                    body: #"{"resolver":"\#(resolver)","uid":"\#(phone)"}"#
                ),
            ]
        }
    }

    private func guarded(_ client: APIClient) async throws -> Guarded {
        let app = try await client.enrolApp(try await client.proven())
        let phone = try await client.enrolPhone(app.sessionToken)
        client.fixture.clock.advance(by: .seconds(60))
        return Guarded(app: app, phone: phone.uid, resolver: try await client.resolver())
    }

    @Test func `a wrong, unknown or mismatched second factor is refused, and the right one is accepted`()
        async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let ada = try await guarded(client)
            for index in 0..<2 {
                for (code, assertion) in [
                    (AuthError.Code.invalidVerificationCode, ada.app.assertion(at: fixture.clock.now, isWrong: true)),
                    (.invalidVerificationCode, #"{"type":"recovery-code","code":"0"}"#),
                    (.invalidVerificationID, #"{"type":"phone","challengeID":"made-up","code":"123456"}"#),
                    (.multiFactorInfoNotFound, #"{"type":"totp","uid":"none","code":"123456"}"#),
                    (.multiFactorInfoNotFound, #"{"type":"totp","uid":"\#(ada.phone)","code":"123456"}"#),
                ] {
                    try await client.refused(code, ada.takers(assertion)[index])
                }
                // Each request uses the code of another step, because a code can be used once.
                fixture.clock.advance(by: .seconds(60))
                try await client.accepted(ada.takers(ada.app.assertion(at: fixture.clock.now))[index])
            }
        }
    }

    @Test func `a TOTP code that was already used is refused with an explanation, a wrong code without one`()
        async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let ada = try await client.enrolApp(try await client.proven())
            let resolver = try await client.resolver()
            func request(_ assertion: String) -> TableRequest {
                TableRequest(
                    path: "/v1/second-factors/resolve",
                    body: #"{"resolver":"\#(resolver)","assertion":\#(assertion)}"#
                )
            }
            let used = request(ada.assertion(at: fixture.clock.now))
            let replayed = try await client.refused(.invalidVerificationCode, used)
            #expect(try replayed.text("detail") == "This code was already used. Wait for the next one.")
            let wrong = request(ada.assertion(at: fixture.clock.now, isWrong: true))
            let refused = try await client.refused(.invalidVerificationCode, wrong)
            #expect(try refused.json()["detail"] == nil)
            fixture.clock.advance(by: .seconds(30))
            try await client.accepted(request(ada.assertion(at: fixture.clock.now)))
        }
    }

    @Test func `a phone code is valid for five minutes, and only for the operation that it was sent for`() async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let ada = try await guarded(client)
            let late = try client.phoneAssertion(try await client.accepted(ada.senders[0]))
            try await client.refused(.invalidVerificationID, ada.takers(late)[1])
            fixture.clock.advance(by: .seconds(300))
            try await client.refused(.sessionExpired, ada.takers(late)[0])
            let new = try client.phoneAssertion(try await client.accepted(ada.senders[0]))
            try await client.accepted(ada.takers(new)[0])
            fixture.clock.advance(by: .seconds(31))
            let other = try client.phoneAssertion(try await client.accepted(ada.senders[1]))
            try await client.refused(.invalidVerificationID, ada.takers(other)[0])
            try await client.accepted(ada.takers(other)[1])
        }
    }

    @Test func `a pending sign-in is completed once and expires after ten minutes, its phone code after five`()
        async throws
    {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let ada = try await guarded(client)
            let late = try client.phoneAssertion(try await client.accepted(ada.senders[1]))
            fixture.clock.advance(by: .seconds(301))
            try await client.refused(.sessionExpired, ada.takers(late)[1])
            let new = try client.phoneAssertion(try await client.accepted(ada.senders[1]))
            try await client.refused(
                .invalidMultiFactorSession,
                .post,
                "/v1/second-factors/resolve",
                #"{"resolver":"made-up","assertion":\#(new)}"#
            )
            try await client.accepted(ada.takers(new)[1])
            // The resolver was consumed.
            try await client.refused(.invalidMultiFactorSession, ada.takers(new)[1])
            let resolver = try await client.resolver()
            let next = Guarded(app: ada.app, phone: ada.phone, resolver: resolver)
            fixture.clock.advance(by: .seconds(600))
            let shown = ada.app.assertion(at: fixture.clock.now)
            try await client.refused(.invalidMultiFactorSession, next.takers(shown)[1])
        }
    }

    @Test func `a pending sign-in is refused if its login is revoked meanwhile`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let ada = try await guarded(client)
            try await fixture.auth.revokeIdentity(providerID: .google, uid: "ada")
            let shown = ada.app.assertion(at: fixture.clock.now)
            try await client.refused(.invalidCredential, ada.takers(shown)[1])
            // After a new first factor the sign-in succeeds: the code was not consumed.
            fixture.clock.advance(by: .seconds(1))
            let next = Guarded(app: ada.app, phone: ada.phone, resolver: try await client.resolver())
            try await client.accepted(next.takers(shown)[1])
        }
    }

    @Test func `a pending sign-in is refused if its account is disabled meanwhile`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let ada = try await guarded(client)
            let shown = ada.app.assertion(at: fixture.clock.now)
            let id = try await client.ask(.get, "/v1/account", bearer: ada.app.sessionToken).text("id")
            // Simulates another server that disables the account after the pending sign-in was read, before the account
            // is read.
            @Sendable func disable(at time: StoreValue) async throws {
                try await fixture.auth.store.transaction { rows in
                    let accounts = StoreSchema.table("login_account")
                    _ = try rows.update(
                        accounts,
                        set: [accounts["disabled_at"].becomes(time)],
                        where: [accounts["id"].equals(id)]
                    )
                }
            }
            try await disable(at: .integer(1))
            try await client.refused(.userDisabled, ada.takers(shown)[1])
            try await disable(at: .null)
            try await client.accepted(ada.takers(shown)[1])
        }
    }

    @Test func `a second factor is unenrolled by its ID`() async throws {
        try await LoginFixture().run { client in
            let app = try await client.enrolApp(try await client.proven())
            func unenroll(_ uid: String) -> TableRequest {
                TableRequest(method: .delete, path: "/v1/second-factors/\(uid)", bearer: app.sessionToken)
            }
            try await client.refused(.multiFactorInfoNotFound, unenroll("none"))
            try await client.accepted(unenroll(app.uid))
        }
    }
}
#endif
