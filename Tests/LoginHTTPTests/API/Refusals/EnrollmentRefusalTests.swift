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

/// Refusals of enrolments of second factors.
@Suite struct EnrollmentRefusalTests {
    private func confirm(_ assertion: String, _ bearer: String) -> TableRequest {
        TableRequest(
            path: "/v1/second-factors/confirm",
            body: #"{"assertion":\#(assertion)}"#,
            bearer: bearer
        )
    }

    /// Returns the three requests of an enrolment: with an app, with a phone, and the confirmation.
    private func requests(_ bearer: String, number: String = APIClient.phone) -> [TableRequest] {
        [
            TableRequest(path: "/v1/second-factors/totp", body: #"{"issuer":"Notes"}"#, bearer: bearer),
            TableRequest(path: "/v1/second-factors/phone", body: #"{"number":"\#(number)"}"#, bearer: bearer),
            confirm(#"{"type":"totp","uid":"none","code":"123456"}"#, bearer),
        ]
    }

    /// Begins to enrol an app.
    private func begin(_ client: APIClient, _ bearer: String) async throws -> EnrolledApp {
        let begun = try await client.accepted(requests(bearer)[0])
        let app = try AuthenticatorApp(secret: try begun.text("secret"))
        return EnrolledApp(uid: try begun.text("uid"), app: app, sessionToken: bearer)
    }

    @Test func `an enrolment is confirmed only by a code of its own factor`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let token = try await client.proven()
            let app = try await begin(client, token)
            for (code, assertion) in [
                (AuthError.Code.invalidVerificationCode, app.assertion(at: fixture.clock.now, isWrong: true)),
                (.invalidVerificationID, #"{"type":"phone","challengeID":"made-up","code":"123456"}"#),
                (.multiFactorInfoNotFound, #"{"type":"totp","uid":"none","code":"123456"}"#),
                (.missingMultiFactorInfo, #"{"type":"recovery-code","code":"0"}"#),
            ] {
                try await client.refused(code, confirm(assertion, token))
            }
            try await client.accepted(confirm(app.assertion(at: fixture.clock.now), token))
        }
    }

    @Test func `an enrolment expires after ten minutes`() async throws {
        let policy = AuthPolicy(linking: LinkPolicy(recentLogin: .seconds(3600)))
        let fixture = try await LoginFixture(policy: policy)
        try await fixture.run { client in
            let token = try await client.proven()
            let late = try await begin(client, token)
            fixture.clock.advance(by: .seconds(600))
            try await client.refused(.sessionExpired, confirm(late.assertion(at: fixture.clock.now), token))
            let new = try await begin(client, token)
            fixture.clock.advance(by: .seconds(599))
            try await client.accepted(confirm(new.assertion(at: fixture.clock.now), token))
        }
    }

    @Test func `guests, and users without a verified address, cannot enrol a second factor`() async throws {
        try await LoginFixture().run { client in
            let guest = try await client.ask(.post, "/v1/sign-in/anonymous", "{}").text("tokens.sessionToken")
            // Facebook's addresses are not verified.
            let unreachable = try await client.session(of: "ada", with: .facebook)
            for (code, token) in [(AuthError.Code.unsupportedFirstFactor, guest), (.unverifiedEmail, unreachable)] {
                for request in requests(token) { try await client.refused(code, request) }
            }
            for request in requests(try await client.proven()).prefix(2) { try await client.accepted(request) }
        }
    }

    @Test func `a phone cannot be both the first and the second factor of an account`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let shown = try await client.phoneCredential(APIClient.phone)
            let signedIn = try await client.ask(.post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
            let token = try signedIn.text("tokens.sessionToken")
            let another = requests(token, number: "+14155550101")
            try await client.refused(.unsupportedFirstFactor, another[1])
            try await client.accepted(another[0])
            // In the opposite order it is refused too; with an app it is not.
            let phone = try await client.enrolPhone(try await client.proven("grace"), "+14155550102")
            let app = try await client.enrolApp(try await client.proven("joan"))
            for (index, bearer) in [phone.sessionToken, app.sessionToken].enumerated() {
                let number = "+1415555011\(index)"
                let link = try await client.phoneCredential(number, for: "link", bearer: bearer)
                let request = TableRequest(path: "/v1/link", body: #"{"credential":\#(link)}"#, bearer: bearer)
                if index == 0 {
                    try await client.refused(.unsupportedFirstFactor, request)
                } else {
                    try await client.accepted(request)
                }
            }
        }
    }

    @Test func `the number of second factors per account is limited by the policy`() async throws {
        let policy = AuthPolicy(factors: FactorPolicy(maximumPerAccount: 1))
        let fixture = try await LoginFixture(policy: policy)
        try await fixture.run { client in
            let token = try await client.proven()
            let begun = try await client.accepted(requests(token)[1])
            let phone = try client.phoneAssertion(begun)
            let app = try await client.enrolApp(token)
            let further = requests(app.sessionToken, number: "+14155550101").prefix(2)
            for request in further + [confirm(phone, app.sessionToken)] {
                try await client.refused(.maximumSecondFactorCountExceeded, request)
            }
        }
    }
}
#endif
