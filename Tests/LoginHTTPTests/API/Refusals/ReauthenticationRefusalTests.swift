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

/// Reauthentication with the API, with tokens that have `auth_time` and with tokens that do not.
@Suite struct ReauthenticationRefusalTests {
    private static let corporate = ProviderID("corporate")

    private let fixture: LoginFixture
    private let issuer: TestIssuer

    init() async throws {
        let issuer = TestIssuer(clock: ManualClock())
        self.issuer = issuer
        fixture = try await LoginFixture(
            policies: [],
            providers: {
                $0[0] = .openID(Self.corporate, issuer: issuer.provider.issuers[0], clientID: issuer.audience)
            },
            issuers: [issuer],
            clock: issuer.clock
        )
    }

    /// Returns a credential of a provider with an `auth_time` this many seconds ago; without the claim if nil.
    private func credential(_ client: APIClient, _ provider: ProviderID, _ bearer: String?, authenticated: Int? = nil)
        async throws -> String
    {
        let attempt = try await client.begin(provider, bearer == nil ? "sign-in" : "reauthenticate", bearer: bearer)
        guard provider == Self.corporate else { return try client.credential("ada", of: provider, attempt: attempt) }
        let token = issuer.token(nonce: try attempt.text("nonce")) { token in
            token.claims["auth_time"] = authenticated.map {
                .number("\(Int(fixture.clock.now.timeIntervalSince1970) - $0)")
            }
        }
        return #"{"type":"id-token","token":"\#(token)","attempt":"\#(try attempt.text("attempt"))"}"#
    }

    private func signIn(_ client: APIClient, _ provider: ProviderID) async throws -> String {
        let shown = try await credential(client, provider, nil)
        let answer = try await client.ask(.post, "/v1/sign-in", #"{"credential":\#(shown)}"#)
        return try answer.text("tokens.sessionToken")
    }

    @Test(.rule("R-LNK-11"))
    func `a token with an old auth_time does not reauthenticate, and one with a recent auth_time does`() async throws {
        try await fixture.run { client in
            let bearer = try await signIn(client, Self.corporate)
            fixture.clock.advance(by: .seconds(3600))
            let old = try await credential(client, Self.corporate, bearer, authenticated: 86400)
            let request = TableRequest(path: "/v1/reauthenticate", body: #"{"credential":\#(old)}"#, bearer: bearer)
            try await client.refused(.requiresRecentLogin, request)
            try await client.refused(.requiresRecentLogin, .delete, "/v1/account", bearer: bearer)
            let recent = try await credential(client, Self.corporate, bearer, authenticated: 100)
            let answer = try await client.ask(
                .post,
                "/v1/reauthenticate",
                #"{"credential":\#(recent)}"#,
                bearer: bearer
            )
            let then = try Date(try answer.text("session.authenticatedAt"), strategy: .iso8601)
            #expect(then == fixture.clock.now.addingTimeInterval(-100))
            let token = try answer.text("tokens.sessionToken")
            try await client.accepted(TableRequest(method: .delete, path: "/v1/account", bearer: token))
        }
    }

    @Test(.rule("R-LNK-12"), arguments: [corporate, .facebook])
    func `without auth_time a reauthentication must be completed within five minutes`(provider: ProviderID)
        async throws
    {
        try await fixture.run { client in
            let bearer = try await signIn(client, provider)
            fixture.clock.advance(by: .seconds(3600))
            let late = try await credential(client, provider, bearer)
            fixture.clock.advance(by: .seconds(301))
            let request = TableRequest(path: "/v1/reauthenticate", body: #"{"credential":\#(late)}"#, bearer: bearer)
            try await client.refused(.requiresRecentLogin, request)
            let shown = try await credential(client, provider, bearer)
            fixture.clock.advance(by: .seconds(300))
            let answer = try await client.ask(
                .post,
                "/v1/reauthenticate",
                #"{"credential":\#(shown)}"#,
                bearer: bearer
            )
            let token = try answer.text("tokens.sessionToken")
            try await client.accepted(TableRequest(method: .delete, path: "/v1/account", bearer: token))
        }
    }
}
#endif
