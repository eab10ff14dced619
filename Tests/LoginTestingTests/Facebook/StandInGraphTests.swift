// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLoginTesting
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// The Graph API of the stand-in for Facebook, and its errors.
@Suite struct StandInGraphTests {
    let facebook = FacebookStandIn()
    var client: StandInClient { StandInClient(facebook: facebook) }

    @Test func `me returns the requested fields that are granted`() async throws {
        let token = facebook.makeAccessToken(permissions: ["public_profile", "email", "user_friends"])
        let fields = "id,first_name,email,friends,birthday,picture"
        let answer = try await client.ask(.get, "me", [("fields", fields), ("access_token", token)])
        let json = try #require(answer.json)
        #expect(json.members?.map(\.name) == ["first_name", "picture", "email", "friends", "id"])
        #expect(json["friends"]?["data"]?.elements?.count == 2)
        #expect(json["picture"]?["data"]?["is_silhouette"]?.boolean == false)
        let headers = [(name: "Authorization", value: "Bearer \(token)")]
        let plain = try await client.ask(.get, "me", headers: headers)
        #expect(plain.json?.members?.map(\.name) == ["name", "id"])
    }

    @Test func `a missing, unknown, expired or revoked access token is refused with its error and subcode`()
        async throws
    {
        let token = facebook.makeAccessToken()
        #expect(try await client.ask(.get, "me", [("access_token", token)]).status == 200)
        #expect(try await client.ask(.get, "me").errorCode == 104)
        let shim = try await client.ask(.get, "me", [("access_token", "EAAshim")])
        #expect(shim.errorCode == 190 && shim.subcode == nil)
        facebook.endAccessToken(token, subcode: 460)
        #expect(try await client.ask(.get, "me", [("access_token", token)]).subcode == 460)
        let other = facebook.makeAccessToken()
        facebook.clock.advance(by: .seconds(5_183_999))
        #expect(try await client.ask(.get, "me", [("access_token", other)]).status == 200)
        facebook.clock.advance(by: .seconds(1))
        #expect(try await client.ask(.get, "me", [("access_token", other)]).subcode == 463)
    }

    @Test func `appsecret_proof is verified if it is present, and required if the settings say so`() async throws {
        let token = facebook.makeAccessToken()
        let right = [(name: "access_token", value: token), ("appsecret_proof", client.proof(of: token))]
        #expect(try await client.ask(.get, "me", right).status == 200)
        #expect(try await client.ask(.get, "me", [right[0], ("appsecret_proof", "00")]).errorCode == 100)
        facebook.settings.requiresProof = true
        #expect(try await client.ask(.get, "me", right).status == 200)
        #expect(try await client.ask(.get, "me", [right[0]]).errorCode == 100)
    }

