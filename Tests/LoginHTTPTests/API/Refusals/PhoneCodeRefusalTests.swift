// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginAccounts
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Requests to send codes to phones that fail or are refused.
@Suite struct PhoneCodeRefusalTests {
    /// Returns the four requests that send a code.
    ///
    /// The one for a new factor comes first, since it requires a recent login.
    private func requests(_ client: APIClient) async throws -> [TableRequest] {
        let phone = try await client.enrolPhone(try await client.proven())
        let token = phone.sessionToken
        client.fixture.clock.advance(by: .seconds(31))
        let resolver = try await client.resolver()
        return [
            TableRequest(path: "/v1/second-factors/phone", body: #"{"number":"+14155550111"}"#, bearer: token),
            TableRequest(path: "/v1/phone-codes", body: #"{"number":"+14155550122"}"#),
            TableRequest(path: "/v1/step-up/challenge", body: #"{"uid":"\#(phone.uid)"}"#, bearer: token),
            TableRequest(
                path: "/v1/second-factors/challenge",
                body: #"{"resolver":"\#(resolver)","uid":"\#(phone.uid)"}"#
            ),
        ]
    }

    @Test func `a code that cannot be sent is reported, and one that is requested too soon must wait`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            for request in try await requests(client) {
                fixture.codes.fault = .fails
                try await client.refused(.providerUnavailable, request)
                fixture.codes.fault = nil
                // A failed message counts too; otherwise a number could be called any number of times.
                fixture.clock.advance(by: .seconds(31))
                try await client.accepted(request)
                let early = try await client.refused(.quotaExceeded, request)
                #expect(early.headers[.retryAfter] == "30", "\(request.path)")
                fixture.clock.advance(by: .seconds(31))
            }
        }
    }

    @Test func `without a code sender all requests for codes are refused`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let requests = try await requests(client)
            let mute = Auth(
                store: fixture.auth.store,
                providers: fixture.auth.providers,
                secrets: LoginFixture.secrets,
                mail: fixture.mail,
                allowsPhoneSignIn: true,
                clock: fixture.clock
            )
            try await fixture.run(of: mute) { client in
                for request in requests { try await client.refused(.operationNotAllowed, request) }
            }
            // The last two go to the same phone.
            for request in requests.dropLast() { try await client.accepted(request) }
        }
    }

    @Test func `no code is sent for an unknown factor, or for one that is not a phone`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let app = try await client.enrolApp(try await client.proven())
            fixture.clock.advance(by: .seconds(60))
            let resolver = try await client.resolver()
            for uid in ["none", app.uid] {
                try await client.refused(
                    .multiFactorInfoNotFound,
                    .post,
                    "/v1/step-up/challenge",
                    #"{"uid":"\#(uid)"}"#,
                    bearer: app.sessionToken
                )
                try await client.refused(
                    .multiFactorInfoNotFound,
                    .post,
                    "/v1/second-factors/challenge",
                    #"{"resolver":"\#(resolver)","uid":"\#(uid)"}"#
                )
                try await client.refused(
                    .invalidMultiFactorSession,
                    .post,
                    "/v1/second-factors/challenge",
                    #"{"resolver":"made-up","uid":"\#(uid)"}"#
                )
            }
            #expect(fixture.codes.messages.isEmpty)
        }
    }

    @Test func `beginning to link or to reauthenticate requires a session`() async throws {
        try await LoginFixture().run { client in
            let token = try await client.proven()
            for (index, purpose) in ["link", "reauthenticate"].enumerated() {
                let code = TableRequest(
                    path: "/v1/phone-codes",
                    body: #"{"number":"+1415555010\#(index)","purpose":"\#(purpose)"}"#
                )
                let attempt = TableRequest(
                    path: "/v1/attempts",
                    body: #"{"provider":"google","purpose":"\#(purpose)"}"#
                )
                for var request in [code, attempt] {
                    try await client.refused(.missingSession, request.method, request.path, request.body)
                    request.bearer = token
                    try await client.accepted(request)
                }
            }
        }
    }

    @Test func `an invalid number cannot be enrolled, and an enrolled number not again`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let phone = try await client.enrolPhone(try await client.proven())
            fixture.clock.advance(by: .seconds(31))
            for (code, number) in [
                (AuthError.Code.invalidPhoneNumber, "12"), (.invalidPhoneNumber, "0301234567"),
                (.secondFactorAlreadyEnrolled, "+1 415 555 0100"),
            ] {
                try await client.refused(
                    code,
                    .post,
                    "/v1/second-factors/phone",
                    #"{"number":"\#(number)"}"#,
                    bearer: phone.sessionToken
                )
            }
            _ = try await client.enrolPhone(phone.sessionToken, "+14155550101")
        }
    }
}
#endif
