// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Facebook's response about an access token, and the checks of it.
@Suite struct DebugTokenTests {
    let bench: GraphBench

    init() throws {
        bench = try GraphBench()
    }

    /// Returns the response about a valid token, from which the others differ.
    private func data(_ change: (inout TestJSON) -> Void = { _ in }) -> TestJSON {
        var data: TestJSON = [
            "app_id": .string(GraphBench.appID), "type": "USER", "application": "An app", "is_valid": true,
            "expires_at": 1_760_003_600, "data_access_expires_at": 1_767_776_000, "issued_at": 1_759_990_000,
            "scopes": ["public_profile", "email"], "user_id": .string(GraphBench.userID),
        ]
        change(&data)
        return ["data": data]
    }

    private func debug(_ json: TestJSON) async throws -> AccessToken {
        bench.answer("debug_token", .json(json))
        return try await bench.graph.debug(GraphBench.tokenString)
    }

    private func failure(_ json: TestJSON) async throws -> GraphError {
        try await bench.failure { _ = try await debug(json) }
    }

    @Test func `a valid access token is returned as Facebook describes it`() async throws {
        let token = try await debug(data())
        #expect(token.tokenString == GraphBench.tokenString)
        #expect(token.appID == GraphBench.appID && token.userID == GraphBench.userID)
        #expect(token.permissions == [.publicProfile, .email])
        #expect(token.declinedPermissions.isEmpty && token.expiredPermissions.isEmpty)
        #expect(token.expirationDate == Date(timeIntervalSince1970: 1_760_003_600))
        #expect(token.dataAccessExpirationDate == Date(timeIntervalSince1970: 1_767_776_000))
        #expect(token.refreshDate == bench.wallClock.now)
    }

    @Test func `the request is authenticated by the app, and no URL contains the secret`() async throws {
        _ = try await debug(data())
        let request = try #require(bench.transport.requests.first)
        let proof = "4d773fe3e7dd6e755933722e45c08b1bd06b5804a85505562099fa1e90991a1b"
        #expect(request.url.target == "/v27.0/debug_token?input_token=EAAmade-up-token&appsecret_proof=\(proof)")
        #expect(request.headers.contains { $0 == ("Authorization", "Bearer 1234567890|made-up-secret") })
    }

    @Test func `an access token cannot be inspected without the app secret`() async throws {
        let bench = try GraphBench(secret: nil)
        let error = try await bench.failure { _ = try await bench.graph.debug(GraphBench.tokenString) }
        #expect(error.category == .appConfiguration && bench.transport.requests.isEmpty)
    }

    @Test(arguments: [
        "", " EAA", "EAA\n", "é", String(repeating: "|", count: 501), String(repeating: "a", count: 1501),
    ])
    func `a text that cannot be an access token is not sent`(text: String) async throws {
        let error = try await bench.failure { _ = try await bench.graph.debug(text) }
        #expect(error.category == .relogin && bench.transport.requests.isEmpty)
    }

    @Test(arguments: [String(repeating: "|", count: 500), String(repeating: "a", count: 1500)])
    func `an access token of the maximum length is sent`(text: String) async throws {
        bench.answer("debug_token", .json(data()))
        #expect(try await bench.graph.debug(text).tokenString == text)
    }

    @Test(arguments: ["1234567891", "", 1_234_567_891, 12] as [TestJSON])
    func `an access token of another app is refused, even if it is valid`(appID: TestJSON) async throws {
        let error = try await failure(data { $0["app_id"] = appID })
        #expect(error.category == (appID.text == "\"\"" ? .unavailable : .foreignToken))
    }

    @Test func `IDs can be numbers`() async throws {
        let token = try await debug(
            data { json in
                json["app_id"] = 1_234_567_890
                json["user_id"] = 1_000_000_000_000_042
            }
        )
        #expect(token.appID == GraphBench.appID && token.userID == GraphBench.userID)
    }