    @Test func `permissions are returned in pages`() async throws {
        facebook.settings.pageSize = 2
        let token = facebook.makeAccessToken(permissions: ["public_profile", "email", "user_link"])
        facebook.set("declined", for: "user_gender")
        facebook.set("expired", for: "email")
        let first = try await client.ask(.get, "me/permissions", [("access_token", token)])
        #expect(first.json?["data"]?.elements?.compactMap { $0["status"]?.string } == ["granted", "expired"])
        let next = try #require(first.json?["paging"]?["next"]?.string)
        #expect(next.hasPrefix(facebook.origin))
        let second = try await client.ask(.get, url: next)
        #expect(
            second.json?["data"]?.elements?.compactMap { $0["permission"]?.string } == ["user_link", "user_gender"]
        )
        #expect(second.json?["paging"] == nil)
        facebook.settings.nextPageOrigin = "https://elsewhere.example"
        let lured = try await client.ask(.get, "me/permissions", [("access_token", token)])
        #expect(lured.json?["paging"]?["next"]?.string?.hasPrefix("https://elsewhere.example/graph/") == true)
    }

    @Test func `friends are returned in pages`() async throws {
        facebook.settings.pageSize = 2
        facebook.person.claims["user_friends"] = ["2", "3", "4"]
        let token = (name: "access_token", value: facebook.makeAccessToken(permissions: ["user_friends"]))
        let first = try await client.ask(.get, "me", [token, ("fields", "id,friends.limit(500){id}")]).json?["friends"]
        #expect(first?["data"]?.elements?.compactMap { $0["id"]?.string } == ["2", "3"])
        let next = try #require(first?["paging"]?["next"]?.string)
        #expect(next.hasPrefix("\(facebook.origin)/graph/v27.0/me/friends?"))
        let second = try await client.ask(.get, url: next).json
        #expect(second?["data"]?.elements?.compactMap { $0["id"]?.string } == ["4"] && second?["paging"] == nil)
        facebook.settings.pageSize = 3
        #expect(try await client.ask(.get, "me/friends", [token]).json?["paging"] == nil)
        facebook.set("declined", for: "user_friends")
        #expect(try await client.ask(.get, "me/friends", [token]).json?["data"]?.elements?.isEmpty == true)
    }

    @Test func `removing the app revokes its tokens and permissions until the next login`() async throws {
        let token = [(name: "access_token", value: facebook.makeAccessToken(permissions: ["email"]))]
        #expect(try await client.ask(.get, "me/permissions", token).json?["data"]?.elements?.count == 1)
        facebook.removeApp()
        let refused = try await client.ask(.get, "me/permissions", token)
        #expect(refused.errorCode == 190 && refused.subcode == 458)
        let next = [(name: "access_token", value: facebook.makeAccessToken(permissions: []))]
        #expect(try await client.ask(.get, "me/permissions", next).json?["data"]?.elements?.isEmpty == true)
        #expect(try await client.ask(.get, "me", token).subcode == 458)
    }

    @Test func `one permission is revoked, and then all of them`() async throws {
        let token = facebook.makeAccessToken(permissions: ["public_profile", "email"])
        let field = [(name: "access_token", value: token)]
        #expect(try await client.ask(.delete, "me/permissions/email", field).json?["success"]?.boolean == true)
        #expect(try await client.ask(.delete, "me/permissions/email", field).errorCode == 100)
        let statuses = try await client.ask(.get, "\(facebook.person.id)/permissions", field)
        #expect(statuses.json?["data"]?.elements?.compactMap { $0["status"]?.string } == ["granted", "declined"])
        #expect(try await client.ask(.delete, "me/permissions", field).json?["success"]?.boolean == true)
        #expect(try await client.ask(.get, "me", field).subcode == 458)
    }

    @Test func `a post requires the posting permission, and appears in the feed`() async throws {
        facebook.settings.pageSize = 1
        let token = (name: "access_token", value: facebook.makeAccessToken())
        #expect(try await client.ask(.post, "me/feed", [token, ("message", "a")]).errorCode == 200)
        facebook.set("granted", for: "publish_actions")
        let first = try await client.ask(.post, "me/feed", [token, ("message", "a & b")]).json?["id"]?.string
        #expect(try await client.ask(.post, "me/feed", [token]).errorCode == 100)
        facebook.settings.postingPermission = "pages_manage_posts"
        #expect(try await client.ask(.post, "me/feed", [token, ("message", "c")]).errorCode == 200)
        facebook.set("granted", for: "pages_manage_posts")
        let second = try await client.ask(.post, "me/feed", [token, ("message", "c")]).json?["id"]?.string
        let feed = try #require(try await client.ask(.get, "me/feed", [token]).json)
        #expect(feed["data"]?.elements?.map { $0["id"]?.string } == [second])
        let next = try await client.ask(.get, url: try #require(feed["paging"]?["next"]?.string)).json
        #expect(next?["data"]?.elements?.map { $0["id"]?.string } == [first] && first != second)
        #expect(next?["data"]?.elements?.first?["message"]?.string == "a & b")
    }

    @Test func `the app access token revokes permissions by user ID, and cannot read them`() async throws {
        let id = facebook.person.id
        let token = [(name: "access_token", value: facebook.makeAccessToken(permissions: ["public_profile", "email"]))]
        let app = [(name: "access_token", value: "\(facebook.appID)|\(facebook.appSecret)")]
        for path in ["me/permissions", "2/permissions", "\(id)/feed"] {
            #expect(try await client.ask(.delete, path, app).subcode == 33)
        }
        #expect(try await client.ask(.get, "\(id)/permissions", app).subcode == 33)
        #expect(try await client.ask(.delete, "\(id)/permissions/email", app).json?["success"]?.boolean == true)
        #expect(try await client.ask(.delete, "\(id)/permissions/email", token).errorCode == 100)
        #expect(try await client.ask(.delete, "\(id)/permissions", app).json?["success"]?.boolean == true)
        #expect(try await client.ask(.get, "me", token).subcode == 458)
    }

    @Test func `debug_token describes a token to the app that it was issued to`() async throws {
        let token = facebook.makeAccessToken(permissions: ["public_profile"])
        let foreign = facebook.makeAccessToken(permissions: [], appID: "2")
        let app = (name: "access_token", value: "\(facebook.appID)|\(facebook.appSecret)")
        let data = try await client.ask(.get, "debug_token", [app, ("input_token", token)]).json?["data"]
        #expect(data?["is_valid"]?.boolean == true && data?["app_id"]?.string == facebook.appID)
        #expect(data?["user_id"]?.string == facebook.person.id && data?["scopes"]?.elements?.count == 1)
        let unknown = try await client.ask(.get, "debug_token", [app, ("input_token", "EAAshim")]).json?["data"]
        #expect(unknown?["is_valid"]?.boolean == false && unknown?["error"]?["code"]?.integer == 190)
        #expect(try await client.ask(.get, "debug_token", [app, ("input_token", foreign)]).errorCode == 100)
        facebook.settings.describesForeignTokens = true
        let described = try await client.ask(.get, "debug_token", [app, ("input_token", foreign)]).json?["data"]
        #expect(described?["app_id"]?.string == "2")
        facebook.endAccessToken(token, subcode: 467)
        let ended = try await client.ask(.get, "debug_token", [app, ("input_token", token)]).json?["data"]
        #expect(ended?["is_valid"]?.boolean == false && ended?["error"]?["subcode"]?.integer == 467)
        #expect(try await client.ask(.get, "debug_token", [("input_token", token)]).errorCode == 104)
        let wrong = (name: "access_token", value: "\(facebook.appID)|wrong")
        #expect(try await client.ask(.get, "debug_token", [wrong, ("input_token", token)]).errorCode == 190)
    }

    @Test func `faults apply to their path, as often as they are set to`() async throws {
        let token = facebook.makeAccessToken()
        let field = [(name: "access_token", value: token)]
        facebook.failNext(
            2,
            path: "me",
            with: .graphError(code: 4, isTransient: true, status: 403, headers: ["Retry-After": "60"])
        )
        #expect(try await client.ask(.get, "me/permissions", field).status == 200)
        for _ in 1...2 {
            let answer = try await client.ask(.get, "me", field)
            #expect(answer.status == 403 && answer.errorCode == 4)
            #expect(answer.response.values(of: "retry-after") == ["60"])
            #expect(answer.json?["error"]?["is_transient"]?.boolean == true)
        }
        #expect(try await client.ask(.get, "me", field).status == 200)
        #expect(facebook.requestCount(of: "/me") == 3 && facebook.requestCount() == 4)
        facebook.failNext(.max, with: .answer(status: 502, body: Array("<html>".utf8)))
        #expect(try await client.ask(.get, "me", field).json == nil)
        facebook.clearFaults()
        #expect(try await client.ask(.get, "me", field).status == 200)
    }

    @Test func `an unreachable or slow stand-in fails like a transport, at once`() async throws {
        facebook.failNext(with: .unreachable())
        await #expect(throws: TransportFailure.self) { _ = try await client.ask(.get, "me") }
        facebook.failNext(with: .slow(.seconds(4)))
        #expect(try await client.ask(.get, "me").errorCode == 104)
        facebook.failNext(with: .slow(.seconds(5)))
        let failure = await #expect(throws: TransportFailure.self) { _ = try await client.ask(.get, "me") }
        #expect(failure?.code == .deadline)
    }

    @Test func `a request to another origin is recorded and fails`() async throws {
        let url = "https://elsewhere.example/graph/v27.0/me?access_token=EAA"
        await #expect(throws: TransportFailure.self) { _ = try await client.ask(.get, url: url) }
        #expect(facebook.requests.map(\.origin) == ["https://elsewhere.example"])
        #expect(facebook.requests.first?["access_token"] == "EAA")
        #expect(try await client.ask(.get, "unknown", [("access_token", facebook.makeAccessToken())]).errorCode == 100)
    }
}
