// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The dialogs of the stand-in for Facebook, and the tokens and codes they issue.
@Suite struct StandInLoginTests {
    let facebook = FacebookStandIn()
    var client: StandInClient { StandInClient(facebook: facebook) }

    @Test func `an authorization code is exchanged for an access token and a verifiable ID token`() async throws {
        let back = try #require(client.dialog(client.codeDialog()))
        #expect(back.url == StandInClient.redirectURL + "?" && back.fields.only("state") == "s-1")
        let code = try #require(back.fields.only("code"))
        let answer = try await client.ask(.post, "oauth/access_token", client.exchangeFields(code))
        #expect(answer.status == 200 && answer.json?["token_type"]?.string == "bearer")
        #expect(answer.json?["expires_in"]?.integer == 5_184_000)
        #expect(answer.json?["access_token"]?.string?.hasPrefix("EAA") == true)
        let verifier = try LimitedLoginVerifier(
            appIDs: [facebook.appID],
            keys: facebook.issuer.keys,
            clock: facebook.clock
        )
        let text = try #require(answer.json?["id_token"]?.string)
        let token = try await verifier.verify(text, nonce: .exactly("n-1"))
        #expect(token.claims.sub == facebook.person.id && token.claims.email == "ada@example.com")
        // Permissions that were not requested have no claims.
        #expect(token.claims.userBirthday == nil && token.claims.name == "Ada Marie Example")
    }

    @Test func `an authorization code can be used once`() async throws {
        let code = try #require(client.dialog(client.codeDialog())?.fields.only("code"))
        let first = try await client.ask(.get, "oauth/access_token", client.exchangeFields(code))
        let second = try await client.ask(.get, "oauth/access_token", client.exchangeFields(code))
        #expect(first.status == 200 && second.status == 400)
        #expect(second.errorCode == 100 && second.subcode == 36009)
    }

    @Test(
        arguments: [
            ("redirect_uri", "https://app.example/other", 100), ("code_verifier", "wrong", 100),
            ("code_verifier", nil, 100), ("client_id", "2", 101), ("client_secret", "wrong", 1), ("code", nil, 100),
            ("code", "AQother", 100),
        ] as [(String, String?, Int)]
    )
    func `a code exchange with a wrong or missing parameter is refused`(name: String, value: String?, error: Int)
        async throws
    {
        let code = try #require(client.dialog(client.codeDialog())?.fields.only("code"))
        var fields = client.exchangeFields(code).filter { $0.name != name }
        if let value { fields.append((name, value)) }
        let answer = try await client.ask(.post, "oauth/access_token", fields)
        #expect(answer.status == 400 && answer.errorCode == error)
    }

    @Test func `an authorization code expires after ten minutes`() async throws {
        let code = try #require(client.dialog(client.codeDialog())?.fields.only("code"))
        facebook.clock.advance(by: .seconds(600))
        let answer = try await client.ask(.post, "oauth/access_token", client.exchangeFields(code))
        #expect(answer.errorCode == 100 && answer.subcode == 36007)
    }

    @Test(arguments: [true, false])
    func `without a code challenge the app secret is required`(hasSecret: Bool) async throws {
        let dialog = client.codeDialog().filter { !$0.name.hasPrefix("code_challenge") }
        let code = try #require(client.dialog(dialog)?.fields.only("code"))
        var fields = client.exchangeFields(code).filter { $0.name != "code_verifier" }
        if hasSecret { fields.append(("client_secret", facebook.appSecret)) }
        let answer = try await client.ask(.post, "oauth/access_token", fields)
        #expect(answer.status == (hasSecret ? 200 : 400))
    }

    @Test func `without the scope openid there is no ID token`() async throws {
        let code = try #require(client.dialog(client.codeDialog(scope: "email"))?.fields.only("code"))
        let answer = try await client.ask(.post, "oauth/access_token", client.exchangeFields(code))
        #expect(answer.status == 200 && answer.json?["id_token"] == nil)
    }

    @Test func `a limited login returns an ID token in the fragment`() async throws {
        facebook.person.declines = ["email"]
        let back = try #require(
            client.dialog(
                [
                    ("client_id", facebook.appID), ("redirect_uri", StandInClient.redirectURL), ("state", "s-2"),
                    ("response_type", "id_token,graph_domain,user_token_nonce"), ("nonce", "n-2"),
                    ("scope", "openid,public_profile,email,user_birthday"),
                ],
                kind: "limited"
            )
        )
        #expect(back.url == StandInClient.redirectURL + "#" && back.fields.only("state") == "s-2")
        #expect(back.fields.only("graph_domain") == "facebook" && !back.fields.has("code"))
        #expect(back.fields.only("granted_scopes") == "openid,public_profile,user_birthday")
        #expect(back.fields.only("denied_scopes") == "email")
        let token = try UnverifiedToken(inspecting: try #require(back.fields.only("id_token")))
        #expect(token.claims.nonce == "n-2" && token.claims["email"] == nil)
        #expect(token.claims["user_birthday"]?.string == "12/10/1990")
    }

    @Test func `closing the dialog returns access_denied`() throws {
        facebook.person.cancels = true
        let fields = try #require(client.dialog(client.codeDialog())).fields
        #expect(fields.only("error") == "access_denied" && fields.only("state") == "s-1" && !fields.has("code"))
    }

    @Test func `the dialog does not redirect for an unknown app or to an unregistered redirect URI`() {
        let fields = client.codeDialog()
        facebook.settings.redirectURLs = [StandInClient.redirectURL]
        #expect(client.dialog(fields) != nil)
        facebook.settings.redirectURLs = ["https://app.example/other"]
        #expect(client.dialog(fields) == nil)
        facebook.settings.redirectURLs = nil
        #expect(client.dialog(fields.filter { $0.name != "client_id" } + [("client_id", "2")]) == nil)
        #expect(facebook.open("https://elsewhere.example/classic/v27.0/dialog/oauth") == nil)
    }

    @Test func `an ID token uninstalls the app for its user, and a forged one is refused`() async throws {
        let token = facebook.issuer.token { $0.claims["sub"] = .string(facebook.person.id) }
        let accessToken = facebook.makeAccessToken()
        let uninstall = facebook.endpoints.uninstall.description
        let forged = try await client.ask(
            .post,
            url: uninstall,
            [("id_token", token + "x"), ("app_id", facebook.appID)]
        )
        #expect(forged.errorCode == 190)
        let done = try await client.ask(.post, url: uninstall, [("id_token", token), ("app_id", facebook.appID)])
        #expect(done.json?["success"]?.boolean == true)
        let graph = try await client.ask(.get, "me", [("access_token", accessToken)])
        #expect(graph.errorCode == 190 && graph.subcode == 458)
    }

    @Test func `the key set URL of its provider returns its keys`() async throws {
        let answer = try await client.ask(.get, url: try #require(facebook.provider.keySetURL))
        let keys = try JSONWebKeySet(json: answer.response.body)
        #expect(keys.keys.map(\.keyID) == [facebook.issuer.key.keyID])
    }
}
