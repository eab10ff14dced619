// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
internal import LimitedLoginTesting
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Permissions in the JSON API, at a stand-in for Facebook: listed, requested in a session, and revoked.
@Suite struct PermissionOperationTests {
    private static let path = "/v1/permissions/revoke"

    private let facebook = FacebookStandIn()

    /// Runs a test with the session token of a user who has granted the e-mail address and declined the birthday.
    private func run(_ test: @Sendable (APIClient, _ bearer: String) async throws -> Void) async throws {
        let provider = try SignInProvider.facebook(facebook.app(), tracking: .enabled)
        let fixture = try await LoginFixture(
            providers: { providers in
                providers.removeAll { $0.id == .facebook }
                providers.append(provider)
            },
            transport: facebook,
            clock: facebook.clock
        )
        try await fixture.run { client in
            let token = facebook.makeAccessToken(permissions: ["public_profile", "email"])
            facebook.set("declined", for: "user_birthday")
            let credential = try await credential(token, client)
            let answer = try await client.accepted(
                TableRequest(path: "/v1/sign-in", body: #"{"credential":\#(credential)}"#)
            )
            try await test(client, try answer.text("tokens.sessionToken"))
        }
    }

    /// Begins an attempt, and returns a credential with an access token, as JSON.
    private func credential(
        _ token: String,
        for purpose: String = "sign-in",
        bearer: String? = nil,
        _ client: APIClient
    ) async throws -> String {
        let attempt = try await client.begin(.facebook, purpose, bearer: bearer).text("attempt")
        return #"{"type":"access-token","token":"\#(token)","attempt":"\#(attempt)"}"#
    }

    /// Returns a request that revokes the e-mail address, or what `members` says.
    private func request(
        _ token: String,
        _ members: String = #""permission":"email""#,
        provider: String = "facebook",
        bearer: String
    ) -> TableRequest {
        let body = #"{"provider":"\#(provider)","accessToken":"\#(token)",\#(members)}"#
        return TableRequest(path: Self.path, body: body, bearer: bearer)
    }

    /// Returns the permissions of the only login of an account, by the name of the member.
    private func permissions(_ member: String, _ account: JSONValue?) throws -> [String] {
        let login = try #require(account?["logins"]?.elements?.first)
        return try #require(login[member]?.elements).compactMap(\.string)
    }

    @Test(.rule("R-PRM-1", "R-PRM-3"))
    func `granted and declined permissions are listed, and one is revoked`() async throws {
        try await run { client, bearer in
            let before = try await client.ask(.get, "/v1/account", bearer: bearer).json()
            #expect(try permissions("permissions", before) == ["email", "public_profile"])
            #expect(try permissions("declinedPermissions", before) == ["user_birthday"])
            let answer = try await client.accepted(request(facebook.makeAccessToken(), bearer: bearer)).json()
            #expect(try permissions("permissions", answer) == ["public_profile"])
            #expect(try permissions("declinedPermissions", answer) == ["email", "user_birthday"])
            #expect(facebook.requestCount(of: "me/permissions/email") == 1)
        }
    }

    @Test(.rule("R-PRM-3"))
    func `all permissions of a login are revoked, and the session stays open`() async throws {
        try await run { client, bearer in
            let all = request(facebook.makeAccessToken(), #""all":true"#, bearer: bearer)
            let answer = try await client.accepted(all).json()
            #expect(answer["logins"]?.elements?.first?["isUsable"]?.boolean == false)
            try await client.accepted(TableRequest(method: .get, path: "/v1/account", bearer: bearer))
        }
    }

    @Test(.rule("SS-3"))
    func `a reauthentication that requests a permission reports whether it was granted`() async throws {
        try await run { client, bearer in
            let cases: [([String], String)] = [
                ([], "permissionsDeclined"), (["user_birthday"], "reauthenticated"),
            ]
            for (granted, outcome) in cases {
                let token = facebook.makeAccessToken(permissions: granted)
                let credential = try await credential(token, for: "reauthenticate", bearer: bearer, client)
                let body = #"{"credential":\#(credential),"permissions":["user_birthday"]}"#
                let answer = try await client.accepted(
                    TableRequest(path: "/v1/reauthenticate", body: body, bearer: bearer)
                )
                #expect(try answer.text("outcome") == outcome)
            }
        }
    }

    /// Runs a test with the session token of a user of a Limited Login, whose profile is stored.
    private func runLimited(
        _ test:
            @Sendable (APIClient, _ bearer: String, _ login: @Sendable (String?) async throws -> String) async throws
            -> Void
    ) async throws {
        let app = try facebook.app()
        let provider = try SignInProvider.facebook(app, permissions: [.email, .userHometown], tracking: .limited)
        let fixture = try await LoginFixture(
            policy: AuthPolicy(storesProfiles: true),
            providers: { providers in
                providers.removeAll { $0.id == .facebook }
                providers.append(provider)
            },
            issuers: [facebook.issuer],
            transport: facebook,
            clock: facebook.clock
        )
        try await fixture.run { client in
            @Sendable func credential(_ bearer: String?, _ claims: [String: TestJSON]) async throws -> String {
                let attempt = try await client.begin(
                    .facebook,
                    bearer == nil ? "sign-in" : "reauthenticate",
                    bearer: bearer
                )
                let token = facebook.issuer.token(nonce: try attempt.text("nonce")) { token in
                    token.claims["sub"] = .string(facebook.person.id)
                    for (name, value) in claims { token.claims[name] = value }
                }
                return #"{"type":"id-token","token":"\#(token)","attempt":"\#(try attempt.text("attempt"))"}"#
            }
            let claims: [String: TestJSON] = ["name": "Ada", "email": "ada@example.com", "user_birthday": "12/10/1990"]
            let body = #"{"credential":\#(try await credential(nil, claims))}"#
            let answer = try await client.accepted(TableRequest(path: "/v1/sign-in", body: body))
            let bearer = try answer.text("tokens.sessionToken")
            try await test(client, bearer) { permission in
                let permissions = permission.map { #","permissions":["\#($0)"]"# } ?? ""
                let body = #"{"credential":\#(try await credential(bearer, [:]))\#(permissions)}"#
                return try await client.accepted(
                    TableRequest(path: "/v1/reauthenticate", body: body, bearer: bearer)
                ).text("outcome")
            }
        }
    }

    /// Returns a member of the stored profile in `GET /v1/account`.
    private func stored(_ member: String, _ client: APIClient, _ bearer: String) async throws -> JSONValue? {
        let account = try await client.ask(.get, "/v1/account", bearer: bearer).json()
        return account["logins"]?.elements?.first?["profile"]?[member]
    }

    @Test(.rule("SS-3", "R-PRM-1"))
    func `an ID token without the claim of a requested permission leaves it unknown`() async throws {
        try await runLimited { client, bearer, login in
            for permission in ["user_hometown", "gaming_profile"] {
                #expect(try await login(permission) == "permissionsUnknown")
            }
            let account = try await client.ask(.get, "/v1/account", bearer: bearer).json()
            #expect(try permissions("permissions", account) == ["email", "public_profile", "user_birthday"])
            #expect(try permissions("declinedPermissions", account) == [])
        }
    }

    @Test(.rule("R-PDA-6"))
    func `the stored profile is read with the account, and outlives a token with fewer claims`() async throws {
        try await runLimited { client, bearer, login in
            #expect(try await stored("name", client, bearer)?.string == "Ada")
            #expect(try await stored("isLimited", client, bearer)?.boolean == true)
            #expect(try await login(nil) == "reauthenticated")
            #expect(try await stored("birthday", client, bearer)?["year"]?.integer == 1990)
            #expect(try await stored("email", client, bearer)?.string == "ada@example.com")
            let account = try await client.ask(.get, "/v1/account", bearer: bearer).json()
            #expect(account["email"]?.string == "ada@example.com")
        }
    }

    @Test func `without stored profiles, an account has none`() async throws {
        try await run { client, bearer in
            let userID = try await stored("userID", client, bearer)
            #expect(userID == nil)
        }
    }

    @Test func `an attempt at Facebook has the configuration for its SDK, and an attempt elsewhere has none`()
        async throws
    {
        try await runLimited { client, _, _ in
            let attempt = try await client.begin(.facebook)
            let json = try #require(try attempt.json()["configuration"])
            let configuration = try JSONDecoder().decode(LoginConfiguration.self, from: Data(json.source))
            #expect(
                configuration.requestedPermissions == [.email, .userHometown] && configuration.tracking == .limited
            )
            #expect(try configuration.nonce == attempt.text("nonce"))
            #expect(try await client.begin(.google).json()["configuration"] == nil)
        }
    }

    @Test(.rule("R-PRM-3"))
    func `an ambiguous or unauthorized revocation revokes nothing`() async throws {
        try await run { client, bearer in
            let own = facebook.makeAccessToken()
            let ended = facebook.makeAccessToken()
            facebook.endAccessToken(ended)
            let id = facebook.person.id
            facebook.person.id = "1000000000000009"
            let other = facebook.makeAccessToken()
            facebook.person.id = id
            for members in [#""all":false"#, #""permission":"email","all":true"#] {
                let unclear = request(own, members, bearer: bearer)
                try await client.refused(.invalidRequest, .post, Self.path, unclear.body, bearer: bearer)
            }
            try await client.refused(.invalidCredential, request(ended, bearer: bearer))
            try await client.refused(.userMismatch, request(other, bearer: bearer))
            try await client.refused(.operationNotAllowed, request(own, provider: "google", bearer: bearer))
            facebook.failNext(9, path: "me/permissions/email", with: .unreachable())
            try await client.refused(.providerUnavailable, request(own, bearer: bearer))
            facebook.clearFaults()
            let account = try await client.ask(.get, "/v1/account", bearer: bearer).json()
            #expect(try permissions("permissions", account) == ["email", "public_profile"])
            try await client.accepted(request(own, bearer: bearer))
        }
    }
}
#endif
