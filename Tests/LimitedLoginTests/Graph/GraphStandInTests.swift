// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// Complete calls of the Graph API, answered by the stand-in that users of the library have.
@Suite struct GraphStandInTests {
    private static let permissions = [
        "public_profile", "email", "user_friends", "user_birthday", "user_age_range", "user_hometown", "user_location",
        "user_gender", "user_link",
    ]

    let facebook = FacebookStandIn()
    let graph: GraphAPI

    init() throws {
        facebook.settings.requiresProof = true
        graph = GraphAPI(
            app: try facebook.app(),
            transport: facebook,
            clock: SkippingClock(),
            wallClock: facebook.clock
        )
    }

    @Test func `an access token is inspected, and then the user's profile is read`() async throws {
        let token = try await graph.debug(facebook.makeAccessToken(permissions: Self.permissions))
        #expect(token.permissions == Set(Self.permissions.map(Permission.init(rawValue:))))
        #expect(token.expirationDate == facebook.clock.now + 5_184_000)
        let profile = try await graph.profile(of: token)
        #expect(profile.userID == facebook.person.id && profile.name == "Ada Marie Example")
        #expect(profile.friendIDs == ["1000000000000002", "1000000000000003"])
        #expect(profile.birthday == Birthday("12/10/1990") && profile.ageRange?.min == 21)
        #expect(profile.hometown?.name == "London, United Kingdom" && profile.gender == "female")
        #expect(profile.notes.isEmpty)
    }

    @Test func `permissions are read over several pages of the same server`() async throws {
        facebook.settings.pageSize = 2
        facebook.settings.nextPageOrigin = "https://elsewhere.invalid"
        let token = try await graph.debug(facebook.makeAccessToken(permissions: Self.permissions))
        facebook.set("declined", for: "email")
        facebook.set("expired", for: "user_link")
        let statuses = try await graph.permissions(of: token)
        #expect(statuses.granted.count == 7 && statuses.declined == [.email] && statuses.expired == [.userLink])
        #expect(facebook.requests.allSatisfy { $0.origin == facebook.origin })
    }

    @Test func `a revoked permission is declined, and revoking all of them ends the token`() async throws {
        let token = try await graph.debug(facebook.makeAccessToken(permissions: ["public_profile", "email"]))
        try await graph.revoke(.email, of: token)
        #expect(try await graph.permissions(of: token).declined == [.email])
        try await graph.revokeAll(of: token)
        #expect(try await category { _ = try await graph.permissions(of: token) } == .relogin)
    }

    @Test func `a post is refused without its permission, and otherwise readable in the feed`() async throws {
        facebook.settings.pageSize = 1
        facebook.settings.nextPageOrigin = "https://elsewhere.invalid"
        let token = try await graph.debug(facebook.makeAccessToken())
        #expect(try await category { _ = try await post("Hello", token) } == .permission)
        facebook.set("granted", for: "publish_actions")
        let first = try await post("Hello", token)
        let second = try await post("Hello again", token)
        let posts = try await graph.list(["me", "feed"], token: token)
        #expect(posts.map { $0["id"]?.string } == [second, first])
        #expect(facebook.requests.allSatisfy { $0.origin == facebook.origin })
    }

    @Test func `the app revokes permissions of a user without the user's token`() async throws {
        let token = try await graph.debug(facebook.makeAccessToken(permissions: ["public_profile", "email"]))
        try await graph.revoke(.email, ofUser: facebook.person.id)
        #expect(try await graph.permissions(of: token).declined == [.email])
        try await graph.revokeAll(ofUser: facebook.person.id)
        #expect(try await category { _ = try await graph.permissions(of: token) } == .relogin)
        #expect(try await category { try await graph.revokeAll(ofUser: facebook.person.id) } == .caller)
    }

    @Test func `expired, foreign and unknown access tokens have different errors`() async throws {
        let ended = facebook.makeAccessToken()
        facebook.endAccessToken(ended, subcode: 459)
        #expect(try await category { _ = try await graph.debug(ended) } == .userMustAct)
        let foreign = facebook.makeAccessToken(appID: "9")
        #expect(try await category { _ = try await graph.debug(foreign) } == .foreignToken)
        facebook.settings.describesForeignTokens = true
        #expect(try await category { _ = try await graph.debug(foreign) } == .foreignToken)
        #expect(try await category { _ = try await graph.debug("EAAnobody") } == .relogin)
    }

    @Test func `a wrong app secret is not reported as a required login`() async throws {
        let app = try FacebookApp(id: facebook.appID, secret: "another", endpoints: facebook.endpoints)
        let graph = GraphAPI(app: app, transport: facebook)
        let token = facebook.makeAccessToken()
        #expect(try await category { _ = try await graph.debug(token) } == .appConfiguration)
    }

    @Test func `an ID token disconnects its user, whose access tokens are invalid afterwards`() async throws {
        let token = try FacebookBench(issuer: facebook.issuer).verify(claims: ["sub": .string(facebook.person.id)])
        let accessToken = try await graph.debug(facebook.makeAccessToken())
        try await graph.uninstall(token)
        #expect(facebook.requests.last?["app_id"] == facebook.appID)
        #expect(facebook.requests.last?["id_token"] == token.tokenString)
        #expect(try await category { _ = try await graph.permissions(of: accessToken) } == .relogin)
    }

    @Test func `throttling fails the call with the time to wait`() async throws {
        let token = try await graph.debug(facebook.makeAccessToken())
        facebook.failNext(with: .graphError(code: 4, isTransient: true, headers: ["Retry-After": "60"]))
        let count = facebook.requestCount()
        do throws(GraphError) {
            _ = try await graph.permissions(of: token)
            Issue.record("it was not throttled")
        } catch {
            #expect(error.category == .throttle && error.retryAfter == .seconds(60))
        }
        #expect(facebook.requestCount() == count + 1)
    }

    @Test func `a transient failure of Facebook is invisible to the caller`() async throws {
        let token = try await graph.debug(facebook.makeAccessToken())
        facebook.failNext(with: .answer(status: 503))
        #expect(try await graph.permissions(of: token).granted == [.publicProfile])
        facebook.failNext(2, with: .unreachable())
        #expect(try await category { _ = try await graph.permissions(of: token) } == .unavailable)
    }

    private func post(_ message: String, _ token: AccessToken) async throws -> String? {
        try await graph.post(["me", "feed"], parameters: ["message": message], token: token)["id"]?.string
    }

    private func category(_ call: () async throws -> Void) async throws -> GraphError.Category {
        try await GraphBench().failure(call).category
    }
}