    @Test(arguments: ["PAGE", "APP", "user", nil, 5] as [TestJSON?])
    func `an access token that is not a user's is refused`(type: TestJSON?) async throws {
        #expect(try await failure(data { $0["type"] = type }).category == .foreignToken)
        #expect(try await failure(data { $0["user_id"] = type == nil ? "" : nil }).category == .foreignToken)
    }

    @Test(arguments: [false, "true", 1, nil, .null] as [TestJSON?])
    func `an access token is valid only if Facebook says so`(isValid: TestJSON?) async throws {
        #expect(try await failure(data { $0["is_valid"] = isValid }).category == .relogin)
    }

    @Test(arguments: [(190, 463, "relogin"), (190, 459, "user-must-act"), (100, nil, "caller")])
    func `the reason for an invalid access token has its category`(code: Int, subcode: Int?, category: String)
        async throws
    {
        var error: TestJSON = ["code": .number("\(code)"), "message": "Invalid OAuth access token."]
        error["subcode"] = subcode.map { .number("\($0)") }
        let inside = try await failure(["data": ["error": error, "is_valid": false, "scopes": []]])
        #expect(inside.category.rawValue == category && inside.code == code && inside.subcode == subcode)
    }

    @Test(
        arguments: [
            (100, "OAuthException", "foreign-token"), (100, "GraphMethodException", "caller"),
            (190, "OAuthException", "app-configuration"), (101, "OAuthException", "app-configuration"),
            (4, "OAuthException", "throttle"),
        ]
    )
    func `an error of the request is distinguished from an error of the inspected token`(
        code: Int,
        type: String,
        category: String
    )
        async throws
    {
        bench.answer("debug_token", GraphBench.error(.number("\(code)")) { $0["type"] = .string(type) })
        let error = try await bench.failure { _ = try await bench.graph.debug(GraphBench.tokenString) }
        #expect(error.category.rawValue == category && error.code == code)
    }

    @Test func `another app ID takes precedence over the error of the token`() async throws {
        let error = try await failure(
            data { json in
                json["app_id"] = "5"
                json["error"] = ["code": 190, "message": "expired"]
            }
        )
        #expect(error.category == .foreignToken)
    }

    @Test(.rule("F6.1")) func `only an expiry of zero means never`() async throws {
        let token = try await debug(
            data { json in
                json["expires_at"] = 0
                json["data_access_expires_at"] = 0
            }
        )
        #expect(token.expirationDate == nil && token.dataAccessExpirationDate == nil)
        #expect(try await debug(data { $0["data_access_expires_at"] = nil }).dataAccessExpirationDate == nil)
        #expect(try await failure(data { $0["expires_at"] = nil }).category == .unavailable)
    }

    @Test(
        .rule("F6.1"),
        arguments: ["1760003600", "never", -1, .null, 253_402_300_800, 64_092_211_200_000, .number("1e300"), true]
            as [TestJSON]
    )
    func `an unreadable expiry is an error, and does not mean never`(end: TestJSON) async throws {
        #expect(try await failure(data { $0["expires_at"] = end }).category == .unavailable)
        #expect(try await failure(data { $0["data_access_expires_at"] = end }).category == .unavailable)
    }

    @Test func `an expired access token is refused, even if Facebook calls it valid`() async throws {
        _ = try await debug(data { $0["expires_at"] = 1_760_000_001 })
        #expect(try await failure(data { $0["expires_at"] = 1_760_000_000 }).category == .relogin)
    }

    @Test(arguments: [nil, .null, "email", ["email", 5], ["a": "b"]] as [TestJSON?])
    func `a response without readable permissions is an error`(scopes: TestJSON?) async throws {
        #expect(try await failure(data { $0["scopes"] = scopes }).category == .unavailable)
    }

    @Test(arguments: [[:], ["data": []], ["data": .null], [], "x", 5] as [TestJSON])
    func `a response of another form is an error`(json: TestJSON) async throws {
        #expect(try await failure(json).category == .unavailable)
    }
}
