// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The requests to the Graph API, and the results of its responses about permissions.
@Suite struct GraphAPITests {
    /// The HMAC-SHA-256 of the bench's token with its secret, computed by another implementation.
    private static let proof = "720e76bbcaaae8cd99bb7fc3aa8e3914dfe2331a4570ac254565f8bca245c7e2"
    private static let base = "https://graph.facebook.com/v27.0/"

    let bench: GraphBench

    init() throws {
        bench = try GraphBench()
    }

    @Test func `the access token is sent in a header, and appsecret_proof in the query`() async throws {
        bench.answer("me/permissions", .json(["data": []]))
        _ = try await bench.graph.permissions(of: bench.token())
        let request = try #require(bench.transport.requests.first)
        #expect(request.url.description == "\(Self.base)me/permissions?appsecret_proof=\(Self.proof)")
        #expect(request.headers.first { $0.name == "Authorization" }?.value == "Bearer \(GraphBench.tokenString)")
        #expect(request.method == .get && request.body.isEmpty)
        #expect(request.responseLimit == 256 * 1024 && request.deadline == .seconds(10))
    }

    @Test func `no appsecret_proof is sent without an app secret`() async throws {
        let bench = try GraphBench(secret: nil)
        bench.answer("me/permissions", .json(["data": []]))
        _ = try await bench.graph.permissions(of: bench.token())
        #expect(bench.transport.requests.first?.url.description == "\(Self.base)me/permissions")
    }

    @Test(arguments: ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/graph", "http://localhost/a/"])
    func `each call requests its documented endpoint`(address: String) async throws {
        var endpoints = FacebookEndpoints.live
        endpoints.graph = try EndpointURL(address, allowsLoopbackHTTP: true)
        let bench = try GraphBench(secret: nil, endpoints: endpoints)
        _ = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token()) }
        let slash = address.hasSuffix("/") ? "" : "/"
        #expect(bench.transport.requests.map(\.url.description) == ["\(address)\(slash)v27.0/me/permissions"])
    }

    @Test(arguments: ["", "EAA x", "EAA\r\nHost: a", "EAAé", String(repeating: "a", count: 1501)])
    func `a text that cannot be an access token is not sent by any call`(text: String) async throws {
        let error = try await bench.failure { _ = try await bench.graph.permissions(of: bench.token(text)) }
        #expect(error.category == .relogin)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `an access token can have 1,500 bytes`() async throws {
        bench.answer("me/permissions", .json(["data": []]))
        _ = try await bench.graph.permissions(of: bench.token(String(repeating: "a", count: 1500)))
    }

    @Test func `an access token of another app is not sent`() async throws {
        let token = bench.token(appID: "1234567891")
        for call: () async throws -> Void in [
            { _ = try await bench.graph.permissions(of: token) }, { try await bench.graph.revokeAll(of: token) },
            { try await bench.graph.revoke(.email, of: token) }, { _ = try await bench.graph.profile(of: token) },
        ] {
            #expect(try await bench.failure(call).category == .foreignToken)
        }
        #expect(bench.transport.requests.isEmpty)
    }

    // MARK: Permissions

    @Test(.rule("F6.7")) func `granted, declined and expired permissions are distinguished, and other entries omitted`()
        async throws
    {
        let entry = { (name: TestJSON, status: TestJSON) -> TestJSON in ["permission": name, "status": status] }
        bench.answer(
            "me/permissions",
            .json([
                "data": [
                    entry("public_profile", "granted"), entry("email", "declined"), entry("user_link", "expired"),
                    entry("user_gender", "Granted"), entry("user_birthday", "pending"), entry(5, "granted"),
                    entry("user_friends", .null), "user_location", .null,
                ]
            ])
        )
        let statuses = try await bench.graph.permissions(of: bench.token())
        #expect(statuses == .init(granted: [.publicProfile], declined: [.email], expired: [.userLink]))
        #expect(statuses.hasGranted(.publicProfile) && !statuses.hasGranted(.email))
        #expect(!statuses.hasGranted(.userGender) && !statuses.hasGranted("PUBLIC_PROFILE"))

        let token = bench.token().with(statuses, at: bench.wallClock.now + 5)
        #expect(token.permissions == [.publicProfile] && token.declinedPermissions == [.email])
        #expect(token.expiredPermissions == [.userLink] && token.refreshDate == bench.wallClock.now + 5)
        #expect(token.tokenString == GraphBench.tokenString && token.userID == GraphBench.userID)
    }

    @Test(.rule("F6.7")) func `the worse status of a duplicate permission is used`() async throws {
        let entry = { (status: TestJSON) -> TestJSON in ["permission": "email", "status": status] }
        bench.answer("me/permissions", .json(["data": [entry("declined"), entry("granted"), entry("expired")]]))
        let declined = try await bench.graph.permissions(of: bench.token())
        #expect(declined == .init(granted: [], declined: [.email], expired: []))
        bench.answer("me/permissions", .json(["data": [entry("granted"), entry("expired")]]))
        let expired = try await bench.graph.permissions(of: bench.token())
        #expect(expired == .init(granted: [], declined: [], expired: [.email]))
    }

    @Test(.rule("F6.7"), arguments: [["data": ["a": 1]], ["data": .null], [:], [], "x"] as [TestJSON])
    func `a response without a list is an error, not an empty list`(json: TestJSON) async throws {
        #expect(try await bench.failure(.json(json)).category == .unavailable)
    }

    // MARK: Revoking

    @Test(.rule("F6.8")) func `a permission is revoked by its name, and all of them without a name`() async throws {
        bench.answer("me/permissions/email", .json(GraphBench.success), method: .delete)
        bench.answer("me/permissions", .json(GraphBench.success), method: .delete)
        try await bench.graph.revoke(.email, of: bench.token())
        try await bench.graph.revokeAll(of: bench.token())
        let proof = "?appsecret_proof=\(Self.proof)"
        #expect(
            bench.transport.requests.map(\.url.description) == [
                "\(Self.base)me/permissions/email\(proof)", "\(Self.base)me/permissions\(proof)",
            ]
        )
        #expect(bench.transport.requests.allSatisfy { $0.method == .delete && $0.body.isEmpty })
    }

    @Test(.rule("F6.8"), arguments: ["", "..", ".", "a/b", "a b", "email?", "é", String(repeating: "a", count: 65)])
    func `an invalid permission name is refused without a request`(name: String) async throws {
        let error = try await bench.failure { try await bench.graph.revoke(.init(rawValue: name), of: bench.token()) }
        #expect(error.category == .caller && bench.transport.requests.isEmpty)
    }

    @Test(
        .rule("F6.8"),
        arguments: [["success": false], ["success": "true"], ["success": 1], [:], false, .null] as [TestJSON]
    )
    func `a revocation requires Facebook's confirmation`(json: TestJSON) async throws {
        bench.answer("me/permissions", .json(json), method: .delete)
        let error = try await bench.failure { try await bench.graph.revokeAll(of: bench.token()) }
        #expect(error.category == .unavailable)
    }

    @Test(.rule("F6.8")) func `a revocation is confirmed by the value true, as the reference states`() async throws {
        bench.answer("me/permissions", .json(true), method: .delete)
        try await bench.graph.revokeAll(of: bench.token())
    }

    @Test(.rule("F6.20")) func `the app revokes permissions of a user by the ID, with its own token`() async throws {
        bench.answer("42/permissions/email", .json(GraphBench.success), method: .delete)
        bench.answer("42/permissions", .json(GraphBench.success), method: .delete)
        try await bench.graph.revoke(.email, ofUser: "42")
        try await bench.graph.revokeAll(ofUser: "42")
        let proof = "?appsecret_proof=4d773fe3e7dd6e755933722e45c08b1bd06b5804a85505562099fa1e90991a1b"
        #expect(
            bench.transport.requests.map(\.url.description) == [
                "\(Self.base)42/permissions/email\(proof)", "\(Self.base)42/permissions\(proof)",
            ]
        )
        for request in bench.transport.requests {
            #expect(request.method == .delete)
            #expect(request.headers.contains { $0 == ("Authorization", "Bearer 1234567890|made-up-secret") })
        }
    }

    @Test(.rule("F6.20"), arguments: ["", "me", "..", "4/2", "4 2", "-1", "٤", String(repeating: "4", count: 65)])
    func `an invalid user ID is refused without a request`(userID: String) async throws {
        for call: () async throws -> Void in [
            { try await bench.graph.revoke(.email, ofUser: userID) },
            { try await bench.graph.revokeAll(ofUser: userID) },
        ] {
            #expect(try await bench.failure(call).category == .caller)
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test(.rule("F6.20")) func `an invalid app token is the app's fault, and without an app secret there is none`()
        async throws
    {
        bench.answer("42/permissions", GraphBench.error(190), method: .delete)
        let rejected = try await bench.failure { try await bench.graph.revokeAll(ofUser: "42") }
        #expect(rejected.category == .appConfiguration && rejected.code == 190)
        let plain = try GraphBench(secret: nil)
        let error = try await plain.failure { try await plain.graph.revokeAll(ofUser: "42") }
        #expect(error.category == .appConfiguration && plain.transport.requests.isEmpty)
    }

    @Test(.rule("F6.9")) func `a Limited Login is ended with its ID token`() async throws {
        let token = try FacebookBench().verify()
        bench.transport.answer(.post, "https://www.limited.facebook.com/platform/uninstall/", with: .json(["a": 1]))
        try await bench.graph.uninstall(token)
        let request = try #require(bench.transport.requests.first)
        #expect(request.method == .post && request.url.target == "/platform/uninstall/")
        #expect(String(decoding: request.body, as: UTF8.self) == "id_token=\(token.tokenString)&app_id=1234567890")
        #expect(request.headers.contains { $0 == ("Content-Type", "application/x-www-form-urlencoded") })
        #expect(!request.headers.contains { $0.name == "Authorization" })
    }

    @Test(
        .rule("F6.9"),
        arguments: [
            (.json(["success": true]), nil), (.json(.raw("")), nil), (.json(.raw("<html>")), nil),
            (.json(.raw(""), status: 204), nil),
            (.json(["success": false]), .unavailable), (GraphBench.error(190), .relogin),
            (.json(.raw("<html>"), status: 500), .transient), (.json([:], status: 404), .unavailable),
            (.failure(.deadline), .unavailable),
        ] as [(StubTransport.Answer, GraphError.Category?)]
    )
    func `a Limited Login that could not be ended is an error`(
        answer: StubTransport.Answer,
        category: GraphError.Category?
    )
        async throws
    {
        let token = try FacebookBench().verify()
        bench.transport.answer(.post, "https://www.limited.facebook.com/platform/uninstall/", with: answer)
        if let category {
            #expect(try await bench.failure { try await bench.graph.uninstall(token) }.category == category)
        } else {
            try await bench.graph.uninstall(token)
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.rule("F6.9")) func `an ID token of another app is not sent`() async throws {
        let token = try FacebookBench(appIDs: ["1234567890"]).verify()
        let graph = GraphAPI(app: try FacebookApp(id: "1"), transport: bench.transport)
        #expect(try await bench.failure { try await graph.uninstall(token) }.category == .foreignToken)
        #expect(bench.transport.requests.isEmpty)
    }
}
